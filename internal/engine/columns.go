package engine

import (
	"github.com/koblitz-go/koblitz/internal/device"
	"github.com/koblitz-go/koblitz/internal/point"
)

// columns are the rows of a call as they are in memory, on their way through the
// exact road: they are what Run calls.
type columns struct {
	call *device.Call
	// key sets the key of row i, if keys are not in a column.
	key func(row *Row, i int)
	// index names the rows, or is nil for all of them in order. Verdicts and results
	// of the n-th go to place n.
	index []int
}

func at32(c *device.Column, i int) *[32]byte { return (*[32]byte)(c.Data[i*c.Stride:]) }
func at33(c *device.Column, i int) *[33]byte { return (*[33]byte)(c.Data[i*c.Stride:]) }
func at64(c *device.Column, i int) *[64]byte { return (*[64]byte)(c.Data[i*c.Stride:]) }
func at65(c *device.Column, i int) *[65]byte { return (*[65]byte)(c.Data[i*c.Stride:]) }

// parse sets rows to those of the call from number lo on. Where challenges are missing
// they are left to pending, which is to be flushed.
func (s *columns) parse(rows []Row, lo int, pending *challenges) {
	c := s.call
	for k := range rows {
		r, i := &rows[k], lo+k
		if s.index != nil {
			i = s.index[i]
		}
		switch c.Kind {
		case Schnorr, device.AllSchnorr:
			s.parseSchnorr(rows, k, i, pending)
		case ECDSA, device.AllECDSA:
			if s.key != nil {
				s.key(r, i)
			} else {
				r.SetKeyCompressed(at33(&c.Cols[1], i))
			}
			r.SetECDSA(at32(&c.Cols[0], i)[:], at64(&c.Cols[2], i), c.LowS)
			if ids := &c.Cols[3]; ids.Data != nil {
				r.SetRecoveryID(ids.Data[i*ids.Stride])
			}
		case Recover:
			r.SetRecover(at32(&c.Cols[0], i)[:], at65(&c.Cols[1], i), c.LowS)
		case Decompress:
			r.SetKeyCompressed(at33(&c.Cols[0], i))
		case PublicKeys:
			r.SetScalar(at32(&c.Cols[0], i))
		}
	}
}

// parseSchnorr sets rows[k] to row i of the call.
func (s *columns) parseSchnorr(rows []Row, k, i int, pending *challenges) {
	c, r := s.call, &rows[k]
	var x [32]byte
	key := &x
	if s.key != nil {
		s.key(r, i)
		r.PutX(key)
	} else {
		key = at32(&c.Cols[1], i)
		r.SetKeyX(key)
	}
	sig := at64(&c.Cols[2], i)
	switch ok := r.SetSchnorrSignature(sig); {
	case !ok:
	case c.Hashed:
		r.SetChallenge(at32(&c.Cols[0], i))
	default:
		pending.add(rows, k, (*[32]byte)(sig[:32]), key, at32(&c.Cols[0], i))
	}
}

func (s *columns) Load(j *Job, lo, hi int) {
	for at := lo; at < hi; at += len(j.rows) {
		rows := j.rows[:min(len(j.rows), hi-at)]
		s.parse(rows, at, &j.pending)
		j.pending.flush(rows)
		for k := range rows {
			j.Append(&rows[k], at+k-lo)
		}
	}
}

func (s *columns) Store(j *Job, lo, hi int) bool {
	copy(s.call.Verdicts[lo:hi], j.Verdicts())
	if s.call.Out != nil {
		out := s.call.Out[lo*device.KeySize : hi*device.KeySize]
		clear(out)
		for place, p := range j.Points {
			putUncompressed((*[device.KeySize]byte)(out[place*device.KeySize:]), p)
		}
	}
	return true
}

func putUncompressed(b *[device.KeySize]byte, p *point.Affine) {
	b[0] = 0x04
	p.X.PutBytes((*[32]byte)(b[1:33]))
	p.Y.PutBytes((*[32]byte)(b[33:]))
}
