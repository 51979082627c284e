package engine

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/point"
)

// columns is a source: rows of a call, parsed from the columns of the caller.
type columns struct {
	call *device.Call
	// key sets the key of row i of a prepared kind. If it is nil the key is read from the
	// call's set.
	key func(row Row, i int)
	// first is the number of the first row.
	first int
	// index lists the numbers of the rows; nil means all from first on. The verdict and the
	// result of row index[k] go to place k.
	index []int
}

func at32(c *device.Column, i int) *[32]byte { return (*[32]byte)(c.Data[i*c.Stride:]) }
func at33(c *device.Column, i int) *[33]byte { return (*[33]byte)(c.Data[i*c.Stride:]) }
func at64(c *device.Column, i int) *[64]byte { return (*[64]byte)(c.Data[i*c.Stride:]) }
func at65(c *device.Column, i int) *[65]byte { return (*[65]byte)(c.Data[i*c.Stride:]) }

// makeRoom gives rows the length n. parse then sets the rows.
func (s *columns) makeRoom(rows *Rows, n int) {
	rows.resize(n)
	if base(s.call.Kind) == Schnorr {
		rows.needMessages() // here, because parse is called by several goroutines
	}
	if s.key != nil {
		rows.needTables()
	}
}

// parse sets the rows from lo to hi to the rows of the call from number i on.
func (s *columns) parse(rows *Rows, lo, hi, i int) {
	for k := lo; k < hi; k, i = k+1, i+1 {
		if s.index != nil {
			s.parseRow(Row{rows, k}, s.index[i])
		} else {
			s.parseRow(Row{rows, k}, i)
		}
	}
}

// parseRow sets r to row i of the call.
func (s *columns) parseRow(r Row, i int) {
	c := s.call
	switch c.Kind {
	case Schnorr, device.PreparedSchnorr:
		if c.Kind == device.PreparedSchnorr {
			s.setPrepared(r, i)
		} else {
			r.SetKeyX(at32(&c.Columns[1], i))
		}
		sig, msg := at64(&c.Columns[2], i), at32(&c.Columns[0], i)
		if c.Rules&device.Hashed != 0 {
			r.SetSchnorrHashed(msg, sig)
		} else {
			r.SetSchnorr(msg[:], sig[:])
		}
	case ECDSA, device.PreparedECDSA:
		switch {
		case c.Kind == device.PreparedECDSA:
			s.setPrepared(r, i)
		case c.Rules&device.Uncompressed != 0:
			r.SetKeyUncompressed(at65(&c.Columns[1], i))
		default:
			r.SetKeyCompressed(at33(&c.Columns[1], i))
		}
		r.SetECDSA(at32(&c.Columns[0], i)[:], at64(&c.Columns[2], i), c.Rules&device.LowS != 0)
		if ids := &c.Columns[3]; ids.Data != nil {
			r.SetRecoveryID(ids.Data[i*ids.Stride])
		}
	case Recover, device.RecoverAddress:
		r.SetRecover(at32(&c.Columns[0], i)[:], at65(&c.Columns[1], i), c.Rules&device.LowS != 0)
	case Decompress:
		r.SetKeyCompressed(at33(&c.Columns[0], i))
	case PublicKeys:
		r.SetScalar(at32(&c.Columns[0], i))
	}
}

// setPrepared sets the key of r to that of row i of a prepared kind.
func (s *columns) setPrepared(r Row, i int) {
	if s.key != nil {
		s.key(r, i)
		return
	}
	numbers := &s.call.Columns[1]
	k := uint64(binary.LittleEndian.Uint32(numbers.Data[i*numbers.Stride:]))
	if k >= uint64(len(s.call.Keys)/device.PointSize) {
		r.SetMalformed()
		return
	}
	key := [device.KeySize]byte{0x04}
	copy(key[1:], s.call.Keys[k*device.PointSize:])
	r.SetKeyUncompressed(&key) // zeros are not on the curve
}

func (s *columns) block(j *Job, lo, hi int) *Rows {
	s.makeRoom(&j.room, hi-lo)
	s.parse(&j.room, 0, hi-lo, s.first+lo)
	return &j.room
}

func (s *columns) store(j *Job, lo, hi int) bool {
	lo, hi = s.first+lo, s.first+hi
	copy(s.call.Verdicts[lo:hi], j.Verdicts())
	if size := s.call.Kind.ResultSize(); size > 0 && s.call.Results != nil {
		out := s.call.Results[lo*size : hi*size]
		clear(out)
		if s.call.Kind == device.RecoverAddress {
			putAddresses(out, j)
			return true
		}
		for place, p := range j.Points {
			putUncompressed((*[device.KeySize]byte)(out[place*size:]), p)
		}
	}
	return true
}

func putUncompressed(b *[device.KeySize]byte, p *point.Affine) {
	b[0] = 0x04
	p.X.PutBytes((*[32]byte)(b[1:33]))
	p.Y.PutBytes((*[32]byte)(b[33:]))
}
