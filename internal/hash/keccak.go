package hash

import (
	"encoding/binary"
	"math/bits"
)

// keccakRate is how many bytes of the state Keccak-256 takes input into between two
// permutations: 200 less the capacity, which is twice the length of the result.
const keccakRate = 200 - 2*32

// Keccak256 sets out to the Keccak-256 of a message ("The Keccak reference", version 3.0): the
// hash that Ethereum has, from before SHA-3 was a standard. It differs from SHA3-256 (FIPS 202) in
// the first byte of the padding alone, 0x01 instead of 0x06. The time depends on the length of the
// message and on nothing else of it; what is hashed here is public.
func Keccak256(out *[32]byte, msg []byte) {
	var a, b [25]uint64
	for ; len(msg) >= keccakRate; msg = msg[keccakRate:] {
		keccakAbsorb(&a, (*[keccakRate]byte)(msg))
		keccakPermute(&a, &b)
	}
	var last [keccakRate]byte
	n := copy(last[:], msg)
	last[n] = 0x01
	last[keccakRate-1] |= 0x80
	keccakAbsorb(&a, &last)
	keccakPermute(&a, &b)
	for i := range len(out) / 8 {
		binary.LittleEndian.PutUint64(out[8*i:], a[i])
	}
}

// keccakAbsorb adds a block to the state.
func keccakAbsorb(a *[25]uint64, block *[keccakRate]byte) {
	for i := range keccakRate / 8 {
		a[i] ^= binary.LittleEndian.Uint64(block[8*i:])
	}
}

// keccakPermute applies Keccak-f[1600] to a (section 1.2), whose lane at x, y is a[x + 5y]. b is
// scratch.
func keccakPermute(a, b *[25]uint64) {
	k := keccakConstants()
	for i := 0; i < len(k); i += 2 {
		keccakRound(b, a, k[i])
		keccakRound(a, b, k[i+1])
	}
}

// keccakRound sets b to a after a round with the constant k.
func keccakRound(b, a *[25]uint64, k uint64) {
	// θ adds d0 … d4 to the lanes of the columns 0 … 4.
	c0 := a[0] ^ a[5] ^ a[10] ^ a[15] ^ a[20]
	c1 := a[1] ^ a[6] ^ a[11] ^ a[16] ^ a[21]
	c2 := a[2] ^ a[7] ^ a[12] ^ a[17] ^ a[22]
	c3 := a[3] ^ a[8] ^ a[13] ^ a[18] ^ a[23]
	c4 := a[4] ^ a[9] ^ a[14] ^ a[19] ^ a[24]
	d0 := c4 ^ bits.RotateLeft64(c1, 1)
	d1 := c0 ^ bits.RotateLeft64(c2, 1)
	d2 := c1 ^ bits.RotateLeft64(c3, 1)
	d3 := c2 ^ bits.RotateLeft64(c4, 1)
	d4 := c3 ^ bits.RotateLeft64(c0, 1)

	// ρ turns each lane, and π brings the lanes of a diagonal to one row, of which χ makes a row of
	// the result.
	keccakChi((*[5]uint64)(b[0:]),
		a[0]^d0,
		bits.RotateLeft64(a[6]^d1, 44),
		bits.RotateLeft64(a[12]^d2, 43),
		bits.RotateLeft64(a[18]^d3, 21),
		bits.RotateLeft64(a[24]^d4, 14))
	keccakChi((*[5]uint64)(b[5:]),
		bits.RotateLeft64(a[3]^d3, 28),
		bits.RotateLeft64(a[9]^d4, 20),
		bits.RotateLeft64(a[10]^d0, 3),
		bits.RotateLeft64(a[16]^d1, 45),
		bits.RotateLeft64(a[22]^d2, 61))
	keccakChi((*[5]uint64)(b[10:]),
		bits.RotateLeft64(a[1]^d1, 1),
		bits.RotateLeft64(a[7]^d2, 6),
		bits.RotateLeft64(a[13]^d3, 25),
		bits.RotateLeft64(a[19]^d4, 8),
		bits.RotateLeft64(a[20]^d0, 18))
	keccakChi((*[5]uint64)(b[15:]),
		bits.RotateLeft64(a[4]^d4, 27),
		bits.RotateLeft64(a[5]^d0, 36),
		bits.RotateLeft64(a[11]^d1, 10),
		bits.RotateLeft64(a[17]^d2, 15),
		bits.RotateLeft64(a[23]^d3, 56))
	keccakChi((*[5]uint64)(b[20:]),
		bits.RotateLeft64(a[2]^d2, 62),
		bits.RotateLeft64(a[8]^d3, 55),
		bits.RotateLeft64(a[14]^d4, 39),
		bits.RotateLeft64(a[15]^d0, 41),
		bits.RotateLeft64(a[21]^d1, 2))

	b[0] ^= k // ι
}

// keccakChi sets a row of lanes to χ of the lanes r0 … r4, the one map that is not linear.
func keccakChi(row *[5]uint64, r0, r1, r2, r3, r4 uint64) {
	row[0] = r0 ^ ^r1&r2
	row[1] = r1 ^ ^r2&r3
	row[2] = r2 ^ ^r3&r4
	row[3] = r3 ^ ^r4&r0
	row[4] = r4 ^ ^r0&r1
}

// keccakConstants returns the constants of the rounds, in which the bits at 2^j − 1 are those of a
// linear feedback shift register.
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
