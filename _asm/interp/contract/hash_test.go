package contract

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/koblitz-go/koblitz/_asm/kernels"
)

const sixteen = 16

// word32 returns the k-th 32-bit number of a list of 64-bit words.
func word32(w []uint64, k int) uint32 { return uint32(w[k/2] >> (32 * (k % 2))) }

// blockLoads returns calls of the kernel that reads sixteen blocks. The blocks are consecutive,
// permuted, with gaps between them, overlapping, or all the same.
func blockLoads(r *rand.Rand, n int) []*Call {
	const block = 64 / 8
	var calls []*Call
	strides := []int{block, block + 3, 0, 1, 2 * block}
	for i := range n {
		stride := strides[i%len(strides)]
		data := make([]uint64, (sixteen-1)*stride+block)
		for k := range data {
			data[k] = r.Uint64()
		}
		pointers := make([]uint64, sixteen)
		for j, at := range r.Perm(sixteen) {
			pointers[j] = uint64(8 * stride * at)
		}
		calls = append(calls, &Call{
			Name: fmt.Sprintf("blocks every %d words", stride),
			Buffers: []Buffer{
				{Param: "words", Words: 16 * sixteen / 2, Out: true},
				{Param: "data", Words: len(data), In: data, NoParam: true},
				{Param: "blocks", Words: len(pointers), In: pointers, Public: true, Into: "data", Dense: true},
			},
			Check: func(v Values) error {
				for i := range 16 {
					for j := range sixteen {
						want := bits.ReverseBytes32(word32(data, int(pointers[j])/4+i))
						if got := word32(v["words"], i*sixteen+j); got != want {
							return fmt.Errorf("word %d of block %d is %#x, want %#x", i, j, got, want)
						}
					}
				}
				return nil
			},
		})
	}
	return calls
}

// fillWords fills the lists of call i: with zeros in call 0, with ones in all bits in call 1, and
// with random words in the others.
func fillWords(r *rand.Rand, i int, lists ...[]uint64) {
	for _, w := range lists {
		for k := range w {
			switch w[k] = r.Uint64(); i {
			case 0:
				w[k] = 0
			case 1:
				w[k] = 1<<64 - 1
			}
		}
	}
}

// compressions returns calls of the kernel for the compression function of SHA-256.
func compressions(r *rand.Rand, n int) []*Call {
	k := kernels.SHA256Constants()
	var calls []*Call
	for i := range n {
		state, words := make([]uint64, 8*sixteen/2), make([]uint64, 16*sixteen/2)
		fillWords(r, i, state, words)
		calls = append(calls, &Call{
			Name: "a block",
			Buffers: []Buffer{{Param: "state", Words: len(state), In: state, Out: true},
				{Param: "words", Words: len(words), In: words}},
			Check: func(v Values) error {
				for j := range sixteen {
					var s [8]uint32
					var w [16]uint32
					for i := range s {
						s[i] = word32(state, i*sixteen+j)
					}
					for i := range w {
						w[i] = word32(words, i*sixteen+j)
					}
					for i, want := range compress(&k, s, w) {
						if got := word32(v["state"], i*sixteen+j); got != want {
							return fmt.Errorf("word %d of lane %d is %#x, want %#x", i, j, got, want)
						}
					}
				}
				return nil
			},
		})
	}
	return calls
}

// pairCompressions returns calls of the kernel for the compression function of SHA-256 that takes
// pairs of blocks. The blocks are in any order, and may be the same. The kernel must not change the
// states after the last pair.
func pairCompressions(r *rand.Rand, n int) []*Call {
	const block = 64 / 8
	k := kernels.SHA256Constants()
	var calls []*Call
	for i := range n {
		pairs := 1 + i%(sixteen/2)
		state, data := make([]uint64, 8*sixteen/2), make([]uint64, 2*pairs*block)
		fillWords(r, i, state, data)
		pointers := make([]uint64, 2*pairs)
		for j := range pointers {
			pointers[j] = uint64(8 * block * r.IntN(2*pairs))
		}
		calls = append(calls, &Call{
			Name: fmt.Sprintf("%d pairs", pairs),
			Buffers: []Buffer{
				{Param: "state", Words: len(state), In: state, Out: true},
				{Param: "data", Words: len(data), In: data, NoParam: true},
				{Param: "blocks", Words: len(pointers), In: pointers, Public: true, Into: "data", Dense: true},
			},
			Numbers: []Number{{Param: "pairs", Value: uint64(pairs)}},
			Check: func(v Values) error {
				for j := range sixteen {
					var want [8]uint32
					for i := range want {
						want[i] = word32(state, i*sixteen+j)
					}
					if j < len(pointers) {
						var w [16]uint32
						for i := range w {
							w[i] = bits.ReverseBytes32(word32(data, int(pointers[j])/4+i))
						}
						want = compress(&k, want, w)
					}
					for i := range want {
						if got := word32(v["state"], i*sixteen+j); got != want[i] {
							return fmt.Errorf("word %d of lane %d is %#x, want %#x", i, j, got, want[i])
						}
					}
				}
				return nil
			},
		})
	}
	return calls
}

// compress computes the compression function of SHA-256 as FIPS 180-4, section 6.2.2, states it.
func compress(k *[64]uint32, s [8]uint32, block [16]uint32) [8]uint32 {
	rotr := func(x uint32, n int) uint32 { return bits.RotateLeft32(x, -n) }
	var w [64]uint32
	copy(w[:], block[:])
	for t := 16; t < 64; t++ {
		x, y := w[t-15], w[t-2]
		w[t] = w[t-16] + w[t-7] + (rotr(x, 7) ^ rotr(x, 18) ^ x>>3) + (rotr(y, 17) ^ rotr(y, 19) ^ y>>10)
	}
	a, b, c, d, e, f, g, h := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	for t := range 64 {
		t1 := h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + (e&f ^ ^e&g) + k[t] + w[t]
		t2 := (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + (a&b ^ a&c ^ b&c)
		a, b, c, d, e, f, g, h = t1+t2, a, b, c, d+t1, e, f, g
	}
	for i, x := range [8]uint32{a, b, c, d, e, f, g, h} {
		s[i] += x
	}
	return s
}
