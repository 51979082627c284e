package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"
)

// randomDigits returns a random number of the given number of bits for each lane, as words in
// memory, and a window of width bits from bit shift up, which encodes a digit. The window begins
// within a word, goes across two words, or is at the end of a word. index has (|d| − 1)/2 for the
// digit d of each lane, and negative the mask of the lanes with negative digits.
func randomDigits(r *rand.Rand, bits, width int) (
	shift int, words []uint64, index []int, negative uint64,
) {
	shift = r.IntN(bits + 1 - width)
	switch r.IntN(4) {
	case 0:
		shift = 64 * r.IntN(bits/64)
	case 1:
		shift = min(64*(1+r.IntN(bits/64))-width+r.IntN(2*width), bits-width)
	}
	words = make([]uint64, bits/64*Lanes)
	for j := range Lanes {
		x := random(r, bits)
		for i := range bits / 64 {
			words[Lanes*i+j] = new(big.Int).Rsh(x, uint(64*i)).Uint64()
		}
		code := int(new(big.Int).Rsh(x, uint(shift)).Uint64() & (1<<width - 1))
		digit := 2*code - (1<<width - 1)
		if digit < 0 {
			negative |= 1 << j
		}
		index = append(index, max(digit, -digit)/2)
	}
	return shift, words, index, negative
}

// DigitReads returns n calls of a kernel that reads one point for each lane, in constant time, and
// negates the points for negative digits. If shared is set, all lanes read the same table of 32
// points. Otherwise each lane has its own points, and the kernel has an argument for the number of
// entries.
func DigitReads(shared bool, r *rand.Rand, n int) []*Call {
	bits, widths := 192, 7
	if shared {
		bits, widths = 320, 6
	}
	var calls []*Call
	for k := range n {
		width := 1 + k%widths
		shift, words, index, negative := randomDigits(r, bits, width)
		entries := 1 << (width - 1)
		in, point := digitTable(shared, r, entries)
		c := &Call{
			Name: fmt.Sprintf("call %d: %d bits from %d", k, width, shift),
			Buffers: []Buffer{
				{Param: "table", Words: len(in), In: in},
				{Param: "words", Words: len(words), In: words},
				{Param: "p", Words: 2 * ElementWords, Out: true},
			},
			Numbers: []Number{
				{Param: "shift", Value: uint64(shift)},
				{Param: "width", Value: uint64(width)},
			},
			Check: func(v Values) error {
				for j := range Lanes {
					want := [2]*big.Int{point(index[j], j, 0).Int(), point(index[j], j, 1).Int()}
					if err := checkPoint(v["p"], j, want, negative); err != nil {
						return err
					}
				}
				return nil
			},
		}
		if !shared {
			c.Numbers = append(c.Numbers, Number{Param: "table.len", Value: uint64(entries)})
		}
		calls = append(calls, c)
	}
	return calls
}

// digitTable returns the words of a random table with the given number of entries, and a function
// for coordinate e (0 for x, 1 for y) of the entry with an index in a lane.
func digitTable(
	shared bool, r *rand.Rand, entries int,
) (in []uint64, point func(index, j, e int) Lane) {
	if !shared {
		for range 2 * entries {
			var lanes [Lanes]Lane
			for j := range lanes {
				lanes[j] = RandomLane(r)
			}
			in = append(in, lanesOf(lanes)...)
		}
		return in, func(index, j, e int) Lane { return laneOf(in, 2*index+e, j) }
	}
	const points = 32
	in = make([]uint64, 10*points)
	for i := range in {
		in[i] = r.Uint64()
	}
	for k := range entries {
		for e := range 2 {
			for i, x := range RandomLane(r) {
				in[points*(5*e+i)+k] = x
			}
		}
	}
	return in, func(index, _, e int) (l Lane) {
		for i := range l {
			l[i] = in[points*(5*e+i)+index]
		}
		return l
	}
}
