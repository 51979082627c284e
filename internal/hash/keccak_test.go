package hash

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestKeccak256 checks that messages of every length up to three blocks have the digests that
// package reference computes.
func TestKeccak256(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for n := range 3*keccakRate + 2 {
		msg := reference.Bytes(r, n)
		got := random(r) // old contents, which Keccak256 must overwrite
		Keccak256(&got, msg)
		if want := reference.Keccak256(msg, 1); !bytes.Equal(got[:], want) {
			t.Fatalf("the hash of %x is %x, want %x", msg, got, want)
		}
	}
}

func BenchmarkKeccak256(b *testing.B) {
	for _, size := range []int{64, 1352} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			var out [32]byte
			msg := make([]byte, size)
			b.ReportAllocs()
			for b.Loop() {
				Keccak256(&out, msg)
			}
		})
	}
}

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

func BenchmarkAbsorb(b *testing.B) {
	var state [25][keccakLanes]uint64
	var blocks [keccakLanes]*[keccakRate]byte
	for j := range blocks {
		blocks[j] = new([keccakRate]byte)
	}
	b.ReportAllocs()
	for b.Loop() {
		absorb(&state, &blocks, 1<<keccakLanes-1)
	}
}
