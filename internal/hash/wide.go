package hash

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/koblitz-go/koblitz/internal/cpu"
)

// This file computes up to sixteen hashes at a time: sixteen in vectors, or else two by the CPU's
// SHA-256 instructions. With kernels both are faster than one hash after another. The portable
// versions of the kernels are slower, and only tests use them.

// haveLanes reports whether this CPU has the kernels that the function step uses.
func haveLanes() bool { return haveKernels() || cpu.Has(cpu.SHANI) }

// step applies the compression function to state j and blocks[j], for j < n. n is at least 1. step
// overwrites words, which is scratch memory, and may change the other states. No element of blocks
// may be nil.
//
//ct:unrun-portable for AVX-512, which the other build has
func step(state *[8][Sixteen]uint32, words *[2][8][Sixteen]uint32, blocks *[Sixteen]*[64]byte,
	n int) {
	if haveKernels() {
		loadEach(words, blocks)
		compress(state, words)
		return
	}
	compressPairs(state, blocks, (n+1)/2)
}

// absorbRows compresses the two blocks of row j into state j, for j < n. It may change the other
// states.
//
//ct:unrun-portable for AVX-512, which the other build has
func absorbRows(state *[8][Sixteen]uint32, rows *[Sixteen * RowSize]byte, n int) {
	var words [2][8][Sixteen]uint32
	var blocks [Sixteen]*[64]byte
	for at := 0; at < RowSize; at += 64 {
		for j := range blocks {
			blocks[j] = (*[64]byte)(rows[j*RowSize+at:])
		}
		step(state, &words, &blocks, n)
	}
}

// taggedRows sets out[j] to a tagged hash of the first 96 bytes of row j, for j < n. The first
// block is the tag's hash, twice. The chaining value after this block is tag, a constant, which a
// test recomputes. A row completes the input to 160 bytes, and the padding ends with this length
// in bits.
//
//ct:unrun-portable for AVX-512, which the other build has
func taggedRows(out *[Sixteen][32]byte, rows *[Sixteen * RowSize]byte, tag [8]uint32, n int) {
	for j := range n {
		*(*[32]byte)(rows[j*RowSize+96:]) = [32]byte{0: 0x80, 30: 8 * 160 >> 8}
	}
	state := everywhere(tag)
	absorbRows(&state, rows, n)
	put(out[:n], &state)
}

// compressEach applies the compression function to state j and blocks[j], for j < n. It may change
// the other states.
//
//ct:unrun-portable for AVX-512, which the other build has
func compressEach(state *[8][Sixteen]uint32, blocks *[Sixteen][64]byte, n int) {
	_ = blocks[:n]
	var words [2][8][Sixteen]uint32
	var at [Sixteen]*[64]byte
	for j := range at {
		at[j] = &blocks[j]
	}
	step(state, &words, &at, n)
}

// sharedSecrets implements [SharedSecrets] with kernels. The first block is the tag's hash, twice,
// with a constant chaining value, which a test recomputes. The second block is the point, k and the
// padding, which ends with the length of both, 101 bytes, in bits.
//
//ct:unrun-portable for AVX-512, which the other build has
func sharedSecrets(out *[Sixteen][32]byte, points *[Sixteen][33]byte, k uint32, n int) {
	var padded [Sixteen][64]byte
	for j := range padded {
		padded[j] = [64]byte{37: 0x80, 62: 8 * 101 >> 8, 63: 8 * 101 & 0xff}
		copy(padded[j][:], points[j][:])
		binary.BigEndian.PutUint32(padded[j][33:], k)
	}
	state := everywhere(sharedSecretState())
	compressEach(&state, &padded, n)
	put(out[:n], &state)
}

// Expand sets out[j] to the SHA-256 of the seed followed by the integer counter + j, 64 bits
// big-endian.
func Expand(out *[Sixteen][32]byte, seed *[32]byte, counter uint64) {
	var padded [Sixteen][64]byte
	for j := range padded {
		padded[j] = [64]byte{40: 0x80, 62: 8 * 40 >> 8, 63: 8 * 40 & 0xff} // padding
		copy(padded[j][:], seed[:])
		binary.BigEndian.PutUint64(padded[j][32:], counter+uint64(j))
	}
	if haveLanes() { //ct:unrun-portable for AVX-512, which the other build has
		state := everywhere(initialState())
		compressEach(&state, &padded, Sixteen)
		put(out[:], &state)
		return
	}
	for j := range out {
		out[j] = sha256.Sum256(padded[j][:40])
	}
}

// wide holds the sixteen lanes of a [Transcript]. If begun and kernels are set, the lanes are in
// state; otherwise they are in single.
type wide struct {
	single
	begun, kernels bool
	state          [8][Sixteen]uint32
}

//ct:unrun-portable for AVX-512, which the other build has
func (w *wide) absorb(rows *[Sixteen * RowSize]byte) {
	if !w.begun {
		w.begun, w.kernels = true, haveLanes()
		w.state = everywhere(initialState())
	}
	if !w.kernels {
		w.single.absorb(rows)
		return
	}
	absorbRows(&w.state, rows, Sixteen)
}

// sum sets *out to the digests of the lanes. rows is the number of rows, of RowSize bytes, in each
// lane.
//
//ct:unrun-portable for AVX-512, which the other build has
func (w *wide) sum(out *[Sixteen][32]byte, rows uint64) {
	if !w.kernels {
		w.single.sum(out)
		return
	}
	last := [64]byte{0: 0x80}
	binary.BigEndian.PutUint64(last[56:], 8*RowSize*rows)
	var words [2][8][Sixteen]uint32
	var blocks [Sixteen]*[64]byte
	for j := range blocks {
		blocks[j] = &last
	}
	step(&w.state, &words, &blocks, Sixteen)
	put(out[:], &w.state)
}

// everywhere returns the chaining value s repeated in all sixteen lanes.
func everywhere(s [8]uint32) (state [8][Sixteen]uint32) {
	for i := range state {
		for j := range state[i] {
			state[i][j] = s[i]
		}
	}
	return state
}

// put sets out[j] to the chaining value of lane j, big-endian. This is the digest if all blocks
// have been compressed.
//
//ct:unrun-portable for AVX-512, which the other build has
func put(out [][32]byte, state *[8][Sixteen]uint32) {
	for j := range out {
		for i := range state {
			binary.BigEndian.PutUint32(out[j][4*i:], state[i][j])
		}
	}
}
