package engine

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/point"
)

// columns is a source of the rows of a call: it parses them from the call's columns.
type columns struct {
	call   *device.Call
	scheme *scheme
	// key sets the key of row i of a prepared kind. If the field is nil, keys are read from the
	// call's set of prepared keys.
	key     func(row Row, i int)
	reasons []Reason // as in Options
	// index lists the numbers of the call's rows that this source provides, or is nil for all rows.
	// The verdict, the reason and the result of row index[k] are stored at index k.
	index []int
}

// newColumns returns a source of all rows of a call. The call's kind must have a scheme.
func newColumns(c *device.Call, o Options) *columns {
	return &columns{call: c, scheme: schemeOf(c.Kind), key: o.Key, reasons: o.Reasons}
}

func at32(c *device.Column, i int) *[32]byte { return (*[32]byte)(c.Data[i*c.Stride:]) }
func at33(c *device.Column, i int) *[33]byte { return (*[33]byte)(c.Data[i*c.Stride:]) }
func at64(c *device.Column, i int) *[64]byte { return (*[64]byte)(c.Data[i*c.Stride:]) }
func at65(c *device.Column, i int) *[65]byte { return (*[65]byte)(c.Data[i*c.Stride:]) }

// makeRoom makes room in dst for n rows, which calls of the method parse set later.
func (s *columns) makeRoom(dst *Rows, n int) {
	dst.resize(n)
	// Allocate here, because several goroutines call parse at a time.
	dst.needArrays(s.scheme)
	if s.key != nil {
		dst.needTables()
	}
}

// parse sets rows lo to hi − 1 of dst to the call's rows from number i on.
func (s *columns) parse(dst *Rows, lo, hi, i int) {
	for k := lo; k < hi; k, i = k+1, i+1 {
		from := i
		if s.index != nil {
			from = s.index[i]
		}
		s.scheme.parse(s, Row{dst, k}, from)
	}
}

// setPrepared sets the key of r to the prepared key of row i, if the call has prepared keys. It
// reports whether the call has them.
func (s *columns) setPrepared(r Row, i int) bool {
	switch c := s.call; {
	case s.key != nil:
		s.key(r, i)
	case c.Kind == s.scheme.kind:
		return false
	default:
		numbers := &c.Columns[1]
		k := uint64(binary.LittleEndian.Uint32(numbers.Data[i*numbers.Stride:]))
		if k >= uint64(len(c.Keys)/device.PointSize) {
			r.refuse(KeyMissing)
			return true
		}
		key := [device.KeySize]byte{0x04}
		copy(key[1:], c.Keys[k*device.PointSize:])
		r.SetEncodedKey(key[:]) // zeros are not on the curve
	}
	return true
}

func (s *columns) block(j *Job, lo, hi int) *Rows {
	s.makeRoom(&j.room, hi-lo)
	s.parse(&j.room, 0, hi-lo, lo)
	return &j.room
}

func (s *columns) store(j *Job, lo, hi int) bool {
	copy(s.call.Verdicts[lo:hi], j.Verdicts())
	if s.reasons != nil {
		copy(s.reasons[lo:hi], j.Reasons())
	}
	size := ResultSize(s.call.Kind)
	out := s.call.Results[lo*size : hi*size]
	clear(out)
	switch size {
	case device.AddressSize:
		putAddresses(out, j)
	case device.KeySize:
		for row, p := range j.Points {
			putUncompressed((*[device.KeySize]byte)(out[row*size:]), p)
		}
	case xSize:
		for row, p := range j.Points {
			p.X.PutBytes((*[xSize]byte)(out[row*size:]))
		}
	}
	return true
}

// putUncompressed sets b to the uncompressed encoding of p.
func putUncompressed(b *[device.KeySize]byte, p *point.Affine) {
	b[0] = 0x04
	p.X.PutBytes((*[32]byte)(b[1:33]))
	p.Y.PutBytes((*[32]byte)(b[33:]))
}
