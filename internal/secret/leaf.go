package secret

import "math/bits"

// DoLeaf is [Do] on machines with 32-bit registers. On others it only calls f. f must have few
// instructions and use only 256-bit numbers, which 64-bit machines hold in registers.
func DoLeaf(f func()) {
	if bits.UintSize == 64 {
		f()
		return
	}
	Do(f)
}
