package engine

import (
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// ecdsa verifies signatures (SEC 1 version 2, section 4.1.4). P is the row's key, z the number made
// of the hash, and (r, s) the signature. The row is valid if the x coordinate of R = (z/s)·G +
// (r/s)·P equals r modulo n. The row's fields are a = z, b = r and d = s.
//
//layers:allow a constant
var ecdsa = scheme{
	kind: ECDSA, all: device.AllECDSA, noPoint: KeyNotOnCurve, unequal: WrongSignature,
	arrays:   (*Rows).needDivisors,
	parse:    parseECDSA,
	scalars:  (*job).divide,
	judge:    judgeECDSA,
	equation: equationECDSA,
}

func parseECDSA(c *columns, r row, i int) {
	c.setKey(r, i)
	state := c.state(i)
	if !r.need(state&wrongLength == 0, SignatureLength) ||
		!r.setNumbers(at64(&c.Columns[2], i)) ||
		!r.need(state&shortHash == 0, HashLength) {
		return
	}
	r.setHash(at32(&c.Columns[0], i), c.Rules&device.LowS != 0)
	if state&hasID == 0 {
		return
	}
	if id := c.Columns[3].Data[i*c.Columns[3].Stride]; r.need(id <= 3, RecoveryIDRange) {
		r.rows.flags[r.i] |= flags(1+id) << idShift
	}
}

func judgeECDSA(j *job) {
	for i := range j.rows.Len() {
		j.setValid(i, vartime.EqualXModN(&j.r[i], &j.rows.b[i]))
	}
}

// equationECDSA finds the x coordinate of the nonce point R from r and the recovery id: it is r, or
// r + n. If the id says that R has an odd y coordinate, a and b are negated, because an equation
// uses the point with an even y.
func equationECDSA(e *equation, worker, lo, hi int) bool {
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

// setNumbers sets the numbers r and s of a signature, big-endian. The row is malformed if one of
// them is not in [1, n).
func (r row) setNumbers(sig *[64]byte) bool {
	return r.need(r.rows.b[r.i].SetNonzeroBytes((*[32]byte)(sig[:32])).Bool(), RRange) &&
		r.need(r.rows.d[r.i].SetNonzeroBytes((*[32]byte)(sig[32:])).Bool(), SRange)
}

// setHash sets the hash of a row whose r and s are set. With lowS, the row is not valid if s is
// above n/2.
func (r row) setHash(h *[32]byte, lowS bool) {
	if lowS && r.rows.d[r.i].IsHigh().Bool() {
		r.rows.flags[r.i] |= high
	}
	dsa.SetHash(&r.rows.a[r.i], h[:])
}
