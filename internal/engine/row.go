package engine

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A Row is one of [Rows], for it to be set: first the key, then the signature. A row that
// cannot be parsed has a verdict at once. A Row is valid until rows are added.
type Row struct {
	rows *Rows
	i    int
}

// NewRow returns a row of its own, which is malformed until it is set.
func NewRow() Row {
	s := &struct {
		rows     Rows
		flags    [1]flags
		verdicts [1]Verdict
		p        [1]point.Affine
		x        [1]field.Element
		a, b     [1]scalar.Scalar
		messages [1][32]byte
	}{}
	s.rows = Rows{
		flags: s.flags[:], verdicts: s.verdicts[:],
		p: s.p[:], x: s.x[:], a: s.a[:], b: s.b[:], messages: s.messages[:],
	}
	r := Row{&s.rows, 0}
	r.SetMalformed()
	return r
}

// Verdict returns the verdict that parsing came to, or Unchecked.
func (r Row) Verdict() Verdict { return r.rows.verdicts[r.i] }

// reset begins the row anew, with flags for its key, and returns that. All numbers are
// zero: the memory may hold an earlier row.
func (r Row) reset(f flags) *point.Affine {
	r.rows.flags[r.i], r.rows.verdicts[r.i] = f, Unchecked
	r.rows.x[r.i] = field.Element{}
	r.rows.a[r.i], r.rows.b[r.i] = scalar.Scalar{}, scalar.Scalar{}
	if r.rows.tables != nil {
		r.rows.tables[r.i] = nil
	}
	p := &r.rows.p[r.i]
	*p = point.Affine{}
	return p
}

// need makes the row malformed unless ok, and returns whether it has no verdict.
func (r Row) need(ok bool) bool {
	verdict := &r.rows.verdicts[r.i]
	if !ok {
		*verdict = Malformed
	}
	return *verdict == Unchecked
}

// SetMalformed makes the row malformed.
func (r Row) SetMalformed() {
	r.reset(0)
	r.need(false)
}

// SetKeyX sets the key of BIP-340 with the x coordinate that b encodes
// (lift_x). It is malformed if that is not below p, or no coordinate of a point.
func (r Row) SetKeyX(b *[32]byte) {
	p := r.reset(lift)
	r.need(p.X.SetBytes(b).Bool())
}

// SetKeyCompressed sets the key with the 33-byte encoding b (SEC 1 version 2,
// section 2.3.4). It is malformed if the first byte is not 0x02 or 0x03, if x is
// not below p, or no coordinate of a point.
func (r Row) SetKeyCompressed(b *[33]byte) {
	f := lift
	if b[0]&1 == 1 {
		f |= odd
	}
	p := r.reset(f)
	r.need(b[0]&^1 == 0x02 && p.X.SetBytes((*[32]byte)(b[1:])).Bool())
}

// SetKeyUncompressed sets the key with the 65-byte encoding b. It is malformed
// if the first byte is not 0x04, if a coordinate is not below p, or if they are
// not those of a point.
func (r Row) SetKeyUncompressed(b *[65]byte) {
	p := r.reset(0)
	r.need(b[0] == 0x04 && p.X.SetBytes((*[32]byte)(b[1:33])).Bool() &&
		p.Y.SetBytes((*[32]byte)(b[33:])).Bool() && p.IsOnCurve().Bool())
}

// SetKey sets the key p, a point of the curve with canonical coordinates, and a
// table of it, which may be nil. It is malformed if p is nil.
func (r Row) SetKey(p *point.Affine, table *vartime.SplitTable) {
	key := r.reset(0)
	if !r.need(p != nil) {
		return
	}
	*key = *p
	if table != nil {
		r.rows.needTables()
		r.rows.tables[r.i] = table
	}
}

// SetSchnorr sets a signature of BIP-340 on a message of any length. If the key
// has an odd y coordinate, the key of the signature is its opposite. It is malformed
// if sig is not 64 bytes long, its first half not below p, or its second not below n.
//
// The challenges for messages of 32 bytes are left to [Rows.hash].
func (r Row) SetSchnorr(msg, sig []byte) {
	if !r.need(len(sig) == 64) || !r.setSchnorrSignature((*[64]byte)(sig)) {
		return
	}
	if len(msg) == 32 {
		r.rows.needMessages()
		r.rows.messages[r.i] = [32]byte(msg)
		r.rows.flags[r.i] |= unhashed
		return
	}
	var e [32]byte
	r.rows.p[r.i].X.PutBytes(&e)
	hash.Challenge(&e, (*[32]byte)(sig[:32]), &e, msg)
	r.SetChallenge(&e)
}

// SetSchnorrHashed is SetSchnorr with the challenge, the hash of the nonce point, the
// key and the message, for a message that is not known.
func (r Row) SetSchnorrHashed(challenge *[32]byte, sig *[64]byte) {
	if r.setSchnorrSignature(sig) {
		r.SetChallenge(challenge)
	}
}

// setSchnorrSignature sets all but the challenge, and returns whether the row has no
// verdict.
func (r Row) setSchnorrSignature(sig *[64]byte) bool {
	return r.need(r.rows.x[r.i].SetBytes((*[32]byte)(sig[:32])).Bool() &&
		r.rows.a[r.i].SetBytes((*[32]byte)(sig[32:])).Bool())
}

// SetChallenge sets the challenge of a row that has a key and a signature.
func (r Row) SetChallenge(e *[32]byte) {
	f, b := &r.rows.flags[r.i], &r.rows.b[r.i]
	*f &^= unhashed
	// R = s·G − e·P.
	b.SetBytes(e)
	if *f&lift != 0 || !r.rows.p[r.i].Y.IsOdd().Bool() {
		b.Neg(b)
	}
}

// SetECDSA sets a signature on a hash: 64 bytes, r and s, big-endian. A hash
// that is not 32 bytes long is taken by the rule of SEC 1 version 2, section
// 4.1.3, step 5. With lowS, a row with s above n/2 is not valid. It is malformed
// if the hash is shorter than [hash.MinSize] or if r or s is not in [1, n).
func (r Row) SetECDSA(h []byte, sig *[64]byte, lowS bool) {
	rb := (*[32]byte)(sig[:32])
	a, b := &r.rows.a[r.i], &r.rows.b[r.i]
	// a holds r for a moment: as a number below n and as an element of the
	// field it has the same limbs.
	if !r.need(len(h) >= hash.MinSize && a.SetBytes(rb).Bool() && !a.IsZero().Bool() &&
		b.SetBytes((*[32]byte)(sig[32:])).Bool() && !b.IsZero().Bool()) {
		return
	}
	r.rows.x[r.i].SetBytes(rb)
	if lowS && b.IsHigh().Bool() {
		r.rows.flags[r.i] |= high
	}
	setHash(a, h)
}

// SetECDSARecoverable sets a signature as SetECDSA does, with the recovery id
// that tells which point its r belongs to: r, s and the id, 65 bytes. It is
// malformed also if the id is above 3. The id says nothing about the verdict; a
// right one makes the row fit for an [Equation].
func (r Row) SetECDSARecoverable(h []byte, sig *[65]byte, lowS bool) {
	r.SetECDSA(h, (*[64]byte)(sig[:64]), lowS)
	r.SetRecoveryID(sig[64])
}

// SetRecoveryID completes SetECDSA with a recovery id, as SetECDSARecoverable does.
func (r Row) SetRecoveryID(id byte) {
	if r.need(id <= 3) {
		r.rows.flags[r.i] |= flags(1+id) << idShift
	}
}

// SetRecover sets a recoverable signature on a hash: r, s and the recovery id, 65
// bytes. It is malformed if r or s is not in [1, n) or the id above 3, and
// invalid if no key can come of it: s is above n/2 with lowS, or the id asks for
// r + n and that is not below p.
func (r Row) SetRecover(h []byte, sig *[65]byte, lowS bool) {
	id := sig[64]
	f := lift
	if id&1 == 1 {
		f |= odd
	}
	p := r.reset(f)
	if !r.need(id <= 3) {
		return
	}
	if r.SetECDSA(h, (*[64]byte)(sig[:64]), lowS); r.Verdict() != Unchecked {
		return
	}
	p.X = r.rows.x[r.i]
	if id&2 != 0 {
		var n scalar.Scalar
		toScalar(&n, &p.X)
		if !vartime.AddOrder(&p.X, &n) {
			r.rows.verdicts[r.i] = Invalid
		}
	}
	if r.rows.flags[r.i]&high != 0 {
		r.rows.verdicts[r.i] = Invalid
	}
	// Q = (s·R − z·G)/r.
	a := &r.rows.a[r.i]
	a.Neg(a)
}

// setHash sets z to the number that a hash stands for, mod n.
func setHash(z *scalar.Scalar, h []byte) {
	var b [32]byte
	hash.Leftmost(&b, h)
	z.SetBytes(&b)
}

// toScalar sets r to x, which is canonical and below n.
func toScalar(r *scalar.Scalar, x *field.Element) {
	l := x.Limbs()
	r.SetLimbs(&l)
}

// hasEquation returns whether an equation for row i is known: its nonce point, and no
// verdict, nor that it cannot be valid.
func (r *Rows) hasEquation(kind Kind, i int) bool {
	return r.verdicts[i] == Unchecked &&
		(kind == Schnorr || r.flags[i].id() != 0 && r.flags[i]&high == 0)
}

// isCostly returns whether to verify row i by itself has arithmetic that is worth
// counting: no verdict came of parsing, nor that there is but a square root to take.
func (r *Rows) isCostly(i int) bool {
	return r.verdicts[i] == Unchecked && r.flags[i]&high == 0
}

// isOdd returns whether the key of row i has an odd y coordinate.
func (r *Rows) isOdd(i int) bool {
	if f := r.flags[i]; f&lift != 0 {
		return f&odd != 0
	}
	return r.p[i].Y.IsOdd().Bool()
}
