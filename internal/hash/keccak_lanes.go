package hash

import (
	"encoding/binary"
	"math/bits"
)

// keccakLanes is how many Keccak states are permuted at a time in the lanes of vectors.
const keccakLanes = 8

// keccakEach does what [Keccak256Each] does in lanes, each of which has a message of its own: it
// absorbs a block of every message with each permutation, and takes the next message when its own
// has ended. So lanes are idle only when fewer messages are left than there are lanes.
//
//ct:unrun-portable for AVX-512, which the other build has
func keccakEach(out [][32]byte, messages [][]byte) {
	var state [25][keccakLanes]uint64
	var last [keccakLanes][keccakRate]byte // of a lane, the block that ends its message
	var rest [keccakLanes][]byte           // of a lane's message, what is not absorbed
	var number [keccakLanes]int            // of a lane's message
	var blocks [keccakLanes]*[keccakRate]byte
	next := 0           // the first message that no lane has taken
	within := uint64(0) // lanes, as bits, whose message has begun and not ended
	for within != 0 || next < len(messages) {
		keep, ends := within, uint64(0)
		for j := range keccakLanes {
			if within>>j&1 == 0 {
				if next == len(messages) {
					blocks[j] = &last[j] // whatever it holds: the result is dropped
					continue
				}
				rest[j], number[j] = messages[next], next
				next++
			}
			if len(rest[j]) >= keccakRate {
				blocks[j], rest[j] = (*[keccakRate]byte)(rest[j]), rest[j][keccakRate:]
				within |= 1 << j
			} else {
				keccakPad(&last[j], rest[j])
				blocks[j] = &last[j]
				ends |= 1 << j
			}
		}
		absorb(&state, &blocks, keep)
		within &^= ends
		for ; ends != 0; ends &= ends - 1 {
			j := bits.TrailingZeros64(ends) % keccakLanes
			digest := &out[number[j]]
			for i := range len(digest) / 8 {
				binary.LittleEndian.PutUint64(digest[8*i:], state[i][j])
			}
		}
	}
}
