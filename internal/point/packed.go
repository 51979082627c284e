package point

import "math/bits"

// PackedSize is the size in bytes of an affine point in an embedded table: four 64-bit limbs of x
// and then four of y, least significant limb and byte first. reference.AppendPacked writes this
// format.
const PackedSize = 64

// SetPacked sets a to the point in the first PackedSize bytes of e, and returns a.
func (a *Affine) SetPacked(e string) *Affine {
	e = e[:PackedSize]
	a.X.SetLimbs(PackedLimb(e[0:]), PackedLimb(e[8:]), PackedLimb(e[16:]), PackedLimb(e[24:]))
	a.Y.SetLimbs(PackedLimb(e[32:]), PackedLimb(e[40:]), PackedLimb(e[48:]), PackedLimb(e[56:]))
	return a
}

// PackedLimb returns the little-endian value of the first eight bytes of s. On little-endian CPUs
// with unaligned loads, the compiler compiles it to one load. On 32-bit CPUs of this kind it
// compiles it to two loads, because the two halves are separate sums; it would load the eight bytes
// of a single 64-bit sum one by one.
func PackedLimb(s string) uint64 {
	_ = s[7]
	if bits.UintSize == 32 { //ct:unrun for CPUs that cannot load words from any address
		low := uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
		high := uint32(s[4]) | uint32(s[5])<<8 | uint32(s[6])<<16 | uint32(s[7])<<24
		return uint64(high)<<32 | uint64(low)
	}
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
