package engine

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A Row is one signature, or one key, after parsing: 176 bytes that hold no
// reference to what was parsed, except to the table of a prepared key. First
// the key is set, then the signature. A row that cannot be parsed has a verdict
// at once.
type Row struct {
	// p is the key, or the nonce point in recovery. Only its x coordinate is
	// known if lift is set, and odd is then the parity of the other one.
	p    point.Affine
	comb *vartime.Comb // a table of p, or nil
	lift bool
	odd  bool

	// high says that s is above n/2 where that is not allowed: whatever the
	// equation says, the row is not valid.
	high bool

	// nonce is 1 + the recovery id of an ECDSA signature, or 0 if none is known.
	nonce uint8

	verdict Verdict // Unchecked if parsing came to none

	x field.Element // of the nonce point; r as it was written, in ECDSA

	// What the row comes to is a·G + b·p. In ECDSA and recovery, both are yet to
	// be divided, by s and by r.
	a, b scalar.Scalar
}

// Verdict returns the verdict that parsing came to, or Unchecked.
func (r *Row) Verdict() Verdict { return r.verdict }

// need makes the row malformed unless ok, and returns whether it is not.
func (r *Row) need(ok bool) bool {
	if !ok {
		r.verdict = Malformed
	}
	return r.verdict == Unchecked
}

// SetMalformed makes the row malformed.
func (r *Row) SetMalformed() { *r = Row{verdict: Malformed} }

// SetKeyX sets the key of BIP-340 with the x coordinate that b encodes
// (lift_x). It is malformed if that is not below p, or no coordinate of a point.
func (r *Row) SetKeyX(b *[32]byte) {
	*r = Row{lift: true}
	r.need(r.p.X.SetBytes(b).Bool())
}

// SetKeyCompressed sets the key with the 33-byte encoding b (SEC 1 version 2,
// section 2.3.4). It is malformed if the first byte is not 0x02 or 0x03, if x is
// not below p, or no coordinate of a point.
func (r *Row) SetKeyCompressed(b *[33]byte) {
	*r = Row{lift: true, odd: b[0]&1 == 1}
	r.need(b[0]&^1 == 0x02 && r.p.X.SetBytes((*[32]byte)(b[1:])).Bool())
}

// SetKeyUncompressed sets the key with the 65-byte encoding b. It is malformed
// if the first byte is not 0x04, if a coordinate is not below p, or if they are
// not those of a point.
func (r *Row) SetKeyUncompressed(b *[65]byte) {
	*r = Row{}
	r.need(b[0] == 0x04 && r.p.X.SetBytes((*[32]byte)(b[1:33])).Bool() &&
		r.p.Y.SetBytes((*[32]byte)(b[33:])).Bool() && r.p.IsOnCurve().Bool())
}

// SetKey sets the key p, a point of the curve with canonical coordinates, and a
// table of it, which may be nil. It is malformed if p is nil.
func (r *Row) SetKey(p *point.Affine, comb *vartime.Comb) {
	*r = Row{comb: comb}
	if r.need(p != nil) {
		r.p = *p
	}
}

// PutX writes the x coordinate of the key to b, big-endian. If there is no key, b
// is anything.
func (r *Row) PutX(b *[32]byte) { r.p.X.PutBytes(b) }

// PutNonceX writes the x coordinate of the nonce point to b, big-endian: the
// first half of a signature that was set.
func (r *Row) PutNonceX(b *[32]byte) { r.x.PutBytes(b) }

// SetSchnorr sets a signature of BIP-340 on a message of any length. If the key
// has an odd y coordinate, the key of the signature is its opposite. It is
// malformed if the first half of sig is not below p or the second one not below
// n.
func (r *Row) SetSchnorr(msg []byte, sig *[64]byte) {
	if !r.SetSchnorrSignature(sig) {
		return
	}
	var e [32]byte
	r.PutX(&e)
	hash.Challenge(&e, (*[32]byte)(sig[:32]), &e, msg)
	r.SetChallenge(&e)
}

// SetSchnorrSignature is SetSchnorr without the message. It returns false if the
// row is malformed; if it is not, SetChallenge must follow.
func (r *Row) SetSchnorrSignature(sig *[64]byte) bool {
	return r.need(r.x.SetBytes((*[32]byte)(sig[:32])).Bool() && r.a.SetBytes((*[32]byte)(sig[32:])).Bool())
}

// SetChallenge completes SetSchnorrSignature with the challenge, the hash of the
// nonce point, the key and the message.
func (r *Row) SetChallenge(e *[32]byte) {
	// R = s·G − e·P.
	r.b.SetBytes(e)
	if r.lift || !r.p.Y.IsOdd().Bool() {
		r.b.Neg(&r.b)
	}
}

// SetECDSA sets a signature on a hash: 64 bytes, r and s, big-endian. A hash
// that is not 32 bytes long is taken by the rule of SEC 1 version 2, section
// 4.1.3, step 5. With lowS, a row with s above n/2 is not valid. It is malformed
// if the hash is shorter than [hash.MinSize] or if r or s is not in [1, n).
func (r *Row) SetECDSA(h []byte, sig *[64]byte, lowS bool) {
	rb := (*[32]byte)(sig[:32])
	// r.a holds r for a moment: as a number below n and as an element of the
	// field it has the same limbs.
	if !r.need(len(h) >= hash.MinSize && r.a.SetBytes(rb).Bool() && !r.a.IsZero().Bool() &&
		r.b.SetBytes((*[32]byte)(sig[32:])).Bool() && !r.b.IsZero().Bool()) {
		return
	}
	r.x.SetBytes(rb)
	r.high = lowS && r.b.IsHigh().Bool()
	setHash(&r.a, h)
}

// SetRecover sets a recoverable signature on a hash: r, s and the recovery id, 65
// bytes. It is malformed if r or s is not in [1, n) or the id above 3, and
// invalid if no key can come of it: s is above n/2 with lowS, or the id asks for
// r + n and that is not below p.
func (r *Row) SetRecover(h []byte, sig *[65]byte, lowS bool) {
	id := sig[64]
	*r = Row{lift: true, odd: id&1 == 1}
	if !r.need(id <= 3) {
		return
	}
	if r.SetECDSA(h, (*[64]byte)(sig[:64]), lowS); r.verdict != Unchecked {
		return
	}
	r.p.X = r.x
	if id&2 != 0 {
		var n scalar.Scalar
		toScalar(&n, &r.x)
		if !vartime.AddOrder(&r.p.X, &n) {
			r.verdict = Invalid
		}
	}
	if r.high {
		r.verdict = Invalid
	}
	// Q = (s·R − z·G)/r.
	r.a.Neg(&r.a)
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
