package engine

import (
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/dsa"
)

// recovery is the scheme that finds the key of a signature (SEC 1 version 2, section 4.1.6). The
// recovery id and the signature's r give the x coordinate of the nonce point R and the parity of
// its y. With the number z of the hash, the key is (s·R − z·G)/r. The multiple of a row is (a·G +
// b·P)/d for the row's point P and numbers a, b and d, so here P = R, a = −z, b = s and d = r.
//
//layers:allow a constant
var recovery = scheme{
	kind: device.Recover, noPoint: NoncePoint, unequal: Infinity,
	parse:    parseRecovery,
	multiply: (*job).divideAndMultiply,
	judge:    (*job).findProducts,
}

// parseRecovery sets a row to a recoverable signature: r, s and the recovery id, 65 bytes. The row
// is malformed if r or s is not in [1, n) or if the id is above 3. It is invalid if the rule is low
// s and s is above n/2, or if the id says that the nonce's x coordinate is r + n but r + n is not
// below p.
func parseRecovery(c *columns, r *row, i int) {
	sig := at65(&c.Columns[1], i)
	id := sig[64]
	r.lift, r.odd = true, id&1 == 1
	if !r.setNumbers((*[64]byte)(sig[:64])) || !r.need(id <= 3, RecoveryIDRange) {
		return
	}
	r.setHash(at32(&c.Columns[0], i), c.Rules&device.LowS != 0)
	r.b, r.d = r.d, r.b
	r.a.Neg(&r.a)
	_ = r.need(!r.high, HighS) && r.need(dsa.NonceX(&r.p.X, &r.d, id), NoncePoint)
}
