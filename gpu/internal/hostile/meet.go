package hostile

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
)

// A meeting is a multiplier a of G, and the multiplier b of G that a sum must have begun with
// to be equal or opposite to what is added to it next: a is taken in windows of odd digits from
// the lowest on, as by the comb of kernels/point.h.
type meeting struct {
	what string
	a, b *big.Int
}

// meet returns a random meeting.
func meet(r *rand.Rand) meeting {
	w := 8
	if r.IntN(4) == 0 {
		w = 2 + r.IntN(21)
	}
	windows := (256 + w - 1) / w
	for {
		a := scalar(r)
		sign := int64(1)
		odd := a
		if a.Bit(0) == 0 {
			odd, sign = negative(a), -1
		}
		// The digit 2u − (2^w − 1) has the bits u, those of (odd + 2^(w·windows) − 1)/2.
		bits := new(big.Int).Lsh(num(1), uint(w*windows))
		bits.Sub(bits, num(1)).Add(bits, odd).Rsh(bits, 1)
		at := r.IntN(windows)
		sum := new(big.Int)
		for i := 0; ; i++ {
			window := uint(w * i)
			u := new(big.Int).Rsh(bits, window)
			u.And(u, new(big.Int).Sub(new(big.Int).Lsh(num(1), uint(w)), num(1)))
			term := new(big.Int).Lsh(u, 1)
			term.Sub(term, new(big.Int).Lsh(num(1), uint(w))).Add(term, num(1))
			term.Mul(term, num(sign)).Lsh(term, window)
			if i < at {
				sum.Add(sum, term)
				continue
			}
			what := "equals"
			if r.IntN(2) == 0 {
				what = "cancels"
				term.Neg(term)
			}
			b := modulo(term.Sub(term, sum))
			if b.Sign() == 0 {
				break
			}
			return meeting{fmt.Sprintf("what is summed %s window %d of %d bits", what, i, w), a, b}
		}
	}
}

// ecdsaMeetings returns rows of ECDSA in which partial sums meet. Half of them have an r that
// has nothing to do with R: whoever makes a row can choose it, so it must not count as good.
func ecdsaMeetings(r *rand.Rand, size int) (rows []Row) {
	for range 8 * size {
		m, d := meet(r), scalar(r)
		u2 := mul(m.b, inverse(d))
		x := scalar(r)
		if R := timesG(new(big.Int).Add(m.a, m.b)); r.IntN(2) == 0 && !R.IsInfinity() {
			x = modulo(R.X)
		}
		if row, ok := backwards(m.what, timesG(d), x, m.a, u2); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// recoverMeetings returns rows of Recover in which partial sums meet: Q = −z/r·G + s/r·R.
func recoverMeetings(r *rand.Rand, size int) (rows []Row) {
	for range 4 * size {
		m, k := meet(r), scalar(r)
		R := timesG(k)
		x := modulo(R.X)
		id := byte(R.Y.Bit(0))
		if R.X.Cmp(order) >= 0 {
			id |= 2
		}
		s, z := mul(mul(m.b, inverse(k)), x), negative(mul(m.a, x))
		rows = append(rows, Row{What: m.what, Special: true,
			Fields: [][]byte{bytes32(z), slices.Concat(bytes32(x), bytes32(s), []byte{id})}})
	}
	return rows
}

// schnorrMeetings returns rows of Schnorr with challenges in which partial sums meet, half of
// them with any r.
func schnorrMeetings(r *rand.Rand, size int) (rows []Row) {
	for range 8 * size {
		m := meet(r)
		key, d := evenSecret(scalar(r))
		e := negative(mul(m.b, inverse(d)))
		rx := bytes32(timesG(scalar(r)).X)
		if R := timesG(new(big.Int).Add(m.a, m.b)); r.IntN(2) == 0 && !R.IsInfinity() {
			rx = bytes32(R.X)
		}
		rows = append(rows, Row{What: m.what, Special: true,
			Fields: [][]byte{bytes32(e), key, slices.Concat(rx, bytes32(m.a))}})
	}
	return rows
}
