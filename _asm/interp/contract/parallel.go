package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// A Homogeneous is a point (X : Y : Z) modulo p. The formulas are polynomials, so the oracles also
// apply them to numbers that are no point of the curve.
type Homogeneous struct{ X, Y, Z *big.Int }

// Double returns 2a by algorithm 9 of Renes, Costello and Batina (ePrint 2015/1060).
func (a Homogeneous) Double() Homogeneous {
	yy, w := mulP(a.Y, a.Y), timesP(21, mulP(a.Z, a.Z))
	s := subP(yy, timesP(3, w))
	return Homogeneous{
		timesP(2, mulP(a.X, a.Y, s)),
		addP(mulP(s, addP(yy, w)), timesP(8, mulP(yy, w))),
		timesP(8, mulP(yy, a.Y, a.Z)),
	}
}

// Add returns a + b by algorithm 7 of the same paper.
func (a Homogeneous) Add(b Homogeneous) Homogeneous {
	cross := func(a1, b2, b1, a2 *big.Int) *big.Int { return addP(mulP(a1, b2), mulP(b1, a2)) }
	t := timesP(3, mulP(a.X, b.X))
	yy, w := mulP(a.Y, b.Y), timesP(21, mulP(a.Z, b.Z))
	c, f := cross(a.X, b.Y, a.Y, b.X), cross(a.Y, b.Z, a.Z, b.Y)
	d := timesP(21, cross(a.X, b.Z, a.Z, b.X))
	plus, minus := addP(yy, w), subP(yy, w)
	return Homogeneous{
		subP(mulP(c, minus), mulP(f, d)), cross(plus, minus, t, d), cross(f, plus, t, c),
	}
}

// reducedLane returns limbs of a number congruent to x modulo p: the smallest one, or p more.
func reducedLane(r *rand.Rand, x *big.Int) Lane {
	x = mod(new(big.Int).Set(x))
	if r.IntN(2) == 0 {
		x.Add(x, p)
	}
	return ToLane(x)
}

// side returns the words of numbers that lie side by side: limb i of number k is word
// i·len(numbers) + k.
func side(numbers ...Lane) (w []uint64) {
	for i := range 5 {
		for _, l := range numbers {
			w = append(w, l[i])
		}
	}
	return w
}

// checkSide returns an error if the words w are not those of reduced numbers that are congruent to
// want; see side.
func checkSide(w []uint64, want ...*big.Int) error {
	for k, x := range want {
		var l Lane
		for i := range l {
			l[i] = w[i*len(want)+k]
		}
		if err := LaneCheck(l, x, p, false); err != nil {
			return fmt.Errorf("number %d: %w", k, err)
		}
	}
	return nil
}

// randomHomogeneous returns random lanes of X, Y and Z, and their numbers.
func randomHomogeneous(r *rand.Rand) (x, y, z Lane, a Homogeneous) {
	x, y, z = RandomLane(r), RandomLane(r), RandomLane(r)
	switch r.IntN(8) {
	case 0: // infinity
		x, z = ToLane(new(big.Int)), ToLane(new(big.Int))
	case 1:
		g, h := Hard(p, r)
		x, y = ToLane(g), ToLane(h)
	}
	return x, y, z, Homogeneous{x.Int(), y.Int(), z.Int()}
}

// addendLanes returns the numbers in an addend's lanes.
func addendLanes(a Homogeneous) []*big.Int {
	return []*big.Int{a.Y, timesP(21, a.Z), a.Y, a.X, timesP(21, addP(a.X, a.Z)), a.X, a.Y, a.Z}
}

// randomAddend returns the words of a random addend, and its point.
func randomAddend(r *rand.Rand) ([]uint64, Homogeneous) {
	x, y, z, a := randomHomogeneous(r)
	var l []Lane
	for k, v := range addendLanes(a) {
		l = append(l, reducedLane(r, v))
		switch k {
		case 3, 5:
			l[k] = x
		case 0, 2, 6:
			l[k] = y
		case 7:
			l[k] = z
		}
	}
	return side(l...), a
}

// parallelCalls returns n calls of a kernel that doubles a point, and then adds the given kind of
// point, or two points of a table.
func parallelCalls(r *rand.Rand, n int, add string) (calls []*Call) {
	for k := range n {
		x, y, z, a := randomHomogeneous(r)
		doublings := []int{1, 2, 1, 3, 4, 5}[k%6]
		if add != "" {
			doublings = []int{0, 1, 0, 2, 0, 0, 1, 0, 3, 4, 5}[k%11]
		}
		c := &Call{
			Name: fmt.Sprintf("call %d", k),
			Buffers: []Buffer{{
				Param: "p", Words: 20, In: side(x, y, z, reducedLane(r, timesP(21, a.Z))), Out: true,
			}},
			Numbers: []Number{{Param: "n", Value: uint64(doublings)}},
		}
		for range doublings {
			a = a.Double()
		}
		// signed adds b to a, or −b, and passes the sign as the named number.
		signed := func(name string, b Homogeneous) {
			negate := -uint64(r.IntN(2))
			if negate != 0 {
				b.Y = subP(new(big.Int), b.Y)
			}
			c.Numbers = append(c.Numbers, Number{Param: name, Value: negate, Secret: true})
			a = a.Add(b)
		}
		switch add {
		case "addend":
			l, b := randomAddend(r)
			c.Buffers = append(c.Buffers, Buffer{Param: "a", Words: 40, In: l})
			signed("negate", b)
		case "multiples":
			var words []uint64
			var points []Homogeneous
			for range 16 {
				l, b := randomAddend(r)
				words, points = append(words, l...), append(points, b)
			}
			c.Buffers = append(c.Buffers, Buffer{Param: "t", Words: len(words), In: words})
			i, j := k%8, (k%8*3+k/8+1)%8
			c.Numbers = append(c.Numbers, Number{Param: "i", Value: uint64(i), Secret: true},
				Number{Param: "j", Value: uint64(j), Secret: true})
			signed("negateI", points[2*i])
			signed("negateJ", points[2*j+1])
		case "affine":
			x, y, _, b := randomHomogeneous(r)
			c.Buffers = append(c.Buffers, Buffer{Param: "a", Words: 10, In: append(x[:], y[:]...)})
			b.Z = big.NewInt(1)
			a = a.Add(b)
		}
		c.Check = func(v Values) error {
			return checkSide(v["p"], a.X, a.Y, a.Z, timesP(21, a.Z))
		}
		calls = append(calls, c)
	}
	return calls
}

// addendCalls returns n calls of a kernel that arranges p and λ·p as addends.
func addendCalls(r *rand.Rand, n int) (calls []*Call) {
	for k := range n {
		x, y, z, a := randomHomogeneous(r)
		calls = append(calls, &Call{
			Name: fmt.Sprintf("call %d", k),
			Buffers: []Buffer{
				{Param: "a", Words: 80, Out: true},
				{Param: "p", Words: 20, In: side(x, y, z, reducedLane(r, timesP(21, a.Z)))},
			},
			Check: func(v Values) error {
				if err := checkSide(v["a"][:40], addendLanes(a)...); err != nil {
					return err
				}
				a.X = mulP(a.X, reference.Beta())
				return checkSide(v["a"][40:], addendLanes(a)...)
			},
		})
	}
	return calls
}
