package hash

import (
	"encoding/binary"
	"math/bits"
)

// loadEachGeneric sets words[h][i][j] to big-endian word 8h + i of blocks[j].
//
//ct:unrun-portable for AVX-512, which the other build has
func loadEachGeneric(words *[2][8][Sixteen]uint32, blocks *[Sixteen]*[64]byte) {
	for j := range blocks {
		loadBlock(words, blocks, j)
	}
}

// loadBlock sets words[h][i][j] to big-endian word 8h + i of blocks[j], for the given j alone.
//
//ct:unrun-portable for AVX-512, which the other build has
func loadBlock(words *[2][8][Sixteen]uint32, blocks *[Sixteen]*[64]byte, j int) {
	for i := range 16 {
		words[i/8][i%8][j] = binary.BigEndian.Uint32(blocks[j][4*i:])
	}
}

// compressGeneric applies the compression function of SHA-256 (FIPS 180-4, section 6.2.2) to
// sixteen states, each with a separate block.
//
//ct:unrun-portable for AVX-512, which the other build has
func compressGeneric(state *[8][Sixteen]uint32, words *[2][8][Sixteen]uint32) {
	for j := range Sixteen {
		compressLane(state, words, j)
	}
}

// compressPairsGeneric applies the compression function to the first 2·pairs states.
//
//ct:unrun-portable for SHA-NI, which the other build has
func compressPairsGeneric(state *[8][Sixteen]uint32, blocks *[Sixteen]*[64]byte, pairs int) {
	var words [2][8][Sixteen]uint32
	for j := range 2 * pairs {
		loadBlock(&words, blocks, j)
		compressLane(state, &words, j)
	}
}

// compressLane applies the compression function to state j.
//
//ct:unrun-portable for AVX-512, which the other build has
func compressLane(state *[8][Sixteen]uint32, words *[2][8][Sixteen]uint32, j int) {
	k := roundConstants()
	var w [64]uint32
	for t := range w {
		if t < 16 {
			w[t] = words[t/8][t%8][j]
			continue
		}
		x, y := w[t-15], w[t-2]
		s0 := bits.RotateLeft32(x, -7) ^ bits.RotateLeft32(x, -18) ^ x>>3
		s1 := bits.RotateLeft32(y, -17) ^ bits.RotateLeft32(y, -19) ^ y>>10
		w[t] = s1 + w[t-7] + s0 + w[t-16]
	}
	var s [8]uint32
	for i := range s {
		s[i] = state[i][j]
	}
	for t := range w {
		a, b, c, e, f, g := s[0], s[1], s[2], s[4], s[5], s[6]
		s1 := bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25)
		t1 := s[7] + s1 + (e&f ^ ^e&g) + k[t] + w[t]
		s0 := bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22)
		t2 := s0 + (a&b ^ a&c ^ b&c)
		s = [8]uint32{t1 + t2, a, b, c, s[3] + t1, e, f, g}
	}
	for i := range s {
		state[i][j] += s[i]
	}
}

// roundConstants returns the first 32 bits of the fractional parts of the cube roots of the first
// 64 primes (FIPS 180-4, section 4.2.2).
//
//ct:unrun-portable for AVX-512, which the other build has
func roundConstants() [64]uint32 {
	return [64]uint32{
		0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
		0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
		0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
		0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
		0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
		0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
		0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
		0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
	}
}
