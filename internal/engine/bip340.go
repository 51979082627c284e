package engine

import (
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// bip340 verifies the signatures of BIP-340. A row has the key P, the nonce coordinate x and the
// challenge e. It is valid if R = s·G − e·P has an even y coordinate and the x coordinate x.
// BIP-340 takes P with an even y. A row whose key has an odd y is not negated: the factor of P is e
// instead of −e.
//
//layers:allow a constant
var bip340 = scheme{
	kind: Schnorr, all: device.AllSchnorr, noPoint: KeyNotOnCurve, unequal: WrongSignature,
	arrays:    (*Rows).needMessages,
	parse:     parseBIP340,
	scalars:   func(j *Job) (a, b []scalar.Scalar) { return j.rows.a, j.rows.b },
	judge:     judgeBIP340,
	equation:  equationBIP340,
	evenNonce: true, isUndecided: isUndecidedBIP340, layout: layoutBIP340, export: exportBIP340,
}

func parseBIP340(s *columns, r Row, i int) {
	c := s.call
	if !s.setPrepared(r, i) {
		r.SetKeyX(at32(&c.Columns[1], i)[:])
	}
	sig, msg := at64(&c.Columns[2], i), at32(&c.Columns[0], i)
	if c.Rules&device.Hashed != 0 {
		r.SetSchnorrHashed(msg, sig)
	} else {
		r.SetSchnorr(msg[:], sig[:])
	}
}

func judgeBIP340(j *Job) {
	n := j.rows.Len()
	j.backend(n).ToAffine(j.q[:n], j.ok[:n], j.r[:n])
	for i := range n {
		R := &j.q[i]
		j.setValid(i, j.ok[i] && R.X.Equal(&j.rows.x[i]).Bool() && !R.Y.IsOdd().Bool())
	}
}

func equationBIP340(e *Equation, _, lo, hi int) bool {
	r := &e.rows
	r.hash(lo, hi)
	copy(e.a[lo:hi], r.a[lo:hi])
	copy(e.b[lo:hi], r.b[lo:hi])
	copy(e.x[lo:hi], r.x[lo:hi])
	for i := lo; i < hi; i++ {
		if r.isOdd(i) {
			e.b[i].Neg(&e.b[i])
		}
	}
	return true
}

func isUndecidedBIP340(c *device.Call, i int) bool {
	sig := at64(&c.Columns[2], i)
	return isField(at32(&c.Columns[1], i)) &&
		isField((*[32]byte)(sig[:32])) && isScalar((*[32]byte)(sig[32:]))
}

// layoutBIP340 lets the device hash the messages if all messages have 32 bytes. Otherwise the CPU
// hashes all of them.
func layoutBIP340(r *Rows, list []int) (rules device.Rules, widths [4]int) {
	if slices.ContainsFunc(list, func(i int) bool { return r.flags[i]&unhashed == 0 }) {
		rules = device.Hashed
	}
	return rules, [4]int{32, 32, 64}
}

func exportBIP340(r *Rows, c *device.Call, k, i int) {
	first, sig := at32(&c.Columns[0], k), at64(&c.Columns[2], k)
	if c.Rules&device.Hashed != 0 {
		// The row's factor b of the key is −e if the key has an even y, and e if it has an odd y.
		e := r.b[i]
		if !r.isOdd(i) {
			e.Neg(&e)
		}
		e.PutBytes(first)
	} else {
		*first = r.messages[i]
	}
	r.p[i].X.PutBytes(at32(&c.Columns[1], k))
	r.x[i].PutBytes((*[32]byte)(sig[:32]))
	r.a[i].PutBytes((*[32]byte)(sig[32:]))
}

// SetSchnorr sets a BIP-340 signature on a message of any length. If the row's key has an odd y
// coordinate, the signature is verified under the key's negative. The row is malformed if sig is
// not 64 bytes long, if its first half is not below p, or if its second half is not below n.
//
// If the message has 32 bytes, its challenge is computed later, by [Rows.hash].
func (r Row) SetSchnorr(msg, sig []byte) {
	if !r.need(len(sig) == 64, SignatureLength) || !r.setSchnorrSignature((*[64]byte)(sig)) {
		return
	}
	if len(msg) == 32 {
		r.rows.needMessages()
		r.rows.messages[r.i] = [32]byte(msg)
		r.rows.flags[r.i] |= unhashed
		return
	}
	var x, e [32]byte // encoded again, because the bytes of sig may have changed
	r.rows.x[r.i].PutBytes(&x)
	r.rows.p[r.i].X.PutBytes(&e)
	hash.Challenge(&e, &x, &e, msg)
	r.setChallenge(&e)
}

// SetSchnorrHashed sets a signature like SetSchnorr, but takes the challenge (the hash of the nonce
// point, the key and the message) in place of the message.
func (r Row) SetSchnorrHashed(challenge *[32]byte, sig *[64]byte) {
	if r.setSchnorrSignature(sig) {
		r.setChallenge(challenge)
	}
}

// setSchnorrSignature sets everything but the challenge. It reports whether the row still needs a
// verdict: false if the row is malformed.
func (r Row) setSchnorrSignature(sig *[64]byte) bool {
	return r.need(r.rows.x[r.i].SetBytes((*[32]byte)(sig[:32])).Bool(), RRange) &&
		r.need(r.rows.a[r.i].SetBytes((*[32]byte)(sig[32:])).Bool(), SRange)
}

// setChallenge sets the challenge e of a row whose key and signature are set.
func (r Row) setChallenge(e *[32]byte) {
	f, b := &r.rows.flags[r.i], &r.rows.b[r.i]
	*f &^= unhashed
	b.SetBytes(e)
	if *f&lift != 0 || !r.rows.p[r.i].Y.IsOdd().Bool() {
		b.Neg(b)
	}
}

// hash computes the missing challenges of the rows from lo to hi, sixteen at a time. With 512-bit
// vectors that takes a quarter of the time of hashing one by one.
func (r *Rows) hash(lo, hi int) {
	if r.messages == nil {
		return
	}
	var list [hash.Sixteen]int
	n := 0
	for i := lo; i < hi; i++ {
		if r.flags[i]&unhashed == 0 {
			continue
		}
		list[n] = i
		if n++; n == len(list) {
			r.hashSixteen(list[:])
			n = 0
		}
	}
	if n > 0 {
		r.hashSixteen(list[:n])
	}
}

// hashSixteen computes the challenges of the rows whose numbers are in list, at most sixteen.
func (r *Rows) hashSixteen(list []int) {
	var e [hash.Sixteen][32]byte
	var rows [hash.Sixteen * hash.RowSize]byte
	for k, i := range list {
		row := rows[k*hash.RowSize:]
		r.x[i].PutBytes((*[32]byte)(row))
		r.p[i].X.PutBytes((*[32]byte)(row[32:]))
		copy(row[64:], r.messages[i][:])
		if len(list) < profile.Current().Challenges {
			hash.Challenge(&e[k], (*[32]byte)(row), (*[32]byte)(row[32:]), row[64:96])
		}
	}
	if len(list) >= profile.Current().Challenges {
		hash.Challenges(&e, &rows, len(list))
	}
	for k, i := range list {
		Row{r, i}.setChallenge(&e[k])
	}
}
