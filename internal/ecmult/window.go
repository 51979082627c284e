package ecmult

import "github.com/koblitz-go/koblitz/internal/ct"

// window returns bits pos to pos + w − 1 of v. pos and w are public, and the bits are secret. The
// last bit is in limb pos/64 or the next one, so pos is below 256. The second limb is shifted by 1
// and 63 − s, not by 64 − s, so that no shift is by 64, for which Go would add a comparison.
func window(v *[5]uint64, pos, w uint) uint64 {
	i, s := pos/64, pos%64
	return (v[i]>>s | v[i+1]<<1<<(63-s)) & (1<<w - 1)
}

// oddDigit interprets the w bits of a window as the odd digit 2·bits − (2^w − 1). It returns the
// sign of the digit, 1 for negative, and its index (|digit| − 1)/2 in a table of odd multiples.
func oddDigit(bits uint64, w uint) (negative ct.Choice, index uint64) {
	// Windows with the top bit set are the digits 1, 3, …; all other windows are the negatives of
	// these digits in reverse order.
	negative = ct.Choice(bits>>(w-1) ^ 1)
	return negative, (bits ^ negative.Mask()) & (1<<(w-1) - 1)
}
