package reference

import (
	"encoding/binary"
	"math/bits"
)

// keccakRounds is the number of rounds of Keccak-f[1600].
const keccakRounds = 24

// KeccakPermute applies Keccak-f[1600] to a state. a[x][y] is the lane (x, y) ("The Keccak
// reference", version 3.0, section 1.2).
func KeccakPermute(a *[5][5]uint64) {
	for round := range keccakRounds {
		// θ: add the parities of two columns to each lane
		var c [5]uint64
		for x := range 5 {
			for y := range 5 {
				c[x] ^= a[x][y]
			}
		}
		for x := range 5 {
			for y := range 5 {
				a[x][y] ^= c[(x+4)%5] ^ bits.RotateLeft64(c[(x+1)%5], 1)
			}
		}
		// ρ rotates the lanes. A matrix generates the order in which it visits them, and the
		// offsets are the triangular numbers.
		for x, y, t := 1, 0, 0; t < 24; t++ {
			a[x][y] = bits.RotateLeft64(a[x][y], (t+1)*(t+2)/2%64)
			x, y = y, (2*x+3*y)%5
		}
		// π: permute the lanes
		from := *a
		for x := range 5 {
			for y := range 5 {
				a[y][(2*x+3*y)%5] = from[x][y]
			}
		}
		// χ: the nonlinear step
		from = *a
		for x := range 5 {
			for y := range 5 {
				a[x][y] ^= ^from[(x+1)%5][y] & from[(x+2)%5][y]
			}
		}
		// ι: add the round constant
		for j := range 7 {
			a[0][0] ^= keccakBit(7*round+j) << (1<<j - 1)
		}
	}
}

// keccakBit returns bit t of the linear feedback shift register that generates the round constants:
// the constant term of x^t modulo x^8 + x^6 + x^5 + x^4 + 1.
func keccakBit(t int) uint64 {
	r := 1
	for range t {
		r <<= 1
		if r&0x100 != 0 {
			r ^= 0x171
		}
	}
	return uint64(r & 1)
}

// Keccak256 returns the first 32 bytes of Keccak with a capacity of 512 bits. padding is the first
// byte of the padding: 1 in the original Keccak, which Ethereum uses, and 6 in SHA3-256 (FIPS 202,
// section 6.1).
func Keccak256(msg []byte, padding byte) []byte {
	const rate = 136
	padded := append(append([]byte(nil), msg...), padding)
	for len(padded)%rate != 0 {
		padded = append(padded, 0)
	}
	padded[len(padded)-1] |= 0x80
	var a [5][5]uint64
	for ; len(padded) > 0; padded = padded[rate:] {
		for i := range rate / 8 {
			a[i%5][i/5] ^= binary.LittleEndian.Uint64(padded[8*i:])
		}
		KeccakPermute(&a)
	}
	var out []byte
	for i := range 4 {
		out = binary.LittleEndian.AppendUint64(out, a[i][0])
	}
	return out
}

// EthereumAddress returns the Ethereum address of a public key: the last 20 bytes of the Keccak-256
// of its coordinates (Ethereum's Yellow Paper, appendix F).
func EthereumAddress(key Point) []byte {
	var b [64]byte
	key.X.FillBytes(b[:32])
	key.Y.FillBytes(b[32:])
	return Keccak256(b[:], 1)[12:]
}
