package secret

import "math/bits"

// DoLeaf is [Do] on machines whose registers have 32 bits, and f() elsewhere. It is for
// an f of a few instructions on numbers of 256 bits, which machines with registers of
// 64 bits hold in registers alone.
func DoLeaf(f func()) {
	if bits.UintSize == 64 {
		f()
		return
	}
	Do(f)
}
