package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// pairs holds the arguments that the kernels pairDifferences and pairChords share. Both process
// pairs of points.
type pairs struct {
	groups int
	points [][2]*big.Int
	a, b   []int // row indices of the summands
	minus  []bool
}

// pairsAhead is the number of extra references at the end of each of the two lists of summands. The
// kernel prefetches the rows of these references, but does not use them.
const pairsAhead = 64

func randomPairs(r *rand.Rand, groups int) *pairs {
	q := &pairs{groups: groups}
	for range 23 {
		q.points = append(q.points, [2]*big.Int{reference.RandInt(r), reference.RandInt(r)})
	}
	for range 8*groups + pairsAhead {
		q.a, q.b = append(q.a, r.IntN(len(q.points))), append(q.b, r.IntN(len(q.points)))
		q.minus = append(q.minus, r.IntN(2) == 1)
	}
	return q
}

// buffers returns the lists of references a and b in the kernels' format.
func (q *pairs) buffers(r *rand.Rand) []Buffer {
	var a, b []uint32
	for i := range q.a {
		sign := uint32(r.IntN(2))
		x, y := uint32(q.a[i])<<6|sign, uint32(q.b[i])<<6|sign
		if q.minus[i] {
			y ^= 1
		}
		a, b = append(a, x), append(b, y)
	}
	return []Buffer{
		{Param: "a", Words: len(a) / 2, In: halfWords(a), Public: true},
		{Param: "b", Words: len(b) / 2, In: halfWords(b), Public: true},
	}
}

// prefetched returns the offsets of the rows that the pairDifferences kernel prefetches. In each
// iteration, these are the rows of both lists that belong to two groups, six groups ahead of the
// current ones.
func (q *pairs) prefetched() (at []uint64) {
	for g := 6; g < q.groups+6; g += 2 {
		for _, list := range [][]int{q.a, q.b} {
			for k := range 2 {
				for j := range Lanes {
					at = append(at, uint64(list[pairIn(g+k, j)])*64)
				}
			}
		}
	}
	return at
}

// halfWords packs the 32-bit numbers x into 64-bit words, two in each.
func halfWords(x []uint32) (w []uint64) {
	for i := 0; i < len(x); i += 2 {
		w = append(w, uint64(x[i])|uint64(x[i+1])<<32)
	}
	return w
}

// repeat calls the function call for k = 0 to n−1, and returns the n results. In each call, the
// argument named groups is a random multiple of step, from step to limit.
func repeat(
	call func(r *rand.Rand, k, groups int) *Call, step, limit int, r *rand.Rand, n int,
) []*Call {
	calls := make([]*Call, n)
	for k := range calls {
		calls[k] = call(r, k, step*(1+r.IntN(limit/step)))
	}
	return calls
}

// pairIn returns the index of the pair that is in lane j of group g.
func pairIn(g, j int) int { return 8*g + 2*(j%4) + j/4 }

// randomElements returns n random reduced elements twice: as lanes, and as words in memory.
func randomElements(r *rand.Rand, n int) (e [][Lanes]Lane, words []uint64) {
	for range n {
		var x [Lanes]Lane
		for j := range x {
			x[j] = RandomLane(r)
		}
		e, words = append(e, x), append(words, lanesOf(x)...)
	}
	return e, words
}

// accElements is the number of elements in the buffer for the argument acc.
const accElements = 12

// pairDifferences returns the test call with number k for the pairDifferences kernel, which
// multiplies the differences x1 − x2 of pairs of points. Each point is a row of eight words. ahead
// says that the kernel prefetches rows.
func pairDifferences(ahead bool) func(r *rand.Rand, k, groups int) *Call {
	return func(r *rand.Rand, k, groups int) *Call { return differences(r, k, groups, ahead) }
}

func differences(r *rand.Rand, k, groups int, ahead bool) *Call {
	q := randomPairs(r, groups)
	acc, accWords := randomElements(r, accElements)
	return &Call{
		Name: fmt.Sprintf("call %d", k),
		Buffers: append(q.buffers(r),
			Buffer{Param: "rows", Words: 8 * len(q.points), In: rows(q.points), Public: true},
			Buffer{Param: "products", Words: ElementWords * q.groups, Out: true},
			Buffer{Param: "differences", Words: ElementWords * (q.groups + 2), Out: true},
			Buffer{Param: "acc", Words: ElementWords * accElements, In: accWords, Out: true}),
		Numbers:  []Number{{Param: "groups", Value: uint64(q.groups)}},
		Prefetch: "rows",
		Check: func(v Values) error {
			want := q.prefetched()
			if !ahead {
				want = nil
			}
			if !slices.Equal(v["rows"], want) {
				return fmt.Errorf("asks for the rows at %d, want %d", v["rows"], want)
			}
			for j := range Lanes {
				product := [2]*big.Int{acc[0][j].Int(), acc[1][j].Int()}
				for g := range q.groups {
					i := pairIn(g, j)
					if err := LaneCheck(laneOf(v["products"], g, j), product[g%2], p, false); err != nil {
						return fmt.Errorf("product %d, lane %d: %w", g, j, err)
					}
					d := new(big.Int).Sub(q.points[q.a[i]][0], q.points[q.b[i]][0])
					if err := LaneCheck(laneOf(v["differences"], g, j), d, p, false); err != nil {
						return fmt.Errorf("difference %d, lane %d: %w", g, j, err)
					}
					product[g%2] = mulP(product[g%2], d)
				}
				for k := range product {
					if err := LaneCheck(laneOf(v["acc"], k, j), product[k], p, false); err != nil {
						return fmt.Errorf("acc %d, lane %d: %w", k, j, err)
					}
				}
			}
			return nil
		},
	}
}

// pairChords returns the test call with number k for the pairChords kernel, which adds the two
// points of each pair. Each point is a row of eight words. The inverses in the call are arbitrary
// numbers, since the kernel evaluates the same polynomial for any values.
func pairChords(r *rand.Rand, k, groups int) *Call {
	q := randomPairs(r, groups)
	acc, accWords := randomElements(r, accElements)
	products, productWords := randomElements(r, q.groups)
	differences, differenceWords := randomElements(r, q.groups+2)

	// The kernel stores the sums in rows after the points, in any order. After those come the sums
	// of the pairs that only pad the last group.
	count := len(q.points)
	memory := rows(q.points)
	var out []uint32
	for _, at := range r.Perm(8 * q.groups) {
		out = append(out, uint32(count+at)<<6)
	}
	for range 16 {
		out = append(out, uint32(count+8*q.groups)<<6)
	}
	memory = append(memory, make([]uint64, 8*(8*q.groups+1))...)

	return &Call{
		Name: fmt.Sprintf("call %d", k),
		Buffers: append(q.buffers(r),
			Buffer{Param: "rows", Words: len(memory), In: memory, Out: true, Public: true},
			Buffer{Param: "out", Words: len(out) / 2, In: halfWords(out), Public: true},
			Buffer{Param: "products", Words: len(productWords), In: productWords},
			Buffer{Param: "differences", Words: len(differenceWords), In: differenceWords},
			Buffer{Param: "acc", Words: len(accWords), In: accWords, Out: true}),
		Numbers: []Number{{Param: "groups", Value: uint64(q.groups)}},
		Check: func(v Values) error {
			if !slices.Equal(v["rows"][:8*count], memory[:8*count]) {
				return fmt.Errorf("a point has changed")
			}
			for j := range Lanes {
				last := [2]*big.Int{acc[0][j].Int(), acc[1][j].Int()}
				for g := q.groups - 1; g >= 0; g-- {
					i := pairIn(g, j)
					p1, p2, d := q.points[q.a[i]], q.points[q.b[i]], differences[g][j].Int()
					slope := new(big.Int).Sub(p2[1], p1[1])
					if q.minus[i] {
						slope.Neg(slope.Add(p2[1], p1[1]))
					}
					slope = mulP(slope, mulP(last[g%2], products[g][j].Int()))
					last[g%2] = mulP(last[g%2], d)
					x := mulP(slope, slope)
					x.Sub(x, p1[0]).Sub(x, p1[0]).Add(x, d)
					x = mod(x)
					y := mulP(slope, new(big.Int).Sub(x, p1[0]))
					y = mod(y.Sub(y, p1[1]))
					at := int(out[i]>>6) * 8
					for k, want := range []*big.Int{x, y} {
						if got := mod(Int(v["rows"][at+4*k : at+4*k+4])); got.Cmp(want) != 0 {
							return fmt.Errorf("pair %d, coordinate %d: %#x, want %#x", i, k, got, want)
						}
					}
				}
			}
			return nil
		},
	}
}

// timesLambda returns test call number k for the kernel timesLambda, which computes λ·P for every
// point P in the argument rows. The call has groups of eight points each; the parameter groups is
// their number.
func timesLambda(r *rand.Rand, k, groups int) *Call {
	var points [][2]*big.Int
	var beta [Lanes]Lane
	memory := make([]uint64, 16*8*groups)
	for i := range 8 * groups {
		x := []Lane{RandomLane(r), RandomLane(r)}
		if i < 8 {
			Products(p)(r, k, i, x)
			beta[i] = x[0]
		}
		points = append(points, [2]*big.Int{new(big.Int).Mod(x[1].Int(), two256), reference.RandInt(r)})
		copy(memory[16*i:], rows(points[i:]))
	}
	return &Call{
		Name: fmt.Sprintf("call %d", k),
		Buffers: []Buffer{
			{Param: "rows", Words: len(memory), In: memory, Out: true},
			{Param: "beta", Words: ElementWords, In: lanesOf(beta)},
		},
		Numbers: []Number{{Param: "groups", Value: uint64(groups)}},
		Check: func(v Values) error {
			for i, q := range points {
				here := v["rows"][16*i : 16*i+16]
				if !slices.Equal(here[:8], memory[16*i:16*i+8]) || !slices.Equal(here[12:], here[4:8]) {
					return fmt.Errorf("point %d, or the other's y, has changed", i)
				}
				if got, want := mod(Int(here[8:12])), mulP(q[0], beta[i%8].Int()); got.Cmp(want) != 0 {
					return fmt.Errorf("x of point %d: %#x, want %#x", i, got, want)
				}
			}
			return nil
		},
	}
}
