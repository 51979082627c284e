package lanes

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/reference"
)

type operation struct {
	name string
	op   func(v, a, b *Element)
	want func(a, b *big.Int) *big.Int
}

// operations returns the functions of one or two elements together with the expected results.
// Functions with more arguments have separate tests.
func operations() []operation {
	number := func() *big.Int { return new(big.Int) }
	ops := []operation{
		{"Mul", (*Element).Mul, func(a, b *big.Int) *big.Int { return number().Mul(a, b) }},
		{"Add", (*Element).Add, func(a, b *big.Int) *big.Int { return number().Add(a, b) }},
		{"Sub", (*Element).Sub, func(a, b *big.Int) *big.Int { return number().Sub(a, b) }},
		{"Square",
			func(v, a, _ *Element) { v.Square(a) },
			func(a, _ *big.Int) *big.Int { return number().Mul(a, a) }},
		{"Neg",
			func(v, a, _ *Element) { v.Neg(a) },
			func(a, _ *big.Int) *big.Int { return number().Neg(a) }},
		{"normalize",
			func(v, a, _ *Element) { normalize(v, a) },
			func(a, _ *big.Int) *big.Int { return a }},
	}
	for _, n := range []int64{1, 2, 3, 7} {
		e := number().Lsh(big.NewInt(1), uint(n))
		ops = append(ops, operation{"squareN",
			func(v, a, _ *Element) { squareN(v, a, int(n)) },
			func(a, _ *big.Int) *big.Int { return number().Exp(a, e, prime) }})
	}
	for k := int64(0); k <= 16; k++ {
		ops = append(ops, operation{"MulSmall",
			func(v, a, _ *Element) { v.MulSmall(a, uint64(k)) },
			func(a, _ *big.Int) *big.Int { return number().Mul(a, big.NewInt(k)) }})
	}
	return ops
}

func (o *operation) check(t *testing.T, a, b *Element) {
	t.Helper()
	want := func(x, y *Element) func(j int) *big.Int {
		x1, y1 := *x, *y
		return func(j int) *big.Int { return o.want(x1.get(j).int(), y1.get(j).int()) }
	}
	x, y, v := *a, *b, *elementPointer(limbs{1 << 63, 2 << 62, 3 << 61, 4 << 60, 5 << 59})
	o.op(&v, &x, &y)
	checkLanes(t, o.name, &v, want(a, b))
	if x != *a || y != *b {
		t.Fatalf("%s changes its arguments", o.name)
	}
	o.op(&x, &x, &y)
	if x != v {
		t.Fatalf("%s over its first argument differs", o.name)
	}
	x = *a
	o.op(&y, &x, &y)
	if y != v {
		t.Fatalf("%s over its second argument differs", o.name)
	}
	o.op(&x, &x, &x)
	checkLanes(t, o.name+" of one element", &x, want(a, a))
}

// TestOperations checks that every operation on field elements gives the right result in each lane.
// Every kind of limbs is in every lane, next to lanes of other kinds, and is paired with many other
// kinds as the second operand.
func TestOperations(t *testing.T) {
	r := random(t)
	all := shapes()
	rounds, step := 2, 1
	if !cputest.Deep() {
		rounds, step = 1, Width // every kind of limbs in one lane
	}
	for _, o := range operations() {
		for i := 0; i < len(all); i += step {
			a := elementOf(func(j int) limbs { return all[(i+j)%len(all)] })
			for range rounds {
				b := elementOf(func(int) limbs { return all[r.Intn(len(all))] })
				o.check(t, &a, &b)
			}
			a, b := randomElement(r), randomElement(r)
			o.check(t, &a, &b)
		}
	}
}

// TestOneLane checks that every operation gives the right result in a lane whose neighbours are
// unusual: it puts random operands into one lane, and zeros or the largest limbs into all other
// lanes.
func TestOneLane(t *testing.T) {
	r := random(t)
	largest := limbs{limbMax(0), limbMax(1), limbMax(2), limbMax(3), limbMax(4)}
	for _, o := range operations() {
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
				a, b := one(), one()
				o.check(t, &a, &b)
			}
		}
	}
}

func TestMulAdd(t *testing.T) {
	r := random(t)
	all := shapes()
	for i := range all {
		pick := func() Element { return elementOf(func(int) limbs { return all[r.Intn(len(all))] }) }
		first := elementOf(func(j int) limbs { return all[(i+j)%len(all)] })
		x := [4]Element{first, pick(), pick(), pick()}
		if i%2 == 0 {
			x = [4]Element{randomElement(r), randomElement(r), randomElement(r), randomElement(r)}
		}
		want := func(j int) *big.Int {
			w := new(big.Int).Mul(x[0].get(j).int(), x[1].get(j).int())
			return w.Add(w, new(big.Int).Mul(x[2].get(j).int(), x[3].get(j).int()))
		}
		var v Element
		mulAdd(&v, &x[0], &x[1], &x[2], &x[3])
		checkLanes(t, "MulAdd", &v, want)
		for k := range x {
			y := x
			mulAdd(&y[k], &y[0], &y[1], &y[2], &y[3])
			if y[k] != v {
				t.Fatalf("MulAdd over argument %d differs", k)
			}
		}
	}
	largest := elementOf(func(int) limbs {
		return limbs{limbMax(0), limbMax(1), limbMax(2), limbMax(3), limbMax(4)}
	})
	var v Element
	mulAdd(&v, &largest, &largest, &largest, &largest)
	checkLanes(t, "MulAdd", &v, func(int) *big.Int {
		x := largest.get(0).int()
		return x.Mul(x, x).Lsh(x, 1)
	})
}

func TestNormalize(t *testing.T) {
	r := random(t)
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

func TestSelect(t *testing.T) {
	r := random(t)
	for m := range 256 {
		m := maskOf(m)
		a, b := randomElement(r), randomElement(r)
		var v Element
		v.Select(m, &a, &b)
		for j := range Width {
			want := b.get(j)
			if m.Has(j) {
				want = a.get(j)
			}
			if v.get(j) != want {
				t.Fatalf("Select(%08b), lane %d", m, j)
			}
		}
		x, y := a, b
		x.Select(m, &x, &b)
		y.Select(m, &a, &y)
		if x != v || y != v {
			t.Fatalf("Select(%08b) over an argument differs", m)
		}
		v.CondNeg(m, &a)
		checkLanes(t, "CondNeg", &v, func(j int) *big.Int {
			x := a.get(j).int()
			if m.Has(j) {
				x.Neg(x)
			}
			return x
		})
		x = a
		x.CondNeg(m, &x)
		if x != v {
			t.Fatalf("CondNeg(%08b) in place differs", m)
		}
	}
}

func TestSquareNPair(t *testing.T) {
	r := random(t)
	for _, n := range []int{1, 2, 3, 10, 88} {
		for range 20 {
			a := [2]Element{randomElement(r), randomElement(r)}
			var v [2]Element
			squareNPair(&v, &a, n)
			e := new(big.Int).Lsh(big.NewInt(1), uint(n))
			for i := range v {
				checkLanes(t, "SquareNPair", &v[i], func(j int) *big.Int {
					return new(big.Int).Exp(a[i].get(j).int(), e, prime)
				})
			}
			squareNPair(&a, &a, n)
			if a != v {
				t.Fatal("SquareNPair in place differs")
			}
		}
	}
}

// TestSqrtPair checks that SqrtPair returns a root of each square and reports each number that is
// no square. One call has squares, other numbers and zeros.
func TestSqrtPair(t *testing.T) {
	r := random(t)
	all := shapes()
	squares, others := 0, 0
	step := 3
	if !cputest.Deep() {
		step = 31
	}
	for i := 0; i < len(all); i += step {
		a := [2]Element{elementOf(func(j int) limbs { return all[(i+j)%len(all)] }), randomElement(r)}
		if i%2 == 0 {
			a[0].Square(&a[0])
		}
		a[1].Select(maskOf(0x5a), &Element{}, &a[1])
		var v [2]Element
		ok := SqrtPair(&v, &a)
		for k := range a {
			checkRoot(t, &v[k], &a[k], ok[k])
			for j := range Width {
				if ok[k].Has(j) {
					squares++
				} else {
					others++
				}
			}
		}
		b := a
		if SqrtPair(&b, &b) != ok || b != v {
			t.Fatal("SqrtPair in place differs")
		}
	}
	if squares < 40 || others < 40 {
		t.Errorf("%d squares and %d others", squares, others)
	}
}

// TestSqrtRatioPair compares the roots in every lane with those of package field.
func TestSqrtRatioPair(t *testing.T) {
	r := random(t)
	all := shapes()
	step := 3
	if !cputest.Deep() {
		step = 31
	}
	for i := 0; i < len(all); i += step {
		u := [2]Element{elementOf(func(j int) limbs { return all[(i+j)%len(all)] }), randomElement(r)}
		w := [2]Element{randomElement(r), elementOf(func(j int) limbs { return all[(i+j+5)%len(all)] })}
		u[1].Select(maskOf(0x5a), &Element{}, &u[1])
		var one Element
		one.One()
		w[1].Select(w[1].IsZero(), &one, &w[1])
		var v [2]Element
		squares := SqrtRatioPair(&v, &u, &w)
		for k := range v {
			if !isReduced(&v[k]) {
				t.Fatalf("the root %x is not reduced", v[k])
			}
			for j := range Width {
				var got, want, a, b field.Element
				v[k].Lane(j, &got)
				u[k].Lane(j, &a)
				w[k].Lane(j, &b)
				if want.SqrtRatio(&a, &b).Bool() != squares[k].Has(j) || got.Equal(&want) != 1 {
					t.Fatalf("lane %d: the root of %x/%x is wrong", j, a.Limbs(), b.Limbs())
				}
			}
		}
	}
}

// TestInvertLanes multiplies elements by their inverses.
func TestInvertLanes(t *testing.T) {
	r := random(t)
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

func checkRoot(t *testing.T, v, a *Element, ok Mask) {
	t.Helper()
	if !isReduced(v) {
		t.Fatalf("the root %x is not reduced", *v)
	}
	for j := range Width {
		x, y := a.get(j).int(), v.get(j).int()
		isSquare := big.Jacobi(x.Mod(x, prime), prime) >= 0
		if isSquare != ok.Has(j) {
			t.Fatalf("lane %d: %x, mask %08b", j, x, ok)
		}
		y.Mul(y, y)
		if !isSquare {
			y.Neg(y) // v is a root of −a
		}
		if y.Mod(y, prime).Cmp(x) != 0 {
			t.Fatalf("lane %d: the root's square is %x, want %x", j, y, x)
		}
		if root := v.get(j).int(); big.Jacobi(root.Mod(root, prime), prime) < 0 {
			t.Fatalf("lane %d: the root is no square", j)
		}
	}
}

func TestLane(t *testing.T) {
	r := random(t)
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

func TestRows(t *testing.T) {
	r := random(t)
	edges := reference.EdgeInts()
	for i := range edges {
		var rows, back Packed
		var half, halfBack [Width][4]uint64
		var xs [Width][2]*big.Int
		for j := range rows {
			xs[j] = [2]*big.Int{edges[(i+j)%len(edges)], reference.RandInt(r)}
			for k := range 4 {
				rows[j][k] = bitsOf(xs[j][0], 64*k, 64)
				rows[j][4+k] = bitsOf(xs[j][1], 64*k, 64)
				half[j][k] = rows[j][k]
			}
			var x, y field.Element
			x.SetLimbs(rows[j][0], rows[j][1], rows[j][2], rows[j][3])
			y.SetLimbs(rows[j][4], rows[j][5], rows[j][6], rows[j][7])
			var row [RowWords]uint64
			SetRow(&row, &x, &y)
			if !congruent(row[:4], xs[j][0]) || !congruent(row[4:], xs[j][1]) {
				t.Fatalf("a row of (%x, %x): %x", xs[j][0], xs[j][1], row)
			}
		}
		var p Affine
		p.Unpack(&rows)
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
				canonical := new(big.Int).Mod(xs[j][c], prime)
				for k := range 4 {
					want := bitsOf(canonical, 64*k, 64)
					if back[j][4*c+k] != want || c == 0 && halfBack[j][k] != want {
						t.Fatalf("row %d: %x", j, back[j])
					}
				}
			}
		}
	}
}
