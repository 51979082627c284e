package hostile

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
)

// combBits is kernels.CombBits, the window size of the host's table. This package cannot import
// package kernels, whose tests import this package.
const combBits = 8

// A meeting is a scalar a and a point b·G for which adding a·G to b·G reaches an exception. The
// addition takes the windows of a with odd digits, the lowest first, as the kernels do
// (kernels/point.h). At some window, the sum so far equals the window's point or its opposite.
type meeting struct {
	what string
	a, b *big.Int
}

// meet returns a random meeting: the sum before a random window equals the window's point, or its
// opposite.
func meet(r *rand.Rand) meeting {
	a, index := scalar(r), r.IntN(256/combBits)
	odd, sign := a, int64(1)
	if a.Bit(0) == 0 {
		odd, sign = negative(a), -1
	}
	// The windows are those of the number in the variable odd. If a window of the number (odd +
	// 2^256 − 1)/2 has the bits u, then the digit of that window is 2u − (2^combBits − 1).
	bits := new(big.Int).Lsh(num(1), 256)
	bits.Sub(bits, num(1)).Add(bits, odd).Rsh(bits, 1)
	sum := new(big.Int)
	for i := 0; ; i++ {
		u := new(big.Int).Rsh(bits, uint(combBits*i)).Uint64() % (1 << combBits)
		term := num(sign * (2*int64(u) + 1 - 1<<combBits))
		term.Lsh(term, uint(combBits*i))
		if i < index {
			sum.Add(sum, term)
			continue
		}
		what := "equals"
		if r.IntN(2) == 0 {
			what = "cancels"
			term.Neg(term)
		}
		b := modulo(term.Sub(term, sum))
		if b.Sign() == 0 { // b·G would be infinity
			return meet(r)
		}
		return meeting{fmt.Sprintf("what is summed %s window %d", what, i), a, b}
	}
}

// schnorrLast returns a Schnorr row with a random message and the key d·G. The row reaches an
// exception at the last window: with b·G = −e·P, the sum of b·G and of all windows of s except the
// last equals the last window. A signer can choose s after the challenge e is known, and so reach
// this case for any r. r is the x coordinate of a random point, so the row is Invalid.
func schnorrLast(r *rand.Rand, d *big.Int) Row {
	msg := random(r, 32)
	key, d := evenSecret(d)
	rx := bytes32(timesG(scalar(r)).X)
	sum := negative(mul(challenge(rx, key, msg), d)) // b
	if sum.Bit(0) == 0 {
		sum.Sub(sum, order)
	}
	// The last window begins at the bit with the index at. The windows below it represent every odd
	// number between −2^at and 2^at. Let last be the odd multiple of 2^at nearest to sum. Then last
	// − sum is such a number, and s is last + (last − sum).
	const at = 256 - combBits
	last := new(big.Int).Rsh(new(big.Int).Abs(sum), at)
	last.SetBit(last, 0, 1).Lsh(last, at)
	if sum.Sign() < 0 {
		last.Neg(last)
	}
	s := modulo(last.Sub(last.Lsh(last, 1), sum))
	return Row{What: "what is summed equals the last window", Special: true,
		Fields: [][]byte{msg, key, slices.Concat(rx, bytes32(s))}}
}

// ecdsaMeeting returns an ECDSA row with the meeting m and the key d·G. If good is set, the
// signature's r is the x coordinate of the nonce point R, and the row is valid. Otherwise r is the
// parameter x.
func ecdsaMeeting(m meeting, d, x *big.Int, good bool) (Row, bool) {
	if R := timesG(new(big.Int).Add(m.a, m.b)); good && !R.IsInfinity() {
		x = modulo(R.X)
	}
	return backwards(m.what, timesG(d), x, m.a, mul(m.b, inverse(d)))
}

// recoverMeeting returns a row of kind Recover with the meeting m. The recovered key is −z/r·G +
// s/r·R, with R = k·G.
func recoverMeeting(m meeting, k *big.Int) Row {
	R := timesG(k)
	x := modulo(R.X)
	id := byte(R.Y.Bit(0))
	if R.X.Cmp(order) >= 0 {
		id |= 2
	}
	s, z := mul(mul(m.b, inverse(k)), x), negative(mul(m.a, x))
	return Row{What: m.what, Special: true,
		Fields: [][]byte{bytes32(z), slices.Concat(bytes32(x), bytes32(s), []byte{id})}}
}

// schnorrMeeting returns a BIP-340 row with the key d·G whose verification adds the points of the
// meeting m. If good is set, the signature's r is the x coordinate of their sum R, and the row is
// valid. Otherwise r is the x coordinate of the unrelated point k·G.
func schnorrMeeting(m meeting, d, k *big.Int, good bool) Row {
	key, d := evenSecret(d)
	e := negative(mul(m.b, inverse(d)))
	rx := bytes32(timesG(k).X)
	if R := timesG(new(big.Int).Add(m.a, m.b)); good && !R.IsInfinity() {
		rx = bytes32(R.X)
	}
	return Row{What: m.what, Special: true,
		Fields: [][]byte{bytes32(e), key, slices.Concat(rx, bytes32(m.a))}}
}
