package hostile

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// ecdsaRows returns rows of kind ECDSA without recovery ids, valid and hostile ones.
func ecdsaRows(r *rand.Rand, size int) (rows []Row) {
	add := func(what string, hash, key []byte, sig ...[]byte) {
		rows = append(rows, Row{What: what, Fields: [][]byte{hash, key, slices.Concat(sig...)}})
	}
	for range size {
		hash, key, rb, sb := signed(r)
		high := bytes32(negative(new(big.Int).SetBytes(sb)))
		add("good", hash, key, rb, sb)
		add("high or low s", hash, key, rb, high)
		add("another hash", flip(r, hash), key, rb, sb)
		add("another key", hash, flip(r, key), rb, sb)
		add("another r", hash, key, flip(r, rb), sb)
		add("another s", hash, key, rb, flip(r, sb))
		add("the opposite key", hash, append([]byte{key[0] ^ 1}, key[1:]...), rb, sb)
		add("bad first byte", hash, append([]byte{byte(4 + r.IntN(252))}, key[1:]...), rb, sb)
		add("first byte below 2", hash, append([]byte{byte(r.IntN(2))}, key[1:]...), rb, sb)
		add("nothing good", random(r, 32), random(r, 33), random(r, 64))
	}
	hash, key, rb, sb := signed(r)
	high := bytes32(negative(new(big.Int).SetBytes(sb)))
	for _, x := range badX() {
		add("bad key", hash, append([]byte{2}, x...), rb, sb)
		add("bad key, high or low s", hash, append([]byte{3}, x...), rb, high)
	}
	for _, x := range badScalars() {
		add("bad r", hash, key, x, sb)
		add("bad s", hash, key, rb, x)
	}
	keys := goodKeys()
	for range 4 * size {
		add("edges", pick(r, edgeNumbers()), pick(r, keys), pick(r, edgeNumbers()),
			pick(r, edgeNumbers()))
		rows[len(rows)-1].Special = true
	}
	rows = append(rows, hashesOfOneResidue(r)...)
	rows = append(rows, crafted(r, size)...)
	// Rows in which an addition has two equal or opposite points. Half of them have an r that does not
	// belong to R. An attacker can make such rows, so a device must not call them Valid.
	for range 8 * size {
		if row, ok := ecdsaMeeting(meet(r), scalar(r), scalar(r), r.IntN(2) == 0); ok {
			rows = append(rows, row)
		}
	}
	shuffle(r, rows)
	return rows
}

// signed returns a random hash, a key and a signature by that key. Its s is high or low at random.
func signed(r *rand.Rand) (hash, key, rb, sb []byte) {
	for {
		d, k, hash := scalar(r), modulo(new(big.Int).SetBytes(random(r, 32))), random(r, 32)
		if x, s, _, ok := reference.SignECDSA(d, hash, k); ok {
			return hash, compress(timesG(d)), bytes32(x), bytes32(s)
		}
	}
}

// hashesOfOneResidue returns pairs of rows with the hashes z and z + n, which are equal modulo n.
// Both rows have the same verdict, also with the opposite key. In one pair z is 0: an attacker can
// choose this hash for all rows, so a device must give verdicts for such rows.
func hashesOfOneResidue(r *rand.Rand) (rows []Row) {
	for z := int64(0); z < 4; z++ {
		d, k := scalar(r), modulo(new(big.Int).SetBytes(random(r, 32)))
		x, s, _, _ := reference.SignECDSA(d, bytes32(num(z)), k)
		for _, h := range []*big.Int{num(z), new(big.Int).Add(order, num(z))} {
			key, sig := compress(timesG(d)), append(bytes32(x), bytes32(s)...)
			rows = append(rows, Row{What: "z or z + n", Fields: [][]byte{bytes32(h), key, sig}},
				Row{What: "z or z + n, the opposite key",
					Fields: [][]byte{bytes32(h), slices.Concat([]byte{key[0] ^ 1}, key[1:]), sig}})
		}
	}
	return rows
}

// crafted returns rows computed from chosen u1 and u2. This determines R = u1·G + u2·Q and the
// partial sums on the way to R.
func crafted(r *rand.Rand, size int) (rows []Row) {
	add := func(what string, d, u1, u2 *big.Int) {
		if row, ok := ecdsaMeeting(meeting{what, modulo(u1), mul(u2, d)}, d, num(1), true); ok {
			rows = append(rows, row)
		}
	}
	multipliers := append([]*big.Int{new(big.Int)}, smallSecrets()...)
	for range 4 * size {
		d, u1, u2 := pick(r, smallSecrets()), pick(r, multipliers), pick(r, multipliers[1:])
		add(fmt.Sprintf("Q = %x·G, u1 = %x, u2 = %x", d, u1, u2), d, u1, u2)
	}
	// In these rows both halves of u2 are small: only then can partial sums of u2·Q be equal.
	l := reference.Lambda()
	for range 4 * size {
		u2 := new(big.Int).Mul(l, num(int64(r.IntN(65)-32)))
		u2.Add(u2, num(int64(r.IntN(65)-32)))
		if modulo(u2).Sign() != 0 {
			add(fmt.Sprintf("u2 = %x", modulo(u2)), scalar(r), scalar(r), u2)
		}
	}
	for range size {
		d, u2 := scalar(r), scalar(r)
		u1 := mul(d, u2)
		add("u1·G = u2·Q", d, u1, u2)
		add("u1·G = −u2·Q", d, negative(u1), u2)
	}
	// In these rows r + n is not below p, and equals x(R) only modulo p or modulo 2^256.
	for range 2 * size {
		d, u1, u2 := scalar(r), scalar(r), scalar(r)
		X := timesG(new(big.Int).Add(u1, mul(u2, d))).X
		for _, top := range []*big.Int{p, new(big.Int).Lsh(num(1), 256)} {
			x := new(big.Int).Sub(new(big.Int).Add(X, top), order)
			if row, ok := backwards("r = x(R) − n modulo another number", timesG(d), x, u1, u2); ok &&
				x.Cmp(order) < 0 {
				rows = append(rows, row)
			}
		}
	}
	// Rows with a small r. The x coordinate of their nonce point R is r itself, or r + n, which is
	// not below n.
	for x := num(0); x.Cmp(num(40)) < 0; x.Add(x, num(1)) {
		for _, x := range []*big.Int{x, new(big.Int).Add(order, x)} {
			R, ok := curve.LiftX(x, x.Bit(3) == 1)
			if !ok || modulo(x).Sign() == 0 {
				continue
			}
			if row, ok := toward(r, R, modulo(x)); ok {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// toward returns a row with the nonce point R and r = x. Its key is Q = (R − u1·G)/u2, for random
// u1 and u2.
func toward(r *rand.Rand, R reference.Point, x *big.Int) (Row, bool) {
	u1, u2 := scalar(r), scalar(r)
	Q := curve.ScalarMult(inverse(u2), curve.Add(R, curve.Neg(timesG(u1))))
	return backwards("r = x(R) mod n", Q, x, u1, u2)
}

// backwards returns a row computed from its result: R = u1·G + u2·Q and r = x modulo n. It returns
// false if Q is infinity, or r or u2 is 0.
func backwards(what string, Q reference.Point, x, u1, u2 *big.Int) (Row, bool) {
	if Q.IsInfinity() || x.Sign() == 0 || u2.Sign() == 0 {
		return Row{}, false
	}
	s := mul(x, inverse(u2))
	return Row{What: what, Special: true,
		Fields: [][]byte{bytes32(mul(u1, s)), compress(Q), append(bytes32(x), bytes32(s)...)}}, true
}

// withIDs adds a random recovery id to each row. The ids do not change the verdicts. It returns
// these rows and, for each id, one more valid row.
func withIDs(r *rand.Rand, rows []Row) []Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Fields = append(slices.Clone(rows[i].Fields), []byte{byte(r.IntN(5))})
	}
	hash, key, rb, sb := signed(r)
	for id := range 256 {
		rows = append(rows, Row{What: "an id", Fields: [][]byte{hash, key, slices.Concat(rb, sb),
			{byte(id)}}})
	}
	shuffle(r, rows)
	return rows
}

// recoverRows returns rows of kind Recover: the rows of src, which are ECDSA rows with recovery
// ids, and others.
func recoverRows(r *rand.Rand, size int, src []Row) (rows []Row) {
	add := func(what string, special bool, hash, sig []byte, id byte) {
		rows = append(rows, Row{What: fmt.Sprintf("%s, id %d", what, id), Special: special,
			Fields: [][]byte{hash, append(slices.Clone(sig), id)}})
	}
	for _, row := range src {
		hash, sig := row.Fields[0], row.Fields[2]
		add(row.What, row.Special, hash, sig, byte(r.IntN(2)))
		if r.IntN(4) == 0 {
			add(row.What, row.Special, hash, sig, byte(2+r.IntN(2)))
			add(row.What, row.Special, hash, sig, byte(4+r.IntN(252)))
		}
	}
	hash, _, rb, sb := signed(r)
	for id := range 256 {
		add("an id", false, hash, append(rb, sb...), byte(id))
	}
	// Rows whose recovered key is infinity, since s·R = z·G, and rows in which a partial sum equals
	// ±z·G.
	for _, k := range smallSecrets() {
		x, z := modulo(timesG(k).X), scalar(r)
		for _, f := range []int64{1, -1, 2, -2} {
			s := mul(mul(z, inverse(k)), num(f))
			for id := range byte(2) {
				add(fmt.Sprintf("s·R = %d·z·G", f), true, bytes32(z),
					append(bytes32(x), bytes32(s)...), id)
			}
		}
	}
	// Rows with small r, for which r + n is below p, and with r near p − n, where r + n reaches p.
	for i := int64(-12); i < 30; i++ {
		x := num(i)
		if i <= 0 {
			x = new(big.Int).Sub(new(big.Int).Sub(p, order), num(i+6))
		}
		for id := range byte(4) {
			add("r + n", false, random(r, 32), append(bytes32(x), bytes32(scalar(r))...), id)
		}
	}
	for range 4 * size {
		rows = append(rows, recoverMeeting(meet(r), scalar(r)))
	}
	shuffle(r, rows)
	return rows
}
