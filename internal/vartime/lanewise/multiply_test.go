package lanewise

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// laneRows is the number of rows for which package engine calls this package at a time.
const laneRows = 64

// laneCounts returns numbers of rows near multiples of the size of a group and of laneRows.
func laneCounts() []int {
	if !cputest.Deep() {
		return []int{0, 1, 2, 7, 8, 9, 17, laneRows + 3}
	}
	counts := []int{laneRows - 1, laneRows, laneRows + 1, 2*laneRows + 5}
	for n := range 34 {
		counts = append(counts, n)
	}
	return counts
}

// A row holds the arguments of a multiplication: a, b, and the point k·G.
type row struct{ a, b, k *big.Int }

// columns are the arguments of multiplications for some rows.
type columns struct {
	a, b []scalar.Scalar
	p    []point.Affine
	c    []*vartime.SplitTable
}

// columnsOf returns the arguments for rows. Row i has a table of sizes[i mod len(sizes)] bytes.
func columnsOf(rows []row, sizes ...int) (v columns) {
	for i, x := range rows {
		p := toPoint(x.k)
		v.a, v.b = append(v.a, *vartimetest.Scalar(x.a)), append(v.b, *vartimetest.Scalar(x.b))
		c := vartime.NewSplitTable(&p, sizes[i%len(sizes)])
		v.p, v.c = append(v.p, p), append(v.c, &c)
	}
	return v
}

// first returns the columns of the first n rows, and last those of the last.
func (v *columns) first(n int) columns { return columns{v.a[:n], v.b[:n], v.p[:n], v.c[:n]} }

func (v *columns) last(n int) columns {
	n = len(v.a) - n
	return columns{v.a[n:], v.b[n:], v.p[n:], v.c[n:]}
}

// A way multiplies rows. sum returns the sum for one group, which has Z ≡ 0 in the lanes that meet
// an exceptional case, and log the discrete logarithm of a row's result.
type way struct {
	name string
	call func(w *Lanes, r []point.Jacobian, v columns)
	sum  func(w *Lanes, v columns) *lanes.Jacobian
	log  func(x row) *big.Int
}

const (
	baseMult = iota
	addBaseMult
	doubleMult
	splitMult
)

// logDouble returns a + b·k.
func logDouble(x row) *big.Int {
	sum := new(big.Int).Mul(x.b, x.k)
	return sum.Add(sum, x.a)
}

var ways = [...]way{
	baseMult: {"ScalarBaseMult",
		func(w *Lanes, r []point.Jacobian, v columns) { w.ScalarBaseMult(r, v.a) },
		func(w *Lanes, v columns) *lanes.Jacobian { return w.sumBase(v.a, nil) },
		func(x row) *big.Int { return x.a }},
	addBaseMult: {"AddBaseMult",
		func(w *Lanes, r []point.Jacobian, v columns) { w.AddBaseMult(r, v.a, v.p) },
		func(w *Lanes, v columns) *lanes.Jacobian { return w.sumBase(v.a, v.p) },
		func(x row) *big.Int { return new(big.Int).Add(x.a, x.k) }},
	doubleMult: {"DoubleScalarMult",
		func(w *Lanes, r []point.Jacobian, v columns) { w.DoubleScalarMult(r, v.a, v.b, v.p) },
		func(w *Lanes, v columns) *lanes.Jacobian {
			w.makeTables(v.p)
			return w.sum(0, v.a, v.b)
		}, logDouble},
	splitMult: {"DoubleScalarMultSplit",
		func(w *Lanes, r []point.Jacobian, v columns) { w.DoubleScalarMultSplit(r, v.a, v.b, v.c) },
		func(w *Lanes, v columns) *lanes.Jacobian {
			return w.sumTables(v.a, v.b, v.c)
		}, logDouble},
}

// check fails the test unless r holds the results for rows.
func (w *way) check(t *testing.T, what string, r []point.Jacobian, rows []row) {
	t.Helper()
	for i := range r {
		var want point.Jacobian
		vartime.ScalarBaseMult(&want, vartimetest.Scalar(w.log(rows[i])))
		if !r[i].Equal(&want).Bool() {
			t.Fatalf("%s, %s: row %d of %d: a = %x, b = %x, P = %x·G: %v, want %v", w.name, what, i,
				len(r), rows[i].a, rows[i].b, rows[i].k, vartimetest.Reference(&r[i]),
				vartimetest.Reference(&want))
		}
	}
}

// edgeRows returns rows that meet exceptional cases: with small multiples of units, with scalars
// for which all or nearly all digits cancel, and with the scalars that meeting returns. Short tests
// get some of them.
func edgeRows() (rows []row) {
	units := []*big.Int{new(big.Int), unit(1, 0), unit(-1, 0), unit(0, 1), unit(0, -1), unit(1, 1),
		unit(-1, -1), unit(4, 0), unit(8, 0), unit(0, 8), unit(-8, -8), unit(5, 2)}
	for _, k := range units[1:] {
		for _, a := range units {
			for _, b := range units {
				rows = append(rows, row{a, b, k})
			}
		}
	}
	edges := append(append(reference.EdgeInts(), vartimetest.Special()...), meeting()...)
	for i, x := range edges {
		k := new(big.Int).Mod(edges[(i+5)%len(edges)], reference.N())
		if k.Sign() == 0 {
			k.SetInt64(int64(i + 1))
		}
		same, product := new(big.Int).Mod(x, reference.N()), new(big.Int).Mul(x, k)
		rows = append(rows, row{product, x, k},
			row{new(big.Int).Neg(product), x, k}, // infinity
			row{new(big.Int).Sub(big.NewInt(1), product), x, k},
			row{x, edges[(i+9)%len(edges)], k})
		if same.Sign() != 0 { // the point is the multiple of G, or its opposite
			rows = append(rows, row{x, x, same}, row{x, x, new(big.Int).Neg(same)})
		}
	}
	if !cputest.Deep() {
		n := 0
		for i := range rows {
			if i%5 < 2 {
				rows[n] = rows[i]
				n++
			}
		}
		rows = rows[:n]
	}
	return rows
}

// TestMultiply checks the results of all multiplications in lanes, for random rows and for rows
// that meet exceptional cases. No result may depend on the rows in the other lanes.
func TestMultiply(t *testing.T) {
	r := rand.New(rand.NewSource(40))
	edges := edgeRows()
	rows := make([]row, 2*laneRows+5)
	for i := range rows {
		k := new(big.Int).Or(reference.RandInt(r), big.NewInt(1))
		rows[i] = row{reference.RandInt(r), reference.RandInt(r), k}
		if i < laneRows && r.Intn(3) == 0 { // the first groups of a long call are not guarded
			rows[i] = edges[r.Intn(len(edges))]
		}
	}
	v, all := columnsOf(rows, vartimetest.SplitTableSizes()...), columnsOf(edges, 1<<10, 26<<10)
	vartimetest.OnLanes(t, func(t *testing.T) {
		for _, w := range ways {
			for _, n := range laneCounts() {
				got, part := make([]point.Jacobian, n), v.last(n)
				w.call(NewLanes(n), got, part)
				w.check(t, "random", got, rows[len(rows)-n:])
			}
			l, got := NewLanes(len(edges)), make([]point.Jacobian, len(edges))
			w.call(l, got, all)
			w.check(t, "edges", got, edges)
			few := v.first(20)
			if n := testing.AllocsPerRun(10, func() { w.call(l, got[:20], few) }); n != 0 {
				t.Errorf("%s: %v allocations", w.name, n)
			}
		}
	})
}

// A laneStep is a step of a sum in lanes: a number of doublings, and then one addition. The addend
// is factor·2^block·P if key is set, and the same multiple of G if it is not.
type laneStep struct {
	doublings int // number of doublings before the addition
	key       bool
	factor    *big.Int
	block     int // the subtable of 2^block·P or 2^block·G; 0 if the table has one subtable
}

// unit returns a + b·λ.
func unit(a, b int64) *big.Int {
	x := new(big.Int).Mul(reference.Lambda(), big.NewInt(b))
	return x.Add(x, big.NewInt(a))
}

// laneFactor returns the digit in lane 0 of t that begins at bit shift of the given half. The digit
// of the second half is multiplied by λ.
func laneFactor(t *laneTerm, half, shift int) *big.Int {
	d := int64(2*windowAt(&t.digits[half], 0, uint(shift), uint(t.window)) - (1<<t.window - 1))
	if half == 1 {
		return unit(0, d)
	}
	return unit(d, 0)
}

// laneSteps returns the steps by which Lanes.sum computes a·G + b·P for one row.
func laneSteps(t *testing.T, a, b *scalar.Scalar) (steps []laneStep) {
	generator := vartime.GeneratorTable()
	var base laneTerm
	base.set([]scalar.Scalar{*a}, &generator)
	w := NewLanes(1)
	w.readDigits([]scalar.Scalar{*b})
	at := laneBaseWindow * laneBaseWindows
	add := func(place int, key bool, factor *big.Int) {
		steps = append(steps, laneStep{at - place, key, factor, 0})
		at = place
	}
	for place := at; place >= 0; place-- {
		if i := place / laneBaseWindow; place%laneBaseWindow == 0 && i < laneBaseWindows {
			add(place, false, laneFactor(&base, 0, place))
			add(place, false, laneFactor(&base, 1, place))
		}
		if i := place / laneDigit; place%laneDigit == 0 && i < len(w.digits) {
			if d := digitsIn(t, &w.digits[i])[0]; d != [2]int{} {
				add(place, true, unit(int64(d[0]), int64(d[1])))
			}
		}
	}
	return steps
}

// splitSteps returns the steps by which Lanes.sumTables computes a·G + b·P for one row.
func splitSteps(c *vartime.SplitTable, a, b *scalar.Scalar) (steps []laneStep) {
	base := vartime.GeneratorSplitTable()
	var terms [2]laneTerm
	terms[0].set([]scalar.Scalar{*a}, &base)
	terms[1].set([]scalar.Scalar{*b}, c)
	half, at := 0, vartime.MaxStride
	for round := vartime.MaxStride - 1; round >= 0; round-- {
		before := len(steps)
		for n := range 2 {
			for k := range terms {
				t := &terms[k]
				for i := range t.windows {
					if place := i * t.window; place%t.stride == round {
						steps = append(steps, laneStep{
							at - round, k == 1,
							laneFactor(t, half^n, place), place - round,
						})
						at = round
					}
				}
			}
		}
		if len(steps) > before {
			half = 1 - half
		}
	}
	return steps
}

// craft returns the discrete logarithm of a point P for which the sum before step n is equal to the
// addend of step n, or opposite to it if opposite is set. It returns nil if no P has this property.
// A signer who chooses the key can make such a P.
func craft(steps []laneStep, n int, opposite bool) *big.Int {
	order := reference.N()
	var sum [2]*big.Int // the sum so far, as multiples of G and of P
	sum[0], sum[1] = new(big.Int), new(big.Int)
	for i, s := range steps[:n+1] {
		term := new(big.Int).Lsh(s.factor, uint(s.block))
		k := 0
		if s.key {
			k = 1
		}
		for j := range sum {
			sum[j].Lsh(sum[j], uint(s.doublings))
		}
		if i == n && !opposite {
			term.Neg(term)
		}
		sum[k].Add(sum[k], term).Mod(sum[k], order)
	}
	inverse := new(big.Int).ModInverse(sum[1], order)
	if inverse == nil {
		return nil
	}
	k := inverse.Mul(inverse, sum[0])
	k.Neg(k).Mod(k, order)
	if k.Sign() == 0 {
		return nil
	}
	return k
}

// toPoint returns k·G.
func toPoint(k *big.Int) (p point.Affine) {
	var j point.Jacobian
	vartime.ScalarBaseMult(&j, vartimetest.Scalar(k))
	p.SetJacobianVartime(&j)
	return p
}

// meeting returns scalars k for which the last addition of Lanes.ScalarBaseMult adds two equal
// points.
//
// Split k as k1 + k2·λ. Write k2 as T + d·2^120, where d is its top odd digit and T is the sum of
// its lower digits, each times its power of two. The last addition adds d·2^120·λ·G to (k1 +
// T·λ)·G. These points are equal if k1 + (T − d·2^120)·λ ≡ 0 modulo n. So k1 = u and T − d·2^120 =
// v for a vector (u, v) of the lattice u + v·λ ≡ 0 in docs/endomorphism.md. It follows that k = u +
// (v + d·2^121)·λ. This holds for short vectors (u, v) of odd numbers and for odd d with |T| = |v +
// d·2^120| < 2^120.
func meeting() (ks []*big.Int) {
	n, lambda := reference.N(), reference.Lambda()
	a1, _ := new(big.Int).SetString("3086d221a7d46bcde86c90e49284eb15", 16)
	b1, _ := new(big.Int).SetString("e4437ed6010e88286f547fa90abfe4c3", 16)
	for c1 := int64(-2); c1 <= 2; c1++ {
		for c2 := int64(-2); c2 <= 2; c2++ {
			// The vector (u, v) is c1·(a1, −b1) + c2·(a1 + b1, a1), a combination of the two
			// vectors that generate the lattice.
			a2 := new(big.Int).Add(a1, b1)
			u := new(big.Int).Add(mul(c1, a1), mul(c2, a2))
			v := new(big.Int).Sub(mul(c2, a1), mul(c1, b1))
			for d := int64(-1023); d <= 1023; d += 2 {
				rest := new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(d), 120))
				if rest.BitLen() > 120 || u.Bit(0) == 0 || v.Bit(0) == 0 {
					continue
				}
				k := new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(d), 121))
				k.Mul(k, lambda).Add(k, u)
				ks = append(ks, k.Mod(k, n))
			}
		}
	}
	return ks
}

func mul(c int64, x *big.Int) *big.Int { return new(big.Int).Mul(big.NewInt(c), x) }

// crafted returns rows for which the sum of the way with number k meets an equal or opposite
// addend, in all steps in which that can happen. A table has the given size.
func crafted(t *testing.T, k, size int) (rows []row) {
	r := rand.New(rand.NewSource(7))
	a, b := reference.RandInt(r), reference.RandInt(r)
	var steps []laneStep
	switch k {
	case doubleMult:
		steps = laneSteps(t, vartimetest.Scalar(a), vartimetest.Scalar(b))
	case splitMult:
		g := toPoint(big.NewInt(1))
		shape := vartime.NewSplitTable(&g, size)
		steps = splitSteps(&shape, vartimetest.Scalar(a), vartimetest.Scalar(b))
	default:
		for _, m := range meeting() {
			if NewLanes(1).sumBase([]scalar.Scalar{*vartimetest.Scalar(m)}, nil).Z.IsZero().Has(0) {
				rows = append(rows, row{m, b, m})
			}
		}
		if k == addBaseMult {
			rows = append(rows, row{a, b, a}, row{a, b, new(big.Int).Neg(a)})
		}
	}
	for n := 1; n < len(steps); n++ {
		// The result is nil if the sum contains no multiple of the key yet, or none of G.
		if log := craft(steps, n, n%3 == 0); log != nil {
			rows = append(rows, row{a, b, log})
		}
	}
	if len(rows) < 2 || len(rows) < len(steps)/4 || k == doubleMult && len(rows) < len(steps)*3/4 {
		t.Errorf("%s, %d bytes: %d of %d steps tried", ways[k].name, size, len(rows), len(steps))
	}
	return rows
}

// TestMeet checks keys and scalars for which the sum meets an equal or opposite addend, at every
// possible step. It checks that the lanes report that they have no sum, and that the result is
// still right.
func TestMeet(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		for k, way := range ways {
			for _, size := range vartimetest.SplitTableSizes() {
				if k != splitMult && size > 1<<10 {
					break
				}
				rows := crafted(t, k, size)
				v := columnsOf(rows, size)
				for i := range rows {
					if k == splitMult && i%3 != size>>10%3 {
						continue
					}
					w, one, got := NewLanes(1), v.first(i+1), make([]point.Jacobian, 1)
					one = one.last(1)
					if !way.sum(w, one).Z.IsZero().Has(0) {
						t.Errorf("%s, %d bytes, row %d of %d: the lanes have a sum", way.name, size, i,
							len(rows))
					}
					way.call(w, got, one)
					way.check(t, "crafted", got, rows[i:i+1])
				}
			}
		}
	})
}
