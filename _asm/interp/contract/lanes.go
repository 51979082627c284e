package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// An element is a vector of Lanes integers, and has ElementWords 64-bit words in memory. Limb i of
// the integer in lane j is word 8·i + j.
const (
	Lanes        = 8
	ElementWords = 5 * Lanes
)

const mask52 = 1<<52 - 1

// A Lane is one number in five limbs of 52 bits.
type Lane [5]uint64

// ToLane returns the five limbs of x, which must be below 2^260.
func ToLane(x *big.Int) (l Lane) {
	for i := range l {
		y := new(big.Int).Rsh(x, uint(52*i))
		l[i] = y.And(y, big.NewInt(mask52)).Uint64()
	}
	return l
}

// Int returns the integer that the limbs of l represent.
func (l Lane) Int() *big.Int {
	x := new(big.Int)
	for i := len(l) - 1; i >= 0; i-- {
		x.Lsh(x, 52).Add(x, new(big.Int).SetUint64(l[i]))
	}
	return x
}

// RandomLane returns a random reduced lane: limbs 0 to 3 are below 2^52, and limb 4 is below 2^49.
// Half of the limbs have extreme values.
func RandomLane(r *rand.Rand) (l Lane) {
	switch r.IntN(8) {
	case 0:
		x := new(big.Int).Set(reference.RandInt(r))
		if r.IntN(2) == 0 {
			x.Add(x, reference.P())
		}
		return ToLane(x)
	case 1: // near a multiple of p, up to numbers above 2^256
		x := new(big.Int).Mul(reference.P(), big.NewInt(1+r.Int64N(2)))
		x.Add(x, random(r, 1+r.IntN(34)))
		if x.BitLen() <= 257 {
			return ToLane(x.Sub(x, big.NewInt(3)))
		}
	}
	for i := range l {
		switch r.IntN(6) {
		case 0:
			l[i] = mask52
		case 1:
			l[i] = 0
		case 2:
			l[i] = mask52 - r.Uint64()>>(12+r.IntN(50))
		case 3:
			l[i] = r.Uint64() >> (12 + r.IntN(50))
		default:
			l[i] = r.Uint64() >> 12
		}
	}
	l[4] >>= 3
	return l
}

// lanesOf returns eight lanes as the words of an element in memory.
func lanesOf(ls [Lanes]Lane) []uint64 {
	w := make([]uint64, ElementWords)
	for j, l := range ls {
		for i, x := range l {
			w[Lanes*i+j] = x
		}
	}
	return w
}

// laneOf returns the limbs in lane j of the k-th element of w.
func laneOf(w []uint64, k, j int) (l Lane) {
	for i := range l {
		l[i] = w[ElementWords*k+Lanes*i+j]
	}
	return l
}

// LaneCheck returns an error if the lane l is not reduced or not congruent to want modulo m. If
// canonical is set, l must also be below m.
func LaneCheck(l Lane, want, m *big.Int, canonical bool) error {
	for i, x := range l {
		if x > mask52 || i == 4 && x >= 1<<49 {
			return fmt.Errorf("limb %d is %#x", i, x)
		}
	}
	got := l.Int()
	if canonical && got.Cmp(m) >= 0 {
		return fmt.Errorf("%#x is not canonical", got)
	}
	if d := new(big.Int).Sub(got, want); d.Mod(d, m).Sign() != 0 {
		return fmt.Errorf("%#x, want %#x", got, want)
	}
	return nil
}

// A LaneKernel describes a kernel that computes, in each lane, the elements of the outputs Out from
// the elements of the arguments In.
type LaneKernel struct {
	Out string
	In  []string
	// Elements lists the number of elements of each argument of In, followed by the numbers for
	// Out. If Elements is nil, each argument has one element.
	Elements []int
	// F returns the expected results of one lane in call k. x has the numbers in this lane of all
	// elements of all arguments, in order.
	F func(k, lane int, x []*big.Int) []*big.Int
	// Numbers returns the arguments that call k passes by value.
	Numbers func(k int) []Number
	// Input, if set, changes the random inputs x of one lane in call k.
	Input     func(r *rand.Rand, k, lane int, x []Lane)
	Modulus   *big.Int // modulus of the results; nil: p
	Canonical bool
}

// Calls returns n calls. In turn, the output shares its memory with each argument of the same size.
// Sometimes arguments of the same size share their memory too.
func (d LaneKernel) Calls(r *rand.Rand, n int) []*Call {
	elements := d.Elements
	if elements == nil {
		elements = slices.Repeat([]int{1}, len(d.In)+1)
	}
	m := d.Modulus
	if m == nil {
		m = reference.P()
	}
	total := 0
	for _, e := range elements[:len(d.In)] {
		total += e
	}
	var out []*Call
	for k := range n {
		c := &Call{Name: fmt.Sprintf("call %d", k)}
		// place maps the index of each argument to the index of the argument whose memory it uses.
		place := make([]int, len(d.In))
		for a := range place {
			place[a] = a
			if b := r.IntN(len(d.In)); k%5 == 4 && b < a && place[b] == b && elements[b] == elements[a] {
				place[a] = b
			}
		}
		in := make([][Lanes]Lane, total)
		for j := range Lanes {
			x := make([]Lane, total)
			for a := range x {
				x[a] = RandomLane(r)
			}
			if d.Input != nil {
				d.Input(r, k, j, x)
			}
			for a := range x {
				in[a][j] = x[a]
			}
		}
		first := make([]int, len(d.In))
		at := 0
		for a, e := range elements[:len(d.In)] {
			first[a] = at
			if place[a] != a {
				copy(in[at:at+e], in[first[place[a]]:])
			}
			at += e
		}
		want := make([][]*big.Int, Lanes)
		for j := range Lanes {
			x := make([]*big.Int, total)
			for a := range x {
				x[a] = in[a][j].Int()
			}
			want[j] = d.F(k, j, x)
		}
		for a, name := range d.In {
			b := Buffer{Param: name, Words: ElementWords * elements[a]}
			if place[a] != a {
				b.Same = d.In[place[a]]
			}
			for _, e := range in[first[a] : first[a]+elements[a]] {
				b.In = append(b.In, lanesOf(e)...)
			}
			c.Buffers = append(c.Buffers, b)
		}
		b := Buffer{Param: d.Out, Words: ElementWords * elements[len(d.In)], Out: true}
		if a := k % (len(d.In) + 1); a < len(d.In) && elements[a] == elements[len(d.In)] {
			b.Same = d.In[place[a]]
		}
		c.Buffers = append(c.Buffers, b)
		if d.Numbers != nil {
			c.Numbers = d.Numbers(k)
		}
		c.Check = func(v Values) error {
			for j := range Lanes {
				for e, w := range want[j] {
					if err := LaneCheck(laneOf(v[d.Out], e, j), w, m, d.Canonical); err != nil {
						return fmt.Errorf("lane %d, result %d: %w", j, e, err)
					}
				}
			}
			return nil
		}
		out = append(out, c)
	}
	return out
}

// Products returns a function for the field Input of a LaneKernel. In half of the lanes, that
// function replaces the first two numbers by factors whose product is hard to reduce modulo m.
func Products(m *big.Int) func(r *rand.Rand, k, lane int, x []Lane) {
	return func(r *rand.Rand, k, lane int, x []Lane) {
		if r.IntN(4) != 0 {
			return
		}
		a, b := Hard(m, r)
		x[0] = ToLane(a)
		if len(x) > 1 {
			x[1] = ToLane(b)
		}
	}
}

// ZeroTests returns calls of a kernel that tests each lane for 0 modulo p. The result is a mask of
// the lanes that are 0.
func ZeroTests(r *rand.Rand, n int) []*Call {
	var out []*Call
	zeros := []*big.Int{new(big.Int), reference.P(), new(big.Int).Lsh(reference.P(), 1)}
	for k := range n {
		var e [Lanes]Lane
		var want uint64
		for j := range e {
			e[j] = RandomLane(r)
			switch r.IntN(3) {
			case 0: // one of 0, p and 2p; limb 4 of 2p is at most 2^49 − 1
				e[j] = ToLane(zeros[r.IntN(3)])
			case 1: // a number near p or 2p
				x := new(big.Int).Add(zeros[1+r.IntN(2)], big.NewInt(r.Int64N(5)-2))
				if r.IntN(2) == 0 { // a number that differs from 0, p or 2p in one bit
					x = new(big.Int).Xor(zeros[r.IntN(3)], new(big.Int).Lsh(big.NewInt(1), uint(r.IntN(256))))
				}
				e[j] = ToLane(x)
			}
			if mod(e[j].Int()).Sign() == 0 {
				want |= 1 << j
			}
		}
		out = append(out, &Call{
			Name:    fmt.Sprintf("%#x", e),
			Buffers: []Buffer{{Param: "a", Words: ElementWords, In: lanesOf(e)}},
			Results: []string{"m_bits"},
			Check: func(v Values) error {
				if got := v["m_bits"][0] & 0xff; got != want {
					return fmt.Errorf("lanes %08b, want %08b in %d", got, want, k)
				}
				return nil
			},
		})
	}
	return out
}

// rows returns affine points (x, y) as rows. A row is eight 64-bit words: four of x, then four of
// y.
func rows(points [][2]*big.Int) (w []uint64) {
	for _, q := range points {
		w = append(append(w, Limbs(q[0])...), Limbs(q[1])...)
	}
	return w
}

// checkPoint returns an error if the point in lane j of the affine element w is not q. If bit j of
// mask is set, it must be −q instead.
func checkPoint(w []uint64, j int, q [2]*big.Int, mask uint64) error {
	if mask>>j&1 == 1 {
		q[1] = new(big.Int).Neg(q[1])
	}
	for k, want := range q {
		if err := LaneCheck(laneOf(w, k, j), want, p, false); err != nil {
			return fmt.Errorf("lane %d, coordinate %d: %w", j, k, err)
		}
	}
	return nil
}

// checkPoints returns an error if the lanes of the affine element w do not hold the points with the
// given indices. In the lanes that mask selects, the points must be negated.
func checkPoints(w []uint64, points [][2]*big.Int, indices []int, mask uint64) error {
	for j, i := range indices {
		if err := checkPoint(w, j, points[i], mask); err != nil {
			return err
		}
	}
	return nil
}

// Unpackings returns calls of a kernel that converts eight rows of arbitrary words to lanes.
func Unpackings(r *rand.Rand, n int) []*Call {
	var calls []*Call
	for k := range n {
		var points [][2]*big.Int
		for range Lanes {
			points = append(points, [2]*big.Int{reference.RandInt(r), reference.RandInt(r)})
		}
		calls = append(calls, &Call{
			Name: fmt.Sprintf("call %d", k),
			Buffers: []Buffer{
				{Param: "rows", Words: 8 * Lanes, In: rows(points)},
				{Param: "p", Words: 2 * ElementWords, Out: true},
			},
			Check: func(v Values) error {
				for j, q := range points {
					if err := checkPoint(v["p"], j, q, 0); err != nil {
						return err
					}
				}
				return nil
			},
		})
	}
	return calls
}

// Packings returns calls of a kernel that writes lanes as canonical rows.
func Packings(r *rand.Rand, n int) []*Call {
	var calls []*Call
	for k := range n {
		var x, y [Lanes]Lane
		var want [][2]*big.Int
		for j := range Lanes {
			x[j], y[j] = RandomLane(r), RandomLane(r)
			want = append(want, [2]*big.Int{mod(x[j].Int()), mod(y[j].Int())})
		}
		calls = append(calls, &Call{
			Name: fmt.Sprintf("call %d", k),
			Buffers: []Buffer{
				{Param: "p", Words: 2 * ElementWords, In: append(lanesOf(x), lanesOf(y)...)},
				{Param: "rows", Words: 8 * Lanes, Out: true},
			},
			Check: func(v Values) error {
				if want := rows(want); !slices.Equal(v["rows"], want) {
					return fmt.Errorf("%#x, want %#x", v["rows"], want)
				}
				return nil
			},
		})
	}
	return calls
}

// residue returns a random number below p, often an edge case.
func residue(r *rand.Rand) *big.Int { return mod(reference.RandInt(r)) }

// table returns n random pairs (x, y) of coordinates.
func table(r *rand.Rand, n int) [][2]*big.Int {
	out := make([][2]*big.Int, n)
	for k := range out {
		out[k] = [2]*big.Int{residue(r), residue(r)}
	}
	return out
}

// RowLoads returns calls of a kernel that loads the multiples for digits from tables into lanes and
// returns the mask of the digits that are not zero. An entry of a table has three x coordinates and
// one y coordinate. The bits of a digit that hold its carry are random: the kernel ignores them.
func RowLoads(r *rand.Rand, n int) []*Call {
	const entries, entryWords = 3, 2 * Lanes * 8 // an entry has two rows of 512 bytes
	var calls []*Call
	for k := range n {
		halves := rows(table(r, entries*2*Lanes))
		var points [][2]*big.Int
		var index []int
		var words []uint64
		var neg, mask uint64
		for j := range Lanes {
			entry := r.IntN(entries)
			x := [...]int{0, 512, 544}[r.IntN(3)]       // byte offset of an x in the entry
			d := uint64(1024*entry+x) | r.Uint64()&0x5f // bits 0 to 4 and 6 are no offsets
			neg |= d >> 4 & 1 << j
			mask |= d >> 6 & 1 << j
			number := func(at int) *big.Int {
				at += entryWords*entry + 8*j
				v := new(big.Int)
				for i := range 4 {
					v.Lsh(v, 64).Add(v, new(big.Int).SetUint64(halves[at+3-i]))
				}
				return v
			}
			points = append(points, [2]*big.Int{number(x / 8), number(4)})
			index, words = append(index, j), append(words, d)
		}
		calls = append(calls, &Call{
			Name: fmt.Sprintf("call %d", k),
			Buffers: []Buffer{
				{Param: "tables", Words: len(halves), In: halves, Public: true},
				{Param: "digits", Words: Lanes, In: words, Public: true},
				{Param: "p", Words: 2 * ElementWords, Out: true},
			},
			Results: []string{"some_bits"},
			Check: func(v Values) error {
				if got := v["some_bits"][0] & 0xff; got != mask {
					return fmt.Errorf("lanes %08b, want %08b", got, mask)
				}
				return checkPoints(v["p"], points, index, neg)
			},
		})
	}
	return calls
}

// DigitLookups returns n calls of a kernel that looks up table entries by digits. If prefetch is
// set, the kernel only prefetches them.
func DigitLookups(prefetch bool, r *rand.Rand, n int) []*Call {
	const packed = "packed tables"
	var calls []*Call
	for k := range n {
		width := 1 + r.IntN(6)
		half := 1 << (width - 1)
		shift, words, index, negative := randomDigits(r, 192, width)
		// Packed tables are lists of points. Several lanes may share one table, and the points that
		// a lane looks up follow points that the kernel must skip. The header of a Go string is two
		// words: the offset of the lane's table, and a length that the kernel ignores.
		skip := r.IntN(3)
		points := table(r, 3*half+skip)
		pointers, entries := make([]uint64, 2*Lanes), make([]uint64, Lanes)
		for j := range index {
			begin := r.IntN(3) * half
			pointers[2*j] = uint64(64 * begin)
			index[j] += begin + skip
			entries[j] = uint64(64 * index[j])
		}
		c := &Call{
			Name: fmt.Sprintf("call %d: %d bits from %d", k, width, shift),
			Buffers: []Buffer{
				{Param: "words", Words: len(words), In: words, Public: true},
				{Param: "tables", Words: len(pointers), In: pointers, Public: true, Into: packed},
				{Param: packed, Words: 8 * len(points), In: rows(points), Public: true, NoParam: true},
			},
			Numbers: []Number{
				{Param: "shift", Value: uint64(shift)},
				{Param: "width", Value: uint64(width)},
				{Param: "skip", Value: uint64(skip)},
			},
		}
		if prefetch {
			c.Prefetch = packed
			c.Check = func(v Values) error {
				if !slices.Equal(v[packed], entries) {
					return fmt.Errorf("prefetches %d, want %d", v[packed], entries)
				}
				return nil
			}
		} else {
			c.Buffers = append(c.Buffers, Buffer{Param: "p", Words: 2 * ElementWords, Out: true})
			c.Check = func(v Values) error { return checkPoints(v["p"], points, index, negative) }
		}
		calls = append(calls, c)
	}
	return calls
}
