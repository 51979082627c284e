package hash

import (
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestAbsorb checks that the kernel that absorbs a block and its portable version give the state
// that package reference computes in every lane, for new states and for states that have absorbed
// other blocks.
func TestAbsorb(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 9))
		for range 50 {
			var state, want [25][keccakLanes]uint64
			var blocks [keccakLanes]*[keccakRate]byte
			keep := r.Uint64N(1 << keccakLanes)
			for j := range blocks {
				blocks[j] = (*[keccakRate]byte)(reference.Bytes(r, keccakRate))
				var sum [5][5]uint64
				for i := range state {
					state[i][j] = r.Uint64()
					if keep>>j&1 == 1 {
						sum[i%5][i/5] = state[i][j]
					}
				}
				for i, b := range blocks[j] {
					sum[i/8%5][i/8/5] ^= uint64(b) << (8 * (i % 8))
				}
				reference.KeccakPermute(&sum)
				for i := range want {
					want[i][j] = sum[i%5][i/5]
				}
			}
			generic := state
			absorb(&state, &blocks, keep)
			absorbGeneric(&generic, &blocks, keep)
			if state != want {
				t.Fatalf("keep %#x: states differ from the oracle's", keep)
			}
			if generic != want {
				t.Fatalf("keep %#x: states of absorbGeneric differ from the oracle's", keep)
			}
		}
	}, cputest.Portable, cputest.AVX512F)
}
