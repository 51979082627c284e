package scalar

import (
	"encoding/binary"
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/ct"
)

// A Scalar is an integer modulo n, held as l0 + l1·2^64 + l2·2^128 + l3·2^192. It
// is always canonical: below n. The zero value is 0.
//
// Methods set their receiver and return it. The receiver may be one of the arguments.
type Scalar struct{ l0, l1, l2, l3 uint64 }

// The limbs of n, the order of the curve's group, least significant first. All code
// that needs n takes it from these constants.
const (
	N0 = 0xbfd25e8cd0364141
	N1 = 0xbaaedce6af48a03b
	N2 = 0xfffffffffffffffe
	N3 = 0xffffffffffffffff
)

// The limbs of d = 2^256 - n, which has 129 bits: d2 is 1, and a fourth limb would be 0.
// Subtracting n is the same as adding d and discarding the carry out of bit 255.
const (
	d0 = 1<<64 - N0
	d1 = 1<<64 - 1 - N1
	d2 = 1<<64 - 1 - N2
)

// Zero sets v = 0.
func (v *Scalar) Zero() *Scalar {
	*v = Scalar{}
	return v
}

// One sets v = 1.
func (v *Scalar) One() *Scalar {
	//ct:secret v.l0 == 1
	*v = Scalar{l0: 1}
	return v
}

// Set sets v = a.
func (v *Scalar) Set(a *Scalar) *Scalar {
	*v = *a
	return v
}

// SetUint64 sets v = x.
func (v *Scalar) SetUint64(x uint64) *Scalar {
	*v = Scalar{l0: x}
	return v
}

// SetLimbs sets v to the number with the little-endian limbs l, modulo n. It returns 1 if the
// number was below n, and 0 if not.
func (v *Scalar) SetLimbs(l *[4]uint64) ct.Choice {
	// l < 2^256 < 2n, so one subtraction is enough.
	return v.setReduced(l[0], l[1], l[2], l[3], 0).Not()
}

// SetBytes sets v to the big-endian integer b modulo n. It returns 1 if this integer was below n,
// that is, if b is the encoding of v, and 0 if not.
func (v *Scalar) SetBytes(b *[32]byte) ct.Choice {
	//ct:secret b[0] == 0xff
	return v.setReduced(
		binary.BigEndian.Uint64(b[24:]),
		binary.BigEndian.Uint64(b[16:]),
		binary.BigEndian.Uint64(b[8:]),
		binary.BigEndian.Uint64(b[0:]),
		0,
	).Not()
}

// setReduced sets v to a or a - n, whichever is in [0, n), and returns 1 if it subtracted n. a is
// the number with the limbs a0 to a3, plus carry·2^256, and must be below 2n.
func (v *Scalar) setReduced(a0, a1, a2, a3, carry uint64) ct.Choice {
	s0, c := bits.Add64(a0, d0, 0)
	s1, c := bits.Add64(a1, d1, c)
	s2, c := bits.Add64(a2, d2, c)
	s3, c := bits.Add64(a3, 0, c)
	// With d = 2^256 - n, a ≥ n if a has the carry, or if adding d to its four limbs carries. The
	// two cannot both occur, as a + d < 2^257.
	over := ct.Choice(carry | c)
	mask := over.Mask()
	v.l0 = a0 ^ mask&(a0^s0)
	v.l1 = a1 ^ mask&(a1^s1)
	v.l2 = a2 ^ mask&(a2^s2)
	v.l3 = a3 ^ mask&(a3^s3)
	return over
}

// SetNonzeroBytes sets v as SetBytes does, but returns 1 only if b is in [1, n), the range of
// private keys and nonces.
func (v *Scalar) SetNonzeroBytes(b *[32]byte) ct.Choice { return v.SetBytes(b) & v.IsZero().Not() }

// SetWideBytes sets v to the big-endian integer b modulo n. If b is uniform, v is uniform up to
// a bias of at most 2^-256.
func (v *Scalar) SetWideBytes(b *[64]byte) *Scalar {
	var high Scalar
	high.SetBytes((*[32]byte)(b[:32]))
	high.Mul(&high, &Scalar{d0, d1, d2, 0}) // 2^256 ≡ d
	v.SetBytes((*[32]byte)(b[32:]))
	v.Add(v, &high)
	high.Wipe()
	return v
}

// PutBytes writes v to b as 32 bytes, big-endian.
func (v *Scalar) PutBytes(b *[32]byte) {
	binary.BigEndian.PutUint64(b[24:], v.l0)
	binary.BigEndian.PutUint64(b[16:], v.l1)
	binary.BigEndian.PutUint64(b[8:], v.l2)
	binary.BigEndian.PutUint64(b[0:], v.l3)
}

// Limbs returns v as four little-endian limbs.
func (v *Scalar) Limbs() [4]uint64 {
	//ct:secret v.l0&1 == 1
	return [4]uint64{v.l0, v.l1, v.l2, v.l3}
}

// PutWords sets b to the little-endian encoding of v.
func (v *Scalar) PutWords(b *[32]byte) {
	binary.LittleEndian.PutUint64(b[0:], v.l0)
	binary.LittleEndian.PutUint64(b[8:], v.l1)
	binary.LittleEndian.PutUint64(b[16:], v.l2)
	binary.LittleEndian.PutUint64(b[24:], v.l3)
}

// Add sets v = a + b.
func (v *Scalar) Add(a, b *Scalar) *Scalar {
	s0, c := bits.Add64(a.l0, b.l0, 0)
	s1, c := bits.Add64(a.l1, b.l1, c)
	s2, c := bits.Add64(a.l2, b.l2, c)
	s3, c := bits.Add64(a.l3, b.l3, c)
	v.setReduced(s0, s1, s2, s3, c)
	return v
}

// Sub sets v = a - b.
func (v *Scalar) Sub(a, b *Scalar) *Scalar {
	s0, c := bits.Sub64(a.l0, b.l0, 0)
	s1, c := bits.Sub64(a.l1, b.l1, c)
	s2, c := bits.Sub64(a.l2, b.l2, c)
	s3, c := bits.Sub64(a.l3, b.l3, c)
	// If the difference is negative, add n, that is, subtract d modulo 2^256.
	mask := -c
	v.l0, c = bits.Sub64(s0, d0&mask, 0)
	v.l1, c = bits.Sub64(s1, d1&mask, c)
	v.l2, c = bits.Sub64(s2, d2&mask, c)
	v.l3, _ = bits.Sub64(s3, 0, c)
	return v
}

// Neg sets v = -a.
func (v *Scalar) Neg(a *Scalar) *Scalar { return v.Sub(&Scalar{}, a) }

// CondNeg sets v = -a if c is 1 and v = a if c is 0.
func (v *Scalar) CondNeg(a *Scalar, c ct.Choice) *Scalar {
	var neg Scalar
	neg.Neg(a)
	return v.Select(c, &neg, a)
}

// Half sets v = a/2 modulo n.
func (v *Scalar) Half(a *Scalar) *Scalar {
	// Halve a or a + n, whichever is even.
	//ct:secret a.l0&1 == 1
	mask := -(a.l0 & 1)
	s0, c := bits.Add64(a.l0, N0&mask, 0)
	s1, c := bits.Add64(a.l1, N1&mask, c)
	s2, c := bits.Add64(a.l2, N2&mask, c)
	s3, c := bits.Add64(a.l3, N3&mask, c)
	v.l0 = s0>>1 | s1<<63
	v.l1 = s1>>1 | s2<<63
	v.l2 = s2>>1 | s3<<63
	v.l3 = s3>>1 | c<<63
	return v
}

// Select sets v = a if c is 1 and v = b if c is 0.
func (v *Scalar) Select(c ct.Choice, a, b *Scalar) *Scalar {
	mask := c.Mask()
	v.l0 = b.l0 ^ mask&(a.l0^b.l0)
	v.l1 = b.l1 ^ mask&(a.l1^b.l1)
	v.l2 = b.l2 ^ mask&(a.l2^b.l2)
	v.l3 = b.l3 ^ mask&(a.l3^b.l3)
	return v
}

// IsZero returns 1 if v = 0, and 0 if not.
func (v *Scalar) IsZero() ct.Choice { return ct.IsZero64(v.l0 | v.l1 | v.l2 | v.l3) }

// IsOdd returns 1 if v, as an integer below n, is odd, and 0 if it is even.
func (v *Scalar) IsOdd() ct.Choice { return ct.Choice(v.l0 & 1) }

// IsHigh returns 1 if v > n/2, and 0 if not. The s of a low-s signature is never high.
func (v *Scalar) IsHigh() ct.Choice {
	// v > (n-1)/2 exactly if (n-1)/2 - v is negative.
	_, c := bits.Sub64(N0>>1|N1<<63&(1<<64-1), v.l0, 0)
	_, c = bits.Sub64(N1>>1|N2<<63&(1<<64-1), v.l1, c)
	_, c = bits.Sub64(N2>>1|N3<<63&(1<<64-1), v.l2, c)
	_, c = bits.Sub64(N3>>1, v.l3, c)
	return ct.Choice(c)
}

// Equal returns 1 if v = b, and 0 if not.
func (v *Scalar) Equal(b *Scalar) ct.Choice {
	return ct.IsZero64((v.l0 ^ b.l0) | (v.l1 ^ b.l1) | (v.l2 ^ b.l2) | (v.l3 ^ b.l3))
}

// Declassify marks v as public for the checker of constant time; see [ct.Declassify].
func (v *Scalar) Declassify() { ct.Declassify(&v.l0, 4) }

// Wipe overwrites v with zeros. It is not inlined, because the compiler would then remove the
// stores as dead. It does not overwrite copies of v that the compiler made.
//
//go:noinline
func (v *Scalar) Wipe() { *v = Scalar{} }
