package engine

import (
	"bytes"
	"encoding/binary"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/point"
)

// columns are the rows of a call, as bytes, and the memory for their verdicts and results.
type columns struct {
	device.Call
	Options
	scheme  *scheme
	records bool // the columns are fields of Records

	// audit lists, in order, the numbers of the rows that the CPU computes again after a device, or
	// is nil.
	audit []int
}

// newColumns returns the rows of a call. The call's kind must have a scheme.
func newColumns(c *device.Call, o Options) *columns {
	return &columns{Call: *c, Options: o, scheme: schemeOf(c.Kind)}
}

func at32(c *device.Column, i int) *[32]byte { return (*[32]byte)(c.Data[i*c.Stride:]) }
func at33(c *device.Column, i int) *[33]byte { return (*[33]byte)(c.Data[i*c.Stride:]) }
func at64(c *device.Column, i int) *[64]byte { return (*[64]byte)(c.Data[i*c.Stride:]) }
func at65(c *device.Column, i int) *[65]byte { return (*[65]byte)(c.Data[i*c.Stride:]) }

// mayHaveEquations reports whether rows of the call can have equations. Rows under prepared keys
// have none: their tables make each row cheap.
func (c *columns) mayHaveEquations() bool {
	return c.scheme.equation != nil && c.Kind == c.scheme.kind &&
		(c.scheme.evenNonce || c.Columns[3].Data != nil)
}

// haveEquations reports whether every well-formed row of the call has an equation.
func (c *columns) haveEquations() bool {
	return c.mayHaveEquations() && (c.scheme.evenNonce || !c.records || !c.any(hasID, false))
}

// prepare makes room in dst for n rows, which calls of the method parse set later.
func (c *columns) prepare(dst *Rows, n int) {
	dst.resize(n)
	if c.scheme.arrays != nil {
		c.scheme.arrays(dst)
	}
	if c.Key != nil {
		dst.needTables()
	}
}

// parse sets rows lo to hi − 1 of dst, where row k is row first + k of the call, or if the call is
// audited, the row with the number audit[first+k]. Several goroutines may call it at a time.
func (c *columns) parse(dst *Rows, first, lo, hi int) {
	for k := lo; k < hi; k++ {
		i := first + k
		if c.audit != nil {
			i = c.audit[i]
		}
		c.scheme.parse(c, row{dst, k}, i)
	}
}

// setKey sets the key of r, the key of row i.
func (c *columns) setKey(r row, i int) {
	column := &c.Columns[1]
	switch {
	case c.Key != nil:
		r.setPoint(c.Key(i))
	case c.Kind != c.scheme.kind:
		k := uint64(binary.LittleEndian.Uint32(column.Data[i*column.Stride:]))
		if k >= uint64(len(c.Keys)/device.PointSize) {
			r.refuse(KeyMissing)
			return
		}
		key := [device.KeySize]byte{0x04}
		copy(key[1:], c.Keys[k*device.PointSize:])
		r.setUncompressedKey(&key) // zeros are not on the curve
	case c.records:
		c.record(i).parseKey(r)
	case c.scheme.xOnly || c.Rules&XOnly != 0:
		r.setKeyX(at32(column, i))
	case c.Rules&device.Uncompressed != 0:
		r.setUncompressedKey(at65(column, i))
	default:
		r.setCompressedKey(at33(column, i))
	}
}

// state returns the flags of row i, as in a [Record].
func (c *columns) state(i int) (state byte) {
	if c.records {
		return c.record(i)[recordState]
	}
	if c.Columns[3].Data != nil {
		state |= hasID
	}
	if c.Rules&device.Hashed != 0 {
		state |= isChallenge
	}
	return state
}

// store stores the verdicts, reasons and results of the block of j, which holds the rows from lo to
// hi. If the rows are audited, it returns false if the device has found another verdict or result.
func (c *columns) store(j *job, lo, hi int) bool {
	size := ResultSize(c.Kind)
	if c.audit == nil {
		copy(c.Verdicts[lo:hi], j.block.verdicts)
		if c.Reasons != nil {
			copy(c.Reasons[lo:hi], j.block.reasons)
		}
		c.putResults(c.Results[lo*size:hi*size], j)
		return true
	}
	results := make([]byte, (hi-lo)*size)
	c.putResults(results, j)
	for k, i := range c.audit[lo:hi] {
		v, found, want := &c.Verdicts[i], c.Results[i*size:][:size], results[k*size:][:size]
		if *v != Unchecked && (*v != j.block.verdicts[k] || !bytes.Equal(found, want)) {
			return false
		}
		*v = j.block.verdicts[k]
		copy(found, want)
		if c.Reasons != nil {
			c.Reasons[i] = j.block.reasons[k]
		}
	}
	return true
}

// putResults writes the results of a block to dst. Rows that are not Valid have zeros.
func (c *columns) putResults(dst []byte, j *job) {
	clear(dst)
	switch size := ResultSize(c.Kind); size {
	case device.AddressSize:
		putAddresses(dst, j)
	case device.KeySize:
		for row, p := range j.points {
			putUncompressed((*[device.KeySize]byte)(dst[row*size:]), p)
		}
	case xSize:
		for row, p := range j.points {
			p.X.PutBytes((*[xSize]byte)(dst[row*size:]))
		}
	}
}

// putUncompressed sets b to the uncompressed encoding of p.
func putUncompressed(b *[device.KeySize]byte, p *point.Affine) {
	b[0] = 0x04
	p.X.PutBytes((*[32]byte)(b[1:33]))
	p.Y.PutBytes((*[32]byte)(b[33:]))
}

// isPoint sets p to the point with the coordinates in b, 64 bytes, if it is a point of the curve.
func isPoint(p *point.Affine, b []byte) (ok bool, why Reason) {
	switch {
	case !p.X.SetBytes((*[32]byte)(b)).Bool() || !p.Y.SetBytes((*[32]byte)(b[32:])).Bool():
		return false, KeyRange
	case !p.IsOnCurve().Bool():
		return false, KeyNotOnCurve
	}
	return true, NoReason
}
