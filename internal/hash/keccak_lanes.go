//ct:unrun-portable for AVX-512, which the other build has

package hash

import (
	"encoding/binary"
	"math/bits"
)

// keccakLanes is the number of Keccak states that are permuted at a time in vectors.
const keccakLanes = 8

// keccakEach implements [Keccak256Each] in lanes, one message per lane. Each permutation absorbs
// one block of every lane's message. A lane whose message has ended takes the next message, so
// lanes are idle only when fewer messages than lanes are left.
func keccakEach(digests [][32]byte, messages [][]byte) {
	var state [25][keccakLanes]uint64
	var last [keccakLanes][keccakRate]byte // per lane, the last block of its message, padded
	var rest [keccakLanes][]byte           // per lane, the part of its message not absorbed yet
	var number [keccakLanes]int            // per lane, the index of its message
	var blocks [keccakLanes]*[keccakRate]byte
	next := 0          // index of the first message that no lane has taken
	begun := uint64(0) // bit j: lane j has absorbed a part of its message
	for begun != 0 || next < len(messages) {
		keep, ends := begun, uint64(0)
		for j := range keccakLanes {
			if begun>>j&1 == 0 {
				if next == len(messages) {
					blocks[j] = &last[j] // any block, because the result is discarded
					continue
				}
				rest[j], number[j] = messages[next], next
				next++
			}
			if len(rest[j]) >= keccakRate {
				blocks[j], rest[j] = (*[keccakRate]byte)(rest[j]), rest[j][keccakRate:]
				begun |= 1 << j
			} else {
				keccakPad(&last[j], rest[j])
				blocks[j] = &last[j]
				ends |= 1 << j
			}
		}
		absorb(&state, &blocks, keep)
		begun &^= ends
		for ; ends != 0; ends &= ends - 1 {
			j := bits.TrailingZeros64(ends) % keccakLanes
			digest := &digests[number[j]]
			for i := range len(digest) / 8 {
				binary.LittleEndian.PutUint64(digest[8*i:], state[i][j])
			}
		}
	}
}
