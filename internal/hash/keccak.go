package hash

import "encoding/binary"

// keccakRate is the number of bytes that Keccak-256 absorbs per permutation: 200 minus the
// capacity, which is twice the length of the result.
const keccakRate = 200 - 2*32

// Keccak256 sets digest to the Keccak-256 of a message ("The Keccak reference", version 3.0).
// Ethereum uses this hash, which is older than the SHA-3 standard. It differs from SHA3-256 (FIPS
// 202) only in the first byte of the padding, 0x01 instead of 0x06. The time depends only on the
// length of the message, which must be public.
func Keccak256(digest *[32]byte, msg []byte) {
	var a [25]uint64
	for ; len(msg) >= keccakRate; msg = msg[keccakRate:] {
		keccakAbsorb(&a, (*[keccakRate]byte)(msg))
		keccakPermute(&a)
	}
	var last [keccakRate]byte
	keccakPad(&last, msg)
	keccakAbsorb(&a, &last)
	keccakPermute(&a)
	for i := range len(digest) / 8 {
		binary.LittleEndian.PutUint64(digest[8*i:], a[i])
	}
}

// keccakPad sets block to the last block of a message: rest, the end of the message that does not
// fill a block, followed by the padding.
func keccakPad(block *[keccakRate]byte, rest []byte) {
	clear(block[:])
	n := copy(block[:], rest)
	block[n] = 0x01
	block[keccakRate-1] |= 0x80
}

// keccakAbsorb xors a block into the state.
func keccakAbsorb(a *[25]uint64, block *[keccakRate]byte) {
	for i := range keccakRate / 8 {
		a[i] ^= binary.LittleEndian.Uint64(block[8*i:])
	}
}

// keccakRow sets the lanes number i0 … i4 to χ of a row with the lanes r0 … r4. χ is the only
// nonlinear map of a round.
func keccakRow(a *[25]uint64, i0, i1, i2, i3, i4 int, r0, r1, r2, r3, r4 uint64) {
	a[i0] = r0 ^ ^r1&r2
	a[i1] = r1 ^ ^r2&r3
	a[i2] = r2 ^ ^r3&r4
	a[i3] = r3 ^ ^r4&r0
	a[i4] = r4 ^ ^r0&r1
}

// keccakConstants returns the constants of the rounds. Their bits number 2^j − 1 come from a linear
// feedback shift register; all other bits are 0.
func keccakConstants() [24]uint64 {
	return [24]uint64{
		0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
		0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
		0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
		0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
		0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
		0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
	}
}
