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
	parse:    parseECDSA,
	multiply: (*job).divideAndMultiply,
	judge:    judgeECDSA,
	equation: equationECDSA,
}

func parseECDSA(c *columns, r *row, i int) {
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
		r.id = 1 + id
	}
}

func judgeECDSA(j *job) {
	for k, r := range j.rows {
		j.setValid(r, vartime.EqualXModN(&j.r[k], &r.b))
	}
}

// equationECDSA finds the x coordinate of the nonce point R from r and the recovery id: it is r, or
// r + n. If the id says that R has an odd y coordinate, a and b are negated, because an equation
// uses the point with an even y.
func equationECDSA(e *equation, worker, lo, hi int) bool {
	for i := lo; i < hi; i++ {
		e.a[i], e.b[i], e.z[i] = e.rows[i].a, e.rows[i].b, e.rows[i].d
	}
	chooseBackend(&e.workers[worker].lanes, 1, hi-lo, profile.Current().Divisions).
		Divide(e.a[lo:hi], e.b[lo:hi], e.z[lo:hi], e.full[lo:hi])
	for i := lo; i < hi; i++ {
		r := e.rows[i]
		id := r.id - 1
		if !dsa.NonceX(&e.x[i], &r.b, id) {
			return false
		}
		if id&1 != 0 {
			e.a[i].Neg(&e.a[i])
		}
		if (id&1 != 0) != r.isOdd() {
			e.b[i].Neg(&e.b[i])
		}
	}
	return true
}

// setNumbers sets the numbers r and s of a signature, big-endian. The row is malformed if one of
// them is not in [1, n).
func (r *row) setNumbers(sig *[64]byte) bool {
	return r.need(r.b.SetNonzeroBytes((*[32]byte)(sig[:32])).Bool(), RRange) &&
		r.need(r.d.SetNonzeroBytes((*[32]byte)(sig[32:])).Bool(), SRange)
}

// setHash sets the hash of a row whose r and s are set. With lowS, the row is not valid if s is
// above n/2.
func (r *row) setHash(h *[32]byte, lowS bool) {
	r.high = lowS && r.d.IsHigh().Bool()
	dsa.SetHash(&r.a, h[:])
}
