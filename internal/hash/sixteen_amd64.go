//go:build !purego

package hash

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz/internal/cpu"
)

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package hash -dir ../internal/hash

// challenges does what [Challenges] does, or returns false if the CPU has no
// vectors for it.
func challenges(out *[Sixteen][32]byte, r, p, msg *Rows) bool {
	if !cpu.Has(cpu.AVX512F) {
		return false
	}
	// The tag's hash, twice, is the first block, whose chaining value is a
	// constant; a test computes it. 96 bytes follow it, which makes two blocks,
	// and the last ends with the length of all, 160 bytes, in bits.
	var state [8][Sixteen]uint32
	for i, s := range challengeState() {
		for j := range state[i] {
			state[i][j] = s
		}
	}
	var words [2][8][Sixteen]uint32
	loadAVX512(&words[0], &r.Data[0], r.Stride)
	loadAVX512(&words[1], &p.Data[0], p.Stride)
	compressAVX512(&state, &words)
	loadAVX512(&words[0], &msg.Data[0], msg.Stride)
	words[1] = [8][Sixteen]uint32{}
	for j := range Sixteen {
		words[1][0][j], words[1][7][j] = 1<<31, 8*160
	}
	compressAVX512(&state, &words)
	for j := range out {
		for i := range state {
			binary.BigEndian.PutUint32(out[j][4*i:], state[i][j])
		}
	}
	return true
}

// challengeState returns the chaining value of SHA-256 after challengePrefix.
func challengeState() [8]uint32 {
	return [8]uint32{0x9cecba11, 0x23925381, 0x11679112, 0xd1627e0f, 0x97c87550, 0x003cc765, 0x90f61164, 0x33e9b66a}
}
