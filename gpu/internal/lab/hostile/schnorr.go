package hostile

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// challenge returns the challenge of BIP-340, the tagged hash of its arguments, modulo n.
func challenge(rx, key, msg []byte) *big.Int {
	return modulo(new(big.Int).SetBytes(reference.TaggedHash("BIP0340/challenge", rx, key, msg)))
}

// evenSecret returns the x coordinate of d·G, and the secret d or −d for which the public key has
// an even y.
func evenSecret(d *big.Int) (key []byte, even *big.Int) {
	a := timesG(d)
	if a.Y.Bit(0) == 1 {
		d = negative(d)
	}
	return bytes32(a.X), modulo(d)
}

// schnorrRows returns BIP-340 rows with messages, valid and hostile ones.
func schnorrRows(r *rand.Rand, size int) (rows []Row) {
	special := false
	add := func(what string, msg, key []byte, sig ...[]byte) {
		rows = append(rows, Row{What: what, Special: special,
			Fields: [][]byte{msg, key, slices.Concat(sig...)}})
	}
	for range size {
		d, msg := scalar(r), random(r, 32)
		key, _ := evenSecret(d)
		sig, ok := reference.SignBIP340(d, msg, random(r, 32))
		if !ok {
			continue
		}
		rb, sb := sig[:32], sig[32:]
		add("good", msg, key, sig)
		add("another message", flip(r, msg), key, sig)
		add("another key", msg, flip(r, key), sig)
		add("another r", msg, key, flip(r, rb), sb)
		add("another s", msg, key, rb, flip(r, sb))
		add("the opposite s", msg, key, rb, bytes32(negative(new(big.Int).SetBytes(sb))))
		for _, x := range badX() {
			add("bad key", msg, x, sig)
			add("bad R", msg, key, x, sb)
		}
		for _, x := range badScalars() {
			add("zero or bad s", msg, key, rb, x)
		}
		key, d = evenSecret(d)
		rx, k := evenSecret(scalar(r))
		s := new(big.Int).Sub(mul(challenge(rx, key, msg), d), k)
		add("an odd R", msg, key, rx, bytes32(modulo(s)))
		add("nothing good", random(r, 32), random(r, 32), random(r, 64))
	}
	special = true
	keys := goodKeys()
	for range 4 * size {
		add("edges", pick(r, edgeNumbers()), pick(r, keys)[1:], pick(r, edgeNumbers()),
			pick(r, edgeNumbers()))
	}
	// These rows have s = k + f·e·d, where k and the small factor f are chosen, e is the challenge,
	// and d the private key. So the point R = s·G − e·P = k·G + (f − 1)·e·P is known in advance. In
	// every eighth row it is infinity.
	secrets := append(smallSecrets(), scalar(r), scalar(r), scalar(r))
	for i := range 8 * size {
		msg := random(r, 32)
		key, d := evenSecret(pick(r, secrets))
		k := pick(r, secrets)
		f := pick(r, []int64{1, 1, 1, 1, -1, 0, 2})
		rx := bytes32(timesG(k).X)
		switch i % 8 {
		case 0:
			k, f = new(big.Int), 1
		case 1: // a kernel may represent infinity by a coordinate 0 or 1
			k, rx = new(big.Int), bytes32(num(int64(r.IntN(2))))
		case 2:
			rx = key
		case 3: // −e·P = s·G, for a random r
			k, f, rx = new(big.Int), -1, bytes32(timesG(scalar(r)).X)
		case 4, 5: // valid
			f = 1
			rx, k = evenSecret(k)
		}
		s := modulo(new(big.Int).Add(k, mul(mul(challenge(rx, key, msg), d), num(f))))
		add(fmt.Sprintf("d = %x, k = %x, s = k + %d·e·d", d, k, f), msg, key, rx, bytes32(s))
	}
	for range 4 * size {
		rows = append(rows, schnorrLast(r, scalar(r)))
	}
	shuffle(r, rows)
	return rows
}

// hashed returns BIP-340 rows with challenges: the rows of src with their messages replaced by
// challenges, and others.
func hashed(r *rand.Rand, size int, src []Row) (rows []Row) {
	for i, row := range src {
		msg, key, sig := row.Fields[0], row.Fields[1], row.Fields[2]
		// A challenge may be any 32 bytes. It is reduced modulo n.
		e := reference.TaggedHash("BIP0340/challenge", sig[:32], key, msg)
		if i%8 == 0 {
			e = pick(r, edgeNumbers())
		}
		rows = append(rows, Row{row.What, [][]byte{e, key, sig}, row.Special || i%8 == 0})
	}
	// Pairs of rows with R = k·G and the challenges e and e + n, which are equal modulo n. One pair
	// has e = 0, although no message with that challenge is known.
	for e := range int64(6) {
		key, d := evenSecret(scalar(r))
		rx, k := evenSecret(scalar(r))
		s := bytes32(modulo(new(big.Int).Add(k, mul(num(e), d))))
		for _, e := range []*big.Int{num(e), new(big.Int).Add(order, num(e))} {
			rows = append(rows, Row{"e or e + n", [][]byte{bytes32(e), key, slices.Concat(rx, s)},
				modulo(e).Sign() == 0})
		}
	}
	for range 8 * size {
		rows = append(rows, schnorrMeeting(meet(r), scalar(r), scalar(r), r.IntN(2) == 0))
	}
	shuffle(r, rows)
	return rows
}
