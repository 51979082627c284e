package ecdsa

import "github.com/koblitz-go/koblitz/internal/field"

// A coordinate is below p and a scalar below n, and n < p < 2n. So r, which is a
// coordinate mod n, may have lost n; it has not if r + n is not below p.

// The limbs of p - n, from the lowest. The highest one is zero.
const (
	pMinusN0 = 0x402da1722fc9baee
	pMinusN1 = 0x4551231950b75fc4
	pMinusN2 = 1
)

// belowPMinusN reports whether the number with the limbs l is below p - n, which
// is about 2¹²⁸.
func belowPMinusN(l *[4]uint64) bool {
	switch {
	case l[3] != 0 || l[2] > pMinusN2:
		return false
	case l[2] < pMinusN2:
		return true
	case l[1] != pMinusN1:
		return l[1] < pMinusN1
	}
	return l[0] < pMinusN0
}

// groupOrder sets x to n, as an element of the field.
func groupOrder(x *field.Element) *field.Element {
	return x.SetLimbs(0xbfd25e8cd0364141, 0xbaaedce6af48a03b, 0xfffffffffffffffe, 0xffffffffffffffff)
}
