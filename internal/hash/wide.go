//ct:unrun-portable for AVX-512, which the other build has

package hash

import "encoding/binary"

// This file computes sixteen hashes at a time in vectors. With kernels for load and compress this
// is faster than one hash after another with the CPU's SHA-256 instructions. The portable versions
// of the kernels are slower, and only tests use them.

// challenges does the work of [Challenges] and returns true. If this CPU has no kernels for it, it
// does nothing and returns false.
func challenges(digests *[Sixteen][32]byte, r, p, msg *Rows) bool {
	if !haveKernels() {
		//ct:leak r.Data[0]&1 == 1
		return false
	}
	// The first block is the tag's hash, twice. The chaining value after this block is a constant,
	// which a test recomputes. The input has 96 more bytes, in two blocks. The last block ends with
	// the length of the whole input, 160 bytes, in bits.
	state := inAllLanes(challengeState())
	var words [2][8][Sixteen]uint32
	load(&words[0], r.Data, r.Stride)
	load(&words[1], p.Data, p.Stride)
	compress(&state, &words)
	load(&words[0], msg.Data, msg.Stride)
	words[1] = [8][Sixteen]uint32{}
	for j := range Sixteen {
		words[1][0][j], words[1][7][j] = 1<<31, 8*160
	}
	compress(&state, &words)
	put(digests, &state)
	return true
}

// expand does the work of [Expand] and returns true. If this CPU has no kernels for it, it does
// nothing and returns false.
func expand(digests *[Sixteen][32]byte, seed *[32]byte, counter uint64) bool {
	if !haveKernels() {
		return false
	}
	state := inAllLanes(initialState())
	var words [2][8][Sixteen]uint32
	for i := range words[0] {
		w := binary.BigEndian.Uint32(seed[4*i:])
		for j := range Sixteen {
			words[0][i][j] = w
		}
	}
	for j := range Sixteen {
		c := counter + uint64(j)
		words[1][0][j], words[1][1][j] = uint32(c>>32), uint32(c)
		words[1][2][j], words[1][7][j] = 1<<31, 8*40
	}
	compress(&state, &words)
	put(digests, &state)
	return true
}

// wide holds the sixteen lanes of a [Transcript]. If begun and vectors are set, the lanes are in
// vectors; otherwise they are in single.
type wide struct {
	single
	begun, kernels bool
	state          [8][Sixteen]uint32
}

func (w *wide) absorb(rows *[Sixteen * RowSize]byte) {
	if !w.begun {
		w.begun, w.kernels = true, haveKernels()
		w.state = inAllLanes(initialState())
	}
	if !w.kernels {
		w.single.absorb(rows)
		return
	}
	var words [2][8][Sixteen]uint32
	for at := 0; at < RowSize; at += 64 {
		load(&words[0], rows[at:], RowSize)
		load(&words[1], rows[at+32:], RowSize)
		compress(&w.state, &words)
	}
}

// sum sets digests[j] to the SHA-256 of lane j. rows is the number of rows, of RowSize bytes, in
// each lane.
func (w *wide) sum(digests *[Sixteen][32]byte, rows uint64) {
	if !w.kernels {
		w.single.sum(digests)
		return
	}
	var words [2][8][Sixteen]uint32
	bits := 8 * RowSize * rows
	for j := range Sixteen {
		words[0][0][j] = 1 << 31
		words[1][6][j], words[1][7][j] = uint32(bits>>32), uint32(bits)
	}
	compress(&w.state, &words)
	put(digests, &w.state)
}

// inAllLanes returns the chaining value s repeated in all sixteen lanes.
func inAllLanes(s [8]uint32) (state [8][Sixteen]uint32) {
	for i := range state {
		for j := range state[i] {
			state[i][j] = s[i]
		}
	}
	return state
}

// put sets digests[j] to the chaining value of lane j, big-endian. This is the digest if all blocks
// have been compressed.
func put(digests *[Sixteen][32]byte, state *[8][Sixteen]uint32) {
	for j := range digests {
		for i := range state {
			binary.BigEndian.PutUint32(digests[j][4*i:], state[i][j])
		}
	}
}
