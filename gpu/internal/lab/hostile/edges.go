package hostile

import (
	"bytes"
	"math/big"
	"math/rand/v2"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// edgeNumbers returns encodings of 32 bytes of numbers at and next to the limits of coordinates, of
// scalars, of r, and of r + n.
func edgeNumbers() (list [][]byte) {
	top := new(big.Int).Lsh(num(1), 256)
	for _, x := range []*big.Int{new(big.Int), order, p, new(big.Int).Rsh(order, 1),
		new(big.Int).Sub(p, order), top, new(big.Int).Lsh(num(1), 128),
		new(big.Int).Sub(top, new(big.Int).Lsh(num(1), 40))} {
		for d := int64(-2); d <= 2; d++ {
			if y := new(big.Int).Add(x, num(d)); y.Sign() >= 0 && y.Cmp(top) < 0 {
				list = append(list, bytes32(y))
			}
		}
	}
	return list
}

// goodKeys returns valid compressed keys. They include keys with small or special coordinates, and
// keys with small or special private keys.
func goodKeys() (list [][]byte) {
	for _, k := range smallSecrets() {
		list = append(list, compress(timesG(k)))
	}
	for x, found := int64(1), 0; found < 6; x++ {
		for _, x := range []*big.Int{num(x), new(big.Int).Sub(p, num(x))} {
			if a, ok := curve.LiftX(x, found%2 == 1); ok {
				list = append(list, compress(a))
				found++
			}
		}
	}
	return list
}

// badX returns encodings of 32 bytes that are not the x coordinate of any point, or are p or more.
func badX() [][]byte {
	list := [][]byte{bytes32(p), bytes32(new(big.Int).Add(p, num(1))),
		bytes.Repeat([]byte{0xff}, 32), make([]byte, 32)}
	// p + 1 is equal to 1 modulo p, and there is a point with x = 1. So p + 1 is invalid only
	// because it is not below p.
	for x := int64(2); len(list) < 8; x++ {
		if _, ok := curve.LiftX(num(x), false); !ok {
			list = append(list, bytes32(num(x)))
		}
	}
	return list
}

// badScalars returns encodings of 32 bytes of numbers that are not in [1, n).
func badScalars() [][]byte {
	return [][]byte{make([]byte, 32), bytes32(order), bytes32(new(big.Int).Add(order, num(1))),
		bytes32(p), bytes.Repeat([]byte{0xff}, 32)}
}

// smallSecrets returns scalars k for which k·G occurs in tables and in partial sums.
func smallSecrets() []*big.Int {
	l := reference.Lambda()
	half := inverse(num(2))
	list := []*big.Int{num(1), num(2), num(3), num(5), l, mul(l, l), half,
		new(big.Int).Lsh(num(1), 128), mul(l, new(big.Int).Lsh(num(1), 127))}
	for _, x := range list[:len(list):len(list)] {
		list = append(list, negative(x))
	}
	return list
}

// keyRows returns rows of kind Decompress: their coordinates include all edge cases, their first
// bytes are valid or invalid.
func keyRows(r *rand.Rand, size int) (rows []Row) {
	add := func(what string, key []byte) {
		rows = append(rows, Row{What: what, Fields: [][]byte{key}})
	}
	for _, x := range append(edgeNumbers(), badX()...) {
		for _, first := range []byte{0, 1, 2, 3, 4, 5, 6, 7, 0x82, 0xff} {
			add("edge", append([]byte{first}, x...))
		}
	}
	for _, key := range goodKeys() {
		add("good", key)
		add("the other y", append([]byte{key[0] ^ 1}, key[1:]...))
	}
	for range size {
		add("any", append([]byte{2 | byte(r.IntN(2))}, bytes32(reference.RandInt(r))...))
		add("any first byte", append([]byte{byte(r.Uint32())}, random(r, 32)...))
	}
	shuffle(r, rows)
	return rows
}

// scalarRows returns rows of kind PublicKeys whose scalars include all edge cases.
func scalarRows(r *rand.Rand, size int) (rows []Row) {
	add := func(what string, k []byte, special bool) {
		rows = append(rows, Row{What: what, Fields: [][]byte{k}, Special: special})
	}
	for _, x := range reference.EdgeInts() {
		add("edge", bytes32(x), true)
	}
	for _, k := range smallSecrets() {
		add("small", bytes32(k), true)
	}
	for i := range uint(256) {
		for d := int64(-1); d <= 1; d++ {
			k := new(big.Int).Lsh(num(1), i)
			add("power of two", bytes32(modulo(k.Add(k, num(d)))), true)
		}
	}
	// In windows with odd digits, k = 2·d·2^i − n is the sum of d·2^i, the last window, and of
	// d·2^i − n, the other windows. These two are equal modulo n.
	for w := uint(2); w < 23; w++ {
		i := (256+w-1)/w*w - w
		d := new(big.Int).Rsh(order, i)
		d.SetBit(d, 0, 1).Lsh(d, i+1)
		add("the topmost window is what was summed", bytes32(modulo(d)), true)
		add("the topmost window is what was summed", bytes32(negative(d)), true)
	}
	for range 4 * size {
		add("any", random(r, 32), false)
	}
	shuffle(r, rows)
	return rows
}
