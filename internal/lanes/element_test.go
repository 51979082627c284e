package lanes

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// An operation computes v from up to four elements. In lane j the result must be congruent to
// want(j, x), where x holds the numbers in this lane.
type operation struct {
	name string
	op   func(v *Element, x *[4]Element)
	want func(j int, x [4]*big.Int) *big.Int
}

// operations returns the functions of elements together with the expected results.
func operations() []operation {
	mul := func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }
	ops := []operation{
		{"Mul", func(v *Element, x *[4]Element) { v.Mul(&x[0], &x[1]) },
			func(_ int, x [4]*big.Int) *big.Int { return mul(x[0], x[1]) }},
		{"Add", func(v *Element, x *[4]Element) { v.Add(&x[0], &x[1]) },
			func(_ int, x [4]*big.Int) *big.Int { return new(big.Int).Add(x[0], x[1]) }},
		{"Sub", func(v *Element, x *[4]Element) { v.Sub(&x[0], &x[1]) },
			func(_ int, x [4]*big.Int) *big.Int { return new(big.Int).Sub(x[0], x[1]) }},
		{"Square", func(v *Element, x *[4]Element) { v.Square(&x[0]) },
			func(_ int, x [4]*big.Int) *big.Int { return mul(x[0], x[0]) }},
		{"Neg", func(v *Element, x *[4]Element) { v.Neg(&x[0]) },
			func(_ int, x [4]*big.Int) *big.Int { return new(big.Int).Neg(x[0]) }},
		{"normalize", func(v *Element, x *[4]Element) { normalize(v, &x[0]) },
			func(_ int, x [4]*big.Int) *big.Int { return x[0] }},
		{"mulAdd", func(v *Element, x *[4]Element) { mulAdd(v, &x[0], &x[1], &x[2], &x[3]) },
			func(_ int, x [4]*big.Int) *big.Int {
				y := mul(x[0], x[1])
				return y.Add(y, mul(x[2], x[3]))
			}},
	}
	for _, n := range []int64{1, 2, 3, 7} {
		e := new(big.Int).Lsh(big.NewInt(1), uint(n))
		ops = append(ops, operation{"squareN",
			func(v *Element, x *[4]Element) { squareN(v, &x[0], int(n)) },
			func(_ int, x [4]*big.Int) *big.Int { return new(big.Int).Exp(x[0], e, prime) }})
	}
	for k := int64(0); k <= 16; k++ {
		ops = append(ops, operation{"MulSmall",
			func(v *Element, x *[4]Element) { v.MulSmall(&x[0], uint64(k)) },
			func(_ int, x [4]*big.Int) *big.Int { return mul(x[0], big.NewInt(k)) }})
	}
	return ops
}

func (o *operation) check(t *testing.T, x [4]Element) {
	t.Helper()
	want := func(x [4]Element) func(j int) *big.Int {
		return func(j int) *big.Int {
			var numbers [4]*big.Int
			for k := range x {
				numbers[k] = x[k].get(j).int()
			}
			return o.want(j, numbers)
		}
	}
	y, v := x, *elementPointer(limbs{1 << 63, 2 << 62, 3 << 61, 4 << 60, 5 << 59})
	o.op(&v, &y)
	checkLanes(t, o.name, &v, want(x))
	if y != x {
		t.Fatalf("%s changes its arguments", o.name)
	}
	for k := range x {
		y = x
		if o.op(&y[k], &y); y[k] != v {
			t.Fatalf("%s over argument %d differs", o.name, k)
		}
	}
}

// TestOperations checks that every operation on field elements gives the right result in each lane.
// Every kind of limbs is in every lane, next to lanes of other kinds, and is paired with many other
// kinds as the second operand. It also puts random operands into one lane, and zeros or the largest
// limbs into all other lanes. In other calls products of operands are near multiples of p.
func TestOperations(t *testing.T) {
	r := reference.Rand(t)
	all := shapes()
	rounds, step := 2, 1
	if !cputest.Deep() {
		rounds, step = 1, Width // every kind of limbs in one lane
	}
	elements := func(first Element, other func() Element) [4]Element {
		return [4]Element{first, other(), other(), other()}
	}
	anyRandom := func() Element { return randomElement(r) }
	largest := limbs{limbMax(0), limbMax(1), limbMax(2), limbMax(3), limbMax(4)}
	for _, o := range operations() {
		for i := 0; i < len(all); i += step {
			a := elementOf(func(j int) limbs { return all[(i+j)%len(all)] })
			for range rounds {
				o.check(t, elements(a, func() Element {
					return elementOf(func(int) limbs { return all[r.IntN(len(all))] })
				}))
				o.check(t, elements(a, func() Element { return a }))
			}
			o.check(t, elements(anyRandom(), anyRandom))
		}
		for lane := range Width {
			for _, rest := range []limbs{{}, largest} {
				one := func() Element {
					return elementOf(func(j int) limbs {
						if j == lane {
							return randomLimbs(r)
						}
						return rest
					})
				}
				o.check(t, elements(one(), one))
			}
		}
		o.check(t, elements(*elementPointer(largest), func() Element { return *elementPointer(largest) }))
		for range cputest.Cases(30, 2000) {
			a := randomElement(r)
			o.check(t, elements(a, func() Element { return nearQuotient(r, &a) }))
		}
	}
}

// nearQuotient returns an element whose product with a is near a multiple of p in each lane, which
// makes rare carries likely.
func nearQuotient(r *rand.Rand, a *Element) (v Element) {
	for j := range Width {
		if x := a.get(j).int(); x.ModInverse(x, prime) != nil {
			v.setInt(r, j, x.Mul(x, big.NewInt(int64(r.IntN(100)))))
		}
	}
	return v
}

// TestSelect checks operations with every mask.
func TestSelect(t *testing.T) {
	r := reference.Rand(t)
	for m := range 256 {
		m := maskOf(m)
		for _, o := range []operation{
			{"Select", func(v *Element, x *[4]Element) { v.Select(m, &x[0], &x[1]) },
				func(j int, x [4]*big.Int) *big.Int {
					if m.Has(j) {
						return x[0]
					}
					return x[1]
				}},
			{"CondNeg", func(v *Element, x *[4]Element) { v.CondNeg(m, &x[0]) },
				func(j int, x [4]*big.Int) *big.Int {
					if m.Has(j) {
						return new(big.Int).Neg(x[0])
					}
					return x[0]
				}},
		} {
			o.check(t, [4]Element{randomElement(r), randomElement(r)})
		}
	}
}

func TestNormalize(t *testing.T) {
	r := reference.Rand(t)
	all := shapes()
	for i := range all {
		a := elementOf(func(j int) limbs { return all[(i+j)%len(all)] })
		if i%4 == 0 {
			a = randomElement(r)
		}
		var v Element
		normalize(&v, &a)
		if !isCanonical(&v) {
			t.Fatalf("%x normalized is %x", a, v)
		}
		residue := func(j int) *big.Int { return new(big.Int).Mod(a.get(j).int(), prime) }
		checkMask(t, "IsOdd", a.IsOdd(), func(j int) bool { return residue(j).Bit(0) == 1 })
		checkMask(t, "IsZero", a.IsZero(), func(j int) bool { return residue(j).Sign() == 0 })

		// In the lanes of m, b is congruent to a, but may have other limbs. In all other lanes b is
		// a + 1.
		m := maskOf(r.Int())
		b := v
		var other Element
		other.Add(&v, elementPointer(limbs{1}))
		b.Select(m, &v, &other)
		checkMask(t, "Equal", a.Equal(&b), func(j int) bool { return m.Has(j) })
		checkMask(t, "Equal", b.Equal(&a), func(j int) bool { return m.Has(j) })
	}
}

func elementPointer(e limbs) *Element {
	v := elementOf(func(int) limbs { return e })
	return &v
}

// TestIsZero checks IsZero for 0, p and 2p, and for numbers that differ from 0 or p in one bit.
func TestIsZero(t *testing.T) {
	zeros := []limbs{{}, toLimbs(prime), toLimbs(new(big.Int).Lsh(prime, 1))}
	for k := range zeros {
		for bit := range 5*52 - 3 {
			lane := bit % Width
			a := elementOf(func(j int) limbs {
				x := zeros[(k+j)%len(zeros)]
				if j == lane {
					x = zeros[k%2]
					x[bit/52] ^= 1 << (bit % 52)
				}
				return x
			})
			checkMask(t, "IsZero", a.IsZero(), func(j int) bool { return j != lane })
		}
	}
}

// TestRoots compares the results of SqrtPair and SqrtRatioPair in every lane with those of package
// field. Squares, other numbers and zeros are in one call.
func TestRoots(t *testing.T) {
	r := reference.Rand(t)
	all := shapes()
	step := 3
	if !cputest.Deep() {
		step = 31
	}
	var one Element
	one.One()
	for i := 0; i < len(all); i += step {
		u := [2]Element{elementOf(func(j int) limbs { return all[(i+j)%len(all)] }), randomElement(r)}
		w := [2]Element{randomElement(r), elementOf(func(j int) limbs { return all[(i+j+5)%len(all)] })}
		u[1].Select(maskOf(0x5a), &Element{}, &u[1])
		w[1].Select(w[1].IsZero(), &one, &w[1])
		var v, q [2]Element
		ok, okRatio := SqrtPair(&v, &u), SqrtRatioPair(&q, &u, &w)
		for k := range v {
			if !isReduced(&v[k]) || !isReduced(&q[k]) {
				t.Fatalf("the root %x or %x is not reduced", v[k], q[k])
			}
			for j := range Width {
				var got, gotRatio, want, wantRatio, a, b field.Element
				v[k].Lane(j, &got)
				q[k].Lane(j, &gotRatio)
				u[k].Lane(j, &a)
				w[k].Lane(j, &b)
				if want.Sqrt(&a).Bool() != ok[k].Has(j) || got.Equal(&want) != 1 {
					t.Fatalf("lane %d: the root of %x is wrong", j, a.Limbs())
				}
				if wantRatio.SqrtRatio(&a, &b).Bool() != okRatio[k].Has(j) || gotRatio.Equal(&wantRatio) != 1 {
					t.Fatalf("lane %d: the root of %x/%x is wrong", j, a.Limbs(), b.Limbs())
				}
			}
		}
		if SqrtPair(&u, &u) != ok || u != v {
			t.Fatal("SqrtPair in place differs")
		}
	}
}

// TestInvertLanes multiplies elements by their inverses.
func TestInvertLanes(t *testing.T) {
	r := reference.Rand(t)
	var one Element
	one.One()
	for range 20 {
		a := randomElement(r)
		a.Select(a.IsZero(), &one, &a)
		var v Element
		v.InvertLanes(&a)
		a.Mul(&a, &v)
		checkMask(t, "a·(1/a) = 1", a.Equal(&one), func(int) bool { return true })
	}
}

func TestLane(t *testing.T) {
	r := reference.Rand(t)
	for _, x := range reference.EdgeInts() {
		a := toField(x)
		for j := range Width {
			v := randomElement(r)
			before := v
			v.SetLane(j, &a)
			var back field.Element
			v.Lane(j, &back)
			if fromField(&back).Cmp(new(big.Int).Mod(x, prime)) != 0 || !isReduced(&v) {
				t.Fatalf("lane %d of %x", j, x)
			}
			for k := range Width {
				if k != j && v.get(k) != before.get(k) {
					t.Fatalf("SetLane(%d) changes lane %d", j, k)
				}
			}
		}
		var v Element
		v.Broadcast(&a)
		checkLanes(t, "Broadcast", &v, func(int) *big.Int { return x })
	}
	// The method Lane must accept limbs that are not canonical.
	for i, all := 0, shapes(); i < len(all); i++ {
		v := elementOf(func(j int) limbs { return all[(i+j)%len(all)] })
		for j := range Width {
			var a field.Element
			v.Lane(j, &a)
			if want := v.get(j).int(); fromField(&a).Cmp(want.Mod(want, prime)) != 0 {
				t.Fatalf("lane %d of %x", j, v)
			}
		}
	}
}

func TestPack(t *testing.T) {
	r := reference.Rand(t)
	edges := reference.EdgeInts()
	for i := range edges {
		var points, back Packed
		var half, halfBack [Width][4]uint64
		var xs [Width][2]*big.Int
		for j := range points {
			xs[j] = [2]*big.Int{edges[(i+j)%len(edges)], reference.RandInt(r)}
			half[j] = reference.Words(xs[j][0])
			y := reference.Words(xs[j][1])
			points[j] = [PointWords]uint64(append(half[j][:], y[:]...))
			fx, fy := toField(xs[j][0]), toField(xs[j][1])
			var point [PointWords]uint64
			SetPoint(&point, &fx, &fy)
			for k := range xs[j] {
				got := reference.FromWords(point[4*k : 4*k+4]...)
				if got.Sub(got, xs[j][k]).Mod(got, prime).Sign() != 0 {
					t.Fatalf("the point (%x, %x) is packed as %x", xs[j][0], xs[j][1], point)
				}
			}
		}
		var p Affine
		p.Unpack(&points)
		checkLanes(t, "Unpack", &p.X, func(j int) *big.Int { return xs[j][0] })
		checkLanes(t, "Unpack", &p.Y, func(j int) *big.Int { return xs[j][1] })
		var e Element
		e.SetLimbs(&half)
		checkLanes(t, "SetLimbs", &e, func(j int) *big.Int { return xs[j][0] })

		// Pack must return canonical coordinates, even if the limbs of p are not canonical.
		p.X.Add(&p.X, elementPointer(toLimbs(prime)))
		e = p.X
		p.Pack(&back)
		e.Limbs(&halfBack)
		for j := range back {
			for c := range xs[j] {
				want := reference.Words(new(big.Int).Mod(xs[j][c], prime))
				if [4]uint64(back[j][4*c:]) != want || c == 0 && halfBack[j] != want {
					t.Fatalf("lane %d: %x", j, back[j])
				}
			}
		}
	}
}
