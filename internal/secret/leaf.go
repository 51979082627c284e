package secret

import "math/bits"

// DoLeaf is [Do] on machines whose registers have 32 bits, and f() elsewhere: for
// an f that is a few instructions on numbers of four words, all of which 64-bit
// machines hold in registers.
func DoLeaf(f func()) {
	if bits.UintSize == 64 {
		f()
		return
	}
	Do(f)
}
