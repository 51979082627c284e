package hostile

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/device"
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

// meet returns a random meeting.
func meet(r *rand.Rand) meeting {
	w := combBits
	if r.IntN(4) == 0 {
		w = 2 + r.IntN(21)
	}
	for {
		a := scalar(r)
		at := r.IntN((256 + w - 1) / w)
		if m, ok := meetAt(a, w, at, r.IntN(2) == 0); ok {
			return m
		}
	}
}

// meetAt returns the meeting with the scalar a at the window with the given index: the sum before
// this window equals the window's point, or its opposite if cancels is set. Windows have w bits. It
// returns false if b·G would be infinity.
func meetAt(a *big.Int, w, index int, cancels bool) (m meeting, ok bool) {
	sign := int64(1)
	odd := a
	if a.Bit(0) == 0 {
		odd, sign = negative(a), -1
	}
	// The windows are those of the number in the variable odd. If a window of the number (odd +
	// 2^(w·windows) − 1)/2 has the w bits u, then the digit of that window is 2u − (2^w − 1).
	bits := new(big.Int).Lsh(num(1), uint((256+w-1)/w*w))
	bits.Sub(bits, num(1)).Add(bits, odd).Rsh(bits, 1)
	sum := new(big.Int)
	for i := 0; ; i++ {
		window := uint(w * i)
		u := new(big.Int).Rsh(bits, window)
		u.And(u, new(big.Int).Sub(new(big.Int).Lsh(num(1), uint(w)), num(1)))
		term := new(big.Int).Lsh(u, 1)
		term.Sub(term, new(big.Int).Lsh(num(1), uint(w))).Add(term, num(1))
		term.Mul(term, num(sign)).Lsh(term, window)
		if i < index {
			sum.Add(sum, term)
			continue
		}
		what := "equals"
		if cancels {
			what = "cancels"
			term.Neg(term)
		}
		b := modulo(term.Sub(term, sum))
		return meeting{fmt.Sprintf("what is summed %s window %d of %d bits", what, i, w), a, b},
			b.Sign() != 0
	}
}

// meetLast returns a scalar a for which the sum of b·G and of all windows of a except the last
// equals the last window. Windows have w bits. In BIP-340, b is −e·d, where e is a hash of r, the
// key and the message, and a is s. A signer can choose s after e is known, and so reach this case
// for any r.
func meetLast(b *big.Int, w int) *big.Int {
	at := uint(255 / w * w)
	sum := modulo(b)
	if sum.Bit(0) == 0 {
		sum.Sub(sum, order)
	}
	// The last window begins at the bit with the index at. The windows below it represent every odd
	// number between −2^at and 2^at. Let last be the odd multiple of 2^at nearest to sum. Then last
	// − sum is such a number, and a is last + (last − sum).
	last := new(big.Int).Rsh(new(big.Int).Abs(sum), at)
	last.SetBit(last, 0, 1).Lsh(last, at)
	if sum.Sign() < 0 {
		last.Neg(last)
	}
	return modulo(last.Sub(last.Lsh(last, 1), sum))
}

// schnorrLast returns a Schnorr row with a random message and the key d·G. The row reaches an
// exception at the last window, with windows of w bits. r is the x coordinate of a random point, so
// the row is Invalid.
func schnorrLast(r *rand.Rand, d *big.Int, w int) Row {
	msg := random(r, 32)
	key, d := evenSecret(d)
	rx := bytes32(timesG(scalar(r)).X)
	s := meetLast(negative(mul(challenge(rx, key, msg), d)), w)
	return Row{What: fmt.Sprintf("what is summed equals the last window of %d bits", w), Special: true,
		Fields: [][]byte{msg, key, slices.Concat(rx, bytes32(s))}}
}

// Meetings returns sets whose special rows reach an exception on a device with a table of G for
// windows of w bits. For each window there is a row in which the sum of the point b·G and of the
// lower windows of a equals the window's point, and a row in which that sum is the opposite of the
// point. Half of the ECDSA and BIP-340 rows have a valid r, the other half an invalid one. In
// BIP-340 rows with messages, where b is a hash, only the last window is covered.
func Meetings(w int) []Set {
	r := rand.New(rand.NewPCG(75, uint64(w)))
	var e, s, rec, last []Row
	for at := range (256 + w - 1) / w {
		for i := 0; i < 2; {
			m, ok := meetAt(scalar(r), w, at, i == 1)
			if !ok {
				continue
			}
			i++
			for _, good := range []bool{true, false} {
				if row, ok := ecdsaMeeting(m, scalar(r), scalar(r), good); ok {
					e = append(e, row)
				}
				s = append(s, schnorrMeeting(m, scalar(r), scalar(r), good))
			}
			rec = append(rec, recoverMeeting(m, scalar(r)))
		}
	}
	secrets := []*big.Int{scalar(r), scalar(r), scalar(r)}
	for range 32 {
		last = append(last, schnorrLast(r, pick(r, secrets), w))
	}
	return []Set{
		{Kind: device.ECDSA, Rows: e},
		{Kind: device.Schnorr, Rules: device.Hashed, Rows: s},
		{Kind: device.Schnorr, Rows: last},
		{Kind: device.Recover, Rows: rec},
		prepared(r, device.PreparedECDSA, e),
		prepared(r, device.PreparedSchnorr, last),
	}
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
