package point

import (
	"encoding/binary"
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
)

// An Entry is an affine point in a table of multiples: four 64-bit limbs of x and then four of y,
// least significant limb first. Both coordinates are canonical.
type Entry [8]uint64

// PackedSize is the size in bytes of a packed entry: the limbs in order, least significant byte
// first. A packed table is a string of such entries. reference.AppendPacked writes this format.
const PackedSize = 64

// Set sets e to the point a, and returns e. Its time does not depend on a.
func (e *Entry) Set(a *Affine) *Entry {
	//ct:secret a.X.IsOdd().Bool()
	*(*[4]uint64)(e[:4]) = a.X.Limbs()
	*(*[4]uint64)(e[4:]) = a.Y.Limbs()
	return e
}

// SetEntry sets a to the point of e, or to its opposite if negative is 1, and returns a. Its time
// does not depend on the point or on negative.
//
// The negative of y is p − y = ^y − (c − 1), where ^y = 2^256 − 1 − y and p = 2^256 − c. The
// subtraction never borrows, because y is below p.
func (a *Affine) SetEntry(e *Entry, negative ct.Choice) *Affine {
	const c = field.C
	m := negative.Mask()
	y0, borrow := bits.Sub64(e[4]^m, m&(c-1), 0)
	y1, borrow := bits.Sub64(e[5]^m, 0, borrow)
	y2, borrow := bits.Sub64(e[6]^m, 0, borrow)
	y3, _ := bits.Sub64(e[7]^m, 0, borrow)
	a.X.SetLimbs(e[0], e[1], e[2], e[3])
	a.Y.SetLimbs(y0, y1, y2, y3)
	return a
}

// AppendPacked appends e to out, a packed table.
func (e *Entry) AppendPacked(out []byte) []byte {
	for _, l := range e {
		out = binary.LittleEndian.AppendUint64(out, l)
	}
	return out
}

// Unpack sets e to the first entry of a packed table, and returns e. It reads nothing else, so the
// number of the entry in its table must be public. Package ecmult reads entries with secret
// numbers.
func (e *Entry) Unpack(table string) *Entry {
	table = table[:PackedSize]
	if AlignedLoads { //ct:unrun for CPUs that cannot load words from any address
		entries, skew := AlignedEntries(table)
		*e = entries[0]
		var last uint64
		if skew != 0 { //ct:unrun for CPUs that cannot load words from any address
			last = entries[1][0]
		}
		return e.Realign(last, skew) //ct:unrun for CPUs that cannot load words from any address
	}
	// Store each limb singly, as they are loaded again. A copy of an array loads two at a time, and
	// waits until both stores have reached the cache.
	e[0], e[1] = PackedLimb(table[0:]), PackedLimb(table[8:])
	e[2], e[3] = PackedLimb(table[16:]), PackedLimb(table[24:])
	e[4], e[5] = PackedLimb(table[32:]), PackedLimb(table[40:])
	e[6], e[7] = PackedLimb(table[48:]), PackedLimb(table[56:])
	return e
}

// Realign sets e to the packed entry that begins skew bytes after an aligned address, and returns
// e. On entry, e must hold the eight words in memory from this address on, and last the word after
// them; skew is at most 7. If skew is 0, last is not used. The time depends on skew only.
func (e *Entry) Realign(last uint64, skew uint) *Entry {
	if binary.NativeEndian.Uint16([]byte{0, 1}) == 1 { //ct:unrun for big-endian CPUs
		for i := range e { //ct:unrun for big-endian CPUs
			e[i] = bits.ReverseBytes64(e[i])
		}
		last = bits.ReverseBytes64(last) //ct:unrun for big-endian CPUs
	}
	if skew == 0 {
		return e
	}
	for i := range len(e) - 1 {
		e[i] = e[i]>>(8*skew) | e[i+1]<<(64-8*skew)
	}
	e[7] = e[7]>>(8*skew) | last<<(64-8*skew)
	return e
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
