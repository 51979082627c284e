package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// A DigitRead holds the names of the arguments of a kernel that reads one point for each lane, in
// constant time, and negates the points for negative digits. A digit is a window of bits of a
// number.
type DigitRead struct {
	Out, Table, Words, Shift, Width string
	// Bits is the number of bits of the numbers in Words.
	Bits int
	// Shared says that all lanes read the same table of 32 points. Otherwise each lane has its own
	// points, and the kernel has an argument for the number of entries.
	Shared bool
}

// Calls returns n calls. As those of DigitLookup, the windows begin within a word, go across two
// words, or are at the end of a word.
func (d DigitRead) Calls(r *rand.Rand, n int) []*Call {
	var calls []*Call
	for k := range n {
		width := 1 + k%7
		if d.Shared {
			width = 1 + k%6
		}
		shift := r.IntN(d.Bits + 1 - width)
		switch r.IntN(4) {
		case 0:
			shift = 64 * r.IntN(d.Bits/64)
		case 1:
			shift = min(64*(1+r.IntN(d.Bits/64))-width+r.IntN(2*width), d.Bits-width)
		}
		words := make([]uint64, d.Bits/64*Lanes)
		var index []int
		var negative uint64
		for j := range Lanes {
			x := random(r, d.Bits)
			for i := range d.Bits / 64 {
				words[Lanes*i+j] = new(big.Int).Rsh(x, uint(64*i)).Uint64()
			}
			code := int(new(big.Int).Rsh(x, uint(shift)).Uint64() & (1<<width - 1))
			digit := 2*code - (1<<width - 1)
			if digit < 0 {
				negative |= 1 << j
			}
			index = append(index, max(digit, -digit)/2)
		}
		entries := 1 << (width - 1)
		in, point := d.table(r, entries)
		c := &Call{
			Name: fmt.Sprintf("call %d: %d bits from %d", k, width, shift),
			Buffers: []Buffer{
				{Param: d.Table, Words: len(in), In: in},
				{Param: d.Words, Words: len(words), In: words},
				{Param: d.Out, Words: 2 * ElementWords, Out: true},
			},
			Numbers: []Number{
				{Param: d.Shift, Value: uint64(shift)},
				{Param: d.Width, Value: uint64(width)},
			},
			Check: func(v Values) error {
				for j := range Lanes {
					for e := range 2 {
						want := point(index[j], j, e).Int()
						if e == 1 && negative>>j&1 == 1 {
							want.Neg(want)
						}
						if err := LaneCheck(laneOf(v[d.Out], e, j), want, reference.P(), false); err != nil {
							return fmt.Errorf("lane %d, coordinate %d: %w", j, e, err)
						}
					}
				}
				return nil
			},
		}
		if !d.Shared {
			c.Numbers = append(c.Numbers, Number{Param: d.Table + ".len", Value: uint64(entries)})
		}
		calls = append(calls, c)
	}
	return calls
}

// table returns the words of a random table with the given number of entries, and a function for
// coordinate e (0 for x, 1 for y) of the entry with an index in a lane.
func (d DigitRead) table(
	r *rand.Rand, entries int,
) (in []uint64, point func(index, j, e int) Lane) {
	if !d.Shared {
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
