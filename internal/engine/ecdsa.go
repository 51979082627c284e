package engine

import (
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// ecdsa verifies signatures (SEC 1 version 2, section 4.1.4). P is the row's key, z the number made
// of the hash, and (r, s) the signature. The row is valid if the x coordinate of R = (z/s)·G +
// (r/s)·P equals r modulo n. The row's fields are a = z, b = r and d = s.
//
//layers:allow a constant
var ecdsa = scheme{
	kind: ECDSA, all: device.AllECDSA, noPoint: KeyNotOnCurve, unequal: WrongSignature,
	arrays:      (*Rows).needDivisors,
	parse:       parseECDSA,
	scalars:     (*Job).divide,
	judge:       judgeECDSA,
	equation:    equationECDSA,
	isUndecided: isUndecidedECDSA, layout: layoutECDSA, export: exportECDSA,
}

func parseECDSA(s *columns, r Row, i int) {
	c := s.call
	switch {
	case s.setPrepared(r, i):
	case c.Rules&device.Uncompressed != 0:
		r.SetEncodedKey(at65(&c.Columns[1], i)[:])
	default:
		r.SetEncodedKey(at33(&c.Columns[1], i)[:])
	}
	r.SetECDSA(at32(&c.Columns[0], i)[:], at64(&c.Columns[2], i)[:], c.Rules&device.LowS != 0)
	if ids := &c.Columns[3]; ids.Data != nil {
		r.SetRecoveryID(ids.Data[i*ids.Stride])
	}
}

func judgeECDSA(j *Job) {
	for i := range j.rows.Len() {
		j.setValid(i, vartime.EqualXModN(&j.r[i], &j.rows.b[i]))
	}
}

// equationECDSA finds the x coordinate of the nonce point R from r and the recovery id: it is r, or
// r + n. If the id says that R has an odd y coordinate, a and b are negated, because an equation
// uses the point with an even y.
func equationECDSA(e *Equation, worker, lo, hi int) bool {
	r := &e.rows
	copy(e.a[lo:hi], r.a[lo:hi])
	copy(e.b[lo:hi], r.b[lo:hi])
	copy(e.z[lo:hi], r.d[lo:hi])
	e.backend(worker, hi-lo, profile.Current().Divisions).
		Divide(e.a[lo:hi], e.b[lo:hi], e.z[lo:hi], e.full[lo:hi])
	for i := lo; i < hi; i++ {
		id := r.flags[i].id() - 1
		if !dsa.NonceX(&e.x[i], &r.b[i], id) {
			return false
		}
		if id&1 != 0 {
			e.a[i].Neg(&e.a[i])
		}
		if (id&1 != 0) != r.isOdd(i) {
			e.b[i].Neg(&e.b[i])
		}
	}
	return true
}

func isUndecidedECDSA(c *device.Call, i int) bool {
	sig, ids := at64(&c.Columns[2], i), &c.Columns[3]
	r, s := (*[32]byte)(sig[:32]), (*[32]byte)(sig[32:])
	return isKey(c, i) && isDivisor(r) && isDivisor(s) &&
		!(c.Rules&device.LowS != 0 && isHigh(s)) &&
		(ids.Data == nil || ids.Data[i*ids.Stride] <= 3)
}

// layoutECDSA leaves out the column of recovery ids if a row has none. It needs no rule LowS: list
// has no row whose s is too high, because parsing refused those.
func layoutECDSA(r *Rows, list []int) (rules device.Rules, widths [4]int) {
	widths = [4]int{32, 33, 64, 1}
	if slices.ContainsFunc(list, func(i int) bool { return r.flags[i].id() == 0 }) {
		widths[3] = 0
	}
	return 0, widths
}

func exportECDSA(r *Rows, c *device.Call, k, i int) {
	key, sig := at33(&c.Columns[1], k), at64(&c.Columns[2], k)
	r.a[i].PutBytes(at32(&c.Columns[0], k))
	key[0] = 0x02
	if r.isOdd(i) {
		key[0] = 0x03
	}
	r.p[i].X.PutBytes((*[32]byte)(key[1:]))
	r.b[i].PutBytes((*[32]byte)(sig[:32]))
	r.d[i].PutBytes((*[32]byte)(sig[32:]))
	if ids := &c.Columns[3]; ids.Data != nil {
		ids.Data[k] = r.flags[i].id() - 1
	}
}

// SetECDSA sets a signature on the hash h: 64 bytes, r and s, big-endian. A hash of any length
// becomes a number as in SEC 1 version 2, section 4.1.3, step 5. With lowS, a row with s above n/2
// is not valid. The row is malformed if the hash is shorter than [hash.MinSize], if sig has another
// length, or if r or s is not in [1, n).
func (r Row) SetECDSA(h, sig []byte, lowS bool) {
	r.rows.needDivisors()
	b, d := &r.rows.b[r.i], &r.rows.d[r.i]
	if r.need(len(sig) == 64, SignatureLength) &&
		r.need(b.SetNonzeroBytes((*[32]byte)(sig[:32])).Bool(), RRange) &&
		r.need(d.SetNonzeroBytes((*[32]byte)(sig[32:])).Bool(), SRange) {
		r.finishECDSA(h, lowS)
	}
}

// SetECDSANumbers sets a signature like SetECDSA, but takes its numbers r (the parameter rr) and s.
func (r Row) SetECDSANumbers(h []byte, rr, s *scalar.Scalar, lowS bool) {
	r.rows.needDivisors()
	if r.need(!rr.IsZero().Bool(), RRange) && r.need(!s.IsZero().Bool(), SRange) {
		r.rows.b[r.i], r.rows.d[r.i] = *rr, *s
		r.finishECDSA(h, lowS)
	}
}

// finishECDSA sets the hash of a row whose r and s are set, and checks the rule for s.
func (r Row) finishECDSA(h []byte, lowS bool) {
	if !r.need(len(h) >= hash.MinSize, HashLength) {
		return
	}
	if lowS && r.rows.d[r.i].IsHigh().Bool() {
		r.rows.flags[r.i] |= high
	}
	dsa.SetHash(&r.rows.a[r.i], h)
}

// SetECDSARecoverable sets a signature as SetECDSA does, and its recovery id. sig is r, s and the
// id, 65 bytes. The row is malformed also if the id is above 3. The id changes no verdict, but only
// a row with the right id can be part of an [Equation] that holds.
func (r Row) SetECDSARecoverable(h, sig []byte, lowS bool) {
	if r.need(len(sig) == 65, SignatureLength) {
		r.SetECDSA(h, sig[:64], lowS)
		r.SetRecoveryID(sig[64])
	}
}

// SetRecoveryID adds a recovery id to a row that SetECDSA has set. The result is the row that
// SetECDSARecoverable sets.
func (r Row) SetRecoveryID(id byte) {
	if r.need(id <= 3, RecoveryIDRange) {
		r.rows.flags[r.i] |= flags(1+id) << idShift
	}
}
