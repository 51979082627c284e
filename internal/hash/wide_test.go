package hash

import (
	"crypto/sha256"
	"math/rand"
	"testing"
)

// TestSixteenPortable checks that the portable versions of the kernels compute SHA-256, one hash
// per lane, as the standard library does.
func TestSixteenPortable(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	var data [Sixteen][64]byte
	var blocks [Sixteen]*[64]byte
	for j := range data {
		blocks[j] = &data[j]
	}
	for range 20 {
		for j := range data {
			r.Read(data[j][:])
		}
		var words [2][8][Sixteen]uint32
		loadEachGeneric(&words, &blocks)
		state := everywhere(initialState())
		compressGeneric(&state, &words)
		for pairs := range Sixteen / 2 {
			some := everywhere(initialState())
			compressPairsGeneric(&some, &blocks, pairs)
			for i := range some {
				for j := range some[i] {
					if want := state[i][j]; j < 2*pairs && some[i][j] != want {
						t.Fatalf("word %d of lane %d: %x, want %x", i, j, some[i][j], want)
					}
				}
			}
		}
		// This is the padding of a message of one block: 0x80, zeros, and the length of 512 bits.
		words = [2][8][Sixteen]uint32{}
		for j := range Sixteen {
			words[0][0][j], words[1][7][j] = 1<<31, 512
		}
		compressGeneric(&state, &words)
		var got [Sixteen][32]byte
		put(got[:], &state)
		for j := range got {
			if want := sha256.Sum256(data[j][:]); got[j] != want {
				t.Fatalf("lane %d: %x, want %x", j, got[j], want)
			}
		}
	}
}
