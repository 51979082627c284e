package blocks

import (
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/eisenstein/eisensteintest"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// laneCounts returns numbers of rows near multiples of the sizes of groups and blocks.
func laneCounts() []int {
	if !cputest.Deep() {
		return []int{0, 1, 2, 7, 8, 9, 17, LaneRows + 3}
	}
	counts := []int{LaneRows - 1, LaneRows, LaneRows + 1, 2*LaneRows + 5}
	for n := range 34 {
		counts = append(counts, n)
	}
	return counts
}

// A lanePoint is a point k·G and its discrete logarithm k.
type lanePoint struct {
	k *big.Int
	p point.Affine
}

func lanePoints(r *rand.Rand, n int) []lanePoint {
	c := reference.Secp256k1()
	s := vartimetest.Special()
	out := make([]lanePoint, n)
	for i := range out {
		k := new(big.Int).Mod(s[r.Intn(len(s))], c.Order)
		if k.Sign() == 0 || i%2 == 0 {
			k = new(big.Int).Sub(c.Order, big.NewInt(1))
			k.Mod(reference.RandInt(r), k)
			k.Add(k, big.NewInt(1))
		}
		out[i] = lanePoint{k, toPoint(k)}
	}
	return out
}

// exceptional returns scalars a and b for which computing a·G + b·P, for P = k·G, is likely to add
// equal or opposite points, or to give infinity.
func exceptional(r *rand.Rand, k *big.Int) (a, b *big.Int) {
	s := vartimetest.Special()
	b = s[r.Intn(len(s))]
	switch a = new(big.Int).Mul(b, k); r.Intn(5) {
	case 0: // a·G and b·P are equal
	case 1: // a·G + b·P is infinity
		a.Neg(a)
	case 2:
		a.Neg(a).Add(a, big.NewInt(1))
	case 3:
		a = s[r.Intn(len(s))]
	case 4:
		a = new(big.Int).Sub(reference.N(), s[r.Intn(len(s))])
	}
	return a, b
}

func TestLanesDoubleScalarMult(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(1))
		for _, n := range laneCounts() {
			points := lanePoints(r, n)
			a, b := make([]scalar.Scalar, n), make([]scalar.Scalar, n)
			p, got := make([]point.Affine, n), make([]point.Jacobian, n)
			for i := range points {
				x, y := reference.RandInt(r), reference.RandInt(r)
				if i >= n/2 && r.Intn(3) == 0 { // the first groups are not guarded
					x, y = exceptional(r, points[i].k)
				}
				a[i], b[i], p[i] = *vartimetest.Scalar(x), *vartimetest.Scalar(y), points[i].p
			}
			NewLanes(n).DoubleScalarMult(got, a, b, p)
			for i := range got {
				var want point.Jacobian
				vartime.DoubleScalarMult(&want, &a[i], &b[i], &p[i])
				if got[i].Equal(&want) != 1 {
					t.Fatalf("%d rows, row %d: %x·G + %x·P = %v, want %v",
						n, i, a[i].Limbs(), b[i].Limbs(),
						vartimetest.Reference(&got[i]), vartimetest.Reference(&want))
				}
			}
		}
	})
}

// TestLanesEdges checks sums of small multiples of units: of scalars with few digits, and of points
// that are units times G.
func TestLanesEdges(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		numbers := []*big.Int{new(big.Int), unit(1, 0), unit(-1, 0), unit(0, 1), unit(0, -1),
			unit(1, 1), unit(-1, -1), unit(4, 0), unit(8, 0), unit(0, 8), unit(-8, -8), unit(5, 2)}
		var a, b []scalar.Scalar
		var p []point.Affine
		var sums []*big.Int
		for _, k := range numbers[1:] {
			q := toPoint(k)
			for _, x := range numbers {
				for _, y := range numbers {
					sum := new(big.Int).Mul(y, k)
					sums = append(sums, sum.Add(sum, x))
					a, b = append(a, *vartimetest.Scalar(x)), append(b, *vartimetest.Scalar(y))
					p = append(p, q)
				}
			}
		}
		got := make([]point.Jacobian, len(p))
		NewLanes(len(p)).DoubleScalarMult(got, a, b, p)
		for i := range got {
			var want point.Jacobian
			vartime.ScalarBaseMult(&want, vartimetest.Scalar(sums[i]))
			if got[i].Equal(&want) != 1 {
				t.Fatalf("%x·G + %x·P = %v, want %v", a[i].Limbs(), b[i].Limbs(),
					vartimetest.Reference(&got[i]), vartimetest.Reference(&want))
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
	block     int // a digit in split table block 2^block; else 0
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
	var base laneTerm
	base.set([]scalar.Scalar{*a}, laneBaseWindow, laneBaseWindows)
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
			if d := eisensteintest.Digits(t, &w.digits[i])[0]; d != [2]int{} {
				add(place, true, unit(int64(d[0]), int64(d[1])))
			}
		}
	}
	return steps
}

// splitSteps returns the steps by which a splitGroup, up to eight rows with split wNAF tables,
// computes a·G + b·P for one row.
func splitSteps(c *vartime.SplitTable, a, b *scalar.Scalar) (steps []laneStep) {
	base := vartime.GeneratorSplitTable()
	var terms [2]laneSplit
	terms[0].set(&base, []scalar.Scalar{*a})
	terms[1].set(c, []scalar.Scalar{*b})
	half, at := 0, vartime.MaxStride
	for round := vartime.MaxStride - 1; round >= 0; round-- {
		if !terms[0].has(round) && !terms[1].has(round) {
			continue
		}
		for n := range 2 {
			for k := range terms {
				t := &terms[k]
				for i := range t.windows {
					if place := i * t.window; place%t.stride == round {
						steps = append(steps, laneStep{
							at - round, k == 1,
							laneFactor(&t.laneTerm, half^n, place), place - round,
						})
						at = round
					}
				}
			}
		}
		half = 1 - half
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

// TestLanesMeet checks keys for which the sum meets an equal or opposite addend, at every possible
// step. It checks that the lanes report that they have no sum, and that the final result is still
// right.
func TestLanesMeet(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(7))
		x, y := vartimetest.Scalar(reference.RandInt(r)), vartimetest.Scalar(reference.RandInt(r))
		steps := laneSteps(t, x, y)
		tried := 0
		for n := 1; n < len(steps); n++ {
			k := craft(steps, n, n%3 == 0)
			if k == nil {
				continue // the sum contains no multiple of the key yet
			}
			tried++
			p := []point.Affine{toPoint(k)}
			a, b, got := []scalar.Scalar{*x}, []scalar.Scalar{*y}, make([]point.Jacobian, 1)
			w := NewLanes(1)
			w.makeTables(p)
			if acc := w.sum(0, a, b); !acc.Z.IsZero().Has(0) {
				t.Errorf("step %d of %d: the lanes have a sum", n, len(steps))
			}
			w.DoubleScalarMult(got, a, b, p)
			sum := new(big.Int).Mul(vartimetest.Big(y), k)
			want := toPoint(sum.Add(sum, vartimetest.Big(x)))
			if got[0].Equal(new(point.Jacobian).SetAffine(&want)) != 1 {
				t.Errorf("step %d of %d: wrong sum", n, len(steps))
			}
		}
		if tried < len(steps)*3/4 {
			t.Errorf("%d of %d steps tried", tried, len(steps))
		}
	})
}

// TestLanesMeetCombs checks what TestLanesMeet checks, for sums that read the multiples of the key
// from a split wNAF table (vartime.SplitTable).
func TestLanesMeetCombs(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(8))
		x, y := vartimetest.Scalar(reference.RandInt(r)), vartimetest.Scalar(reference.RandInt(r))
		g := toPoint(big.NewInt(1))
		for _, size := range vartimetest.SplitTableSizes() {
			shape := vartime.NewSplitTable(&g, size)
			steps := splitSteps(&shape, x, y)
			tried := 0
			for n := 1 + size>>10%3; n < len(steps); n += 3 {
				k := craft(steps, n, n%2 == 0)
				if k == nil {
					continue // the sum contains no multiple of G yet, so no key exists
				}
				tried++
				p := toPoint(k)
				c := vartime.NewSplitTable(&p, size)
				g := splitGroup{n: 1}
				g.a[0], g.b[0], g.c[0] = *x, *y, &c
				if acc := g.sum(NewLanes(1)); !acc.Z.IsZero().Has(0) {
					t.Errorf("%d bytes, step %d of %d: the lanes have a sum", size, n, len(steps))
				}
				got := make([]point.Jacobian, 1)
				a, b := []scalar.Scalar{*x}, []scalar.Scalar{*y}
				NewLanes(1).DoubleScalarMultSplit(got, a, b, []*vartime.SplitTable{&c})
				sum := new(big.Int).Mul(vartimetest.Big(y), k)
				want := toPoint(sum.Add(sum, vartimetest.Big(x)))
				if got[0].Equal(new(point.Jacobian).SetAffine(&want)) != 1 {
					t.Errorf("%d bytes, step %d of %d: wrong sum", size, n, len(steps))
				}
			}
			if tried < 8 {
				t.Errorf("%d bytes: only %d steps tried", size, tried)
			}
		}
	})
}

func TestLanesDoubleScalarMultCombs(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(2))
		sizes := vartimetest.SplitTableSizes()
		points := lanePoints(r, 12)
		splits := make([]vartime.SplitTable, len(points))
		for i := range points {
			splits[i] = vartime.NewSplitTable(&points[i].p, sizes[i%len(sizes)])
		}
		for _, n := range laneCounts() {
			a, b := make([]scalar.Scalar, n), make([]scalar.Scalar, n)
			c, got := make([]*vartime.SplitTable, n), make([]point.Jacobian, n)
			p := make([]*point.Affine, n)
			for i := range got {
				at := r.Intn(len(points))
				if n%2 == 0 {
					at = 5 // only the largest size
				}
				x, y := reference.RandInt(r), reference.RandInt(r)
				if i >= n/2 && r.Intn(3) == 0 { // the first groups are not guarded
					x, y = exceptional(r, points[at].k)
				}
				a[i], b[i] = *vartimetest.Scalar(x), *vartimetest.Scalar(y)
				c[i], p[i] = &splits[at], &points[at].p
			}
			NewLanes(n).DoubleScalarMultSplit(got, a, b, c)
			for i := range got {
				var want point.Jacobian
				vartime.DoubleScalarMult(&want, &a[i], &b[i], p[i])
				if got[i].Equal(&want) != 1 {
					t.Fatalf("%d rows, row %d, table of %d bytes: %x·G + %x·P = %v, want %v",
						n, i, c[i].Size(), a[i].Limbs(), b[i].Limbs(),
						vartimetest.Reference(&got[i]), vartimetest.Reference(&want))
				}
			}
		}
	})
}

// TestLaneDigits checks that the digits of scalars add up to the scalars.
func TestLaneDigits(t *testing.T) {
	r := rand.New(rand.NewSource(10))
	w := NewLanes(1)
	special := vartimetest.Special()
	for round := range 200 {
		numbers := make([]*big.Int, round%(lanes.Width+1))
		b := make([]scalar.Scalar, len(numbers))
		for j := range b {
			if numbers[j] = reference.RandInt(r); r.Intn(2) == 0 {
				numbers[j] = special[r.Intn(len(special))]
			}
			b[j] = *vartimetest.Scalar(numbers[j])
		}
		w.readDigits(b)
		var sums [lanes.Width]big.Int
		for i := len(w.digits) - 1; i >= 0; i-- {
			for j, d := range eisensteintest.Digits(t, &w.digits[i]) {
				sums[j].Lsh(&sums[j], laneDigit).Add(&sums[j], unit(int64(d[0]), int64(d[1])))
			}
		}
		for j := range sums {
			want := new(big.Int)
			if j < len(b) {
				want.Mod(numbers[j], reference.N())
			}
			if got := sums[j].Mod(&sums[j], reference.N()); got.Cmp(want) != 0 {
				t.Fatalf("the digits of %x in lane %d add up to %x", want, j, got)
			}
		}
	}
}

// TestLaneTables checks that tables in lanes hold the reference's multiples.
func TestLaneTables(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		c := reference.Secp256k1()
		points := lanePoints(rand.New(rand.NewSource(3)), 11)
		p := make([]point.Affine, len(points))
		for i := range p {
			p[i] = points[i].p
		}
		w := NewLanes(len(p))
		w.makeTables(p)
		for i := range p {
			table := w.table(i / lanes.Width)
			for _, m := range eisensteintest.Multiples() {
				k := unit(int64(m.A), int64(m.B))
				k.Mul(k, points[i].k)
				want := vartimetest.Affine(c.ScalarMult(k.Mod(k, c.Order), c.G))
				var got point.Affine
				x, y := table[m.Row][i%lanes.Width][m.X:], table[m.Y][i%lanes.Width][4:]
				got.X.SetLimbs(x[0], x[1], x[2], x[3])
				got.Y.SetLimbs(y[0], y[1], y[2], y[3])
				if got.Equal(want) != 1 {
					t.Errorf("row %d: the multiple by %d + %d·λ is wrong", i, m.A, m.B)
				}
			}
		}
	})
}

func TestLanesLiftX(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(4))
		for _, n := range laneCounts() {
			got := make([]point.Affine, n)
			odd, ok := make([]bool, n), make([]bool, n)
			for i := range got {
				x := vartimetest.Element(reference.RandInt(r))
				got[i].X = *x.Normalize()
				odd[i] = r.Intn(2) == 0
			}
			NewLanes(n).LiftX(got, odd, ok)
			for i := range got {
				var want point.Affine
				choice := ct.Choice(0)
				if odd[i] {
					choice = 1
				}
				good := want.LiftX(&got[i].X, choice).Bool()
				if ok[i] != good || good && (got[i].Equal(&want) != 1 ||
					got[i].Y.Limbs() != got[i].Y.Normalize().Limbs()) {
					t.Fatalf("%d rows, row %d: x = %x: %v %v", n, i, got[i].X.Limbs(), ok[i], good)
				}
			}
		}
	})
}

func TestLanesToAffine(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(5))
		for _, n := range laneCounts() {
			src := make([]point.Jacobian, n)
			for i, p := range lanePoints(r, n) {
				var z, zz field.Element
				half := new(big.Int).Rsh(reference.RandInt(r), 1)
				z = vartimetest.Element(half.Add(half, big.NewInt(1)))
				if r.Intn(4) == 0 {
					src[i].X, src[i].Y = p.p.X, p.p.Y
					if r.Intn(2) == 0 {
						src[i].Z = vartimetest.Element(reference.P()) // p, the other form of zero
					}
					continue
				}
				zz.Square(&z)
				src[i].X.Mul(&p.p.X, &zz)
				zz.Mul(&zz, &z)
				src[i].Y.Mul(&p.p.Y, &zz)
				src[i].Z = z
			}
			got, want := make([]point.Affine, n), make([]point.Affine, n)
			finite := make([]bool, n)
			NewLanes(n).ToAffine(got, finite, src)
			point.BatchToAffineVartime(want, src)
			for i := range got {
				if got[i] != want[i] || finite[i] == src[i].IsInfinity().Bool() {
					t.Fatalf("%d rows, row %d: %v %v, want %v", n, i, got[i], finite[i], want[i])
				}
			}
		}
	})
}

// TestInvert checks that the method invert returns the inverse of every lane, and zero for lanes
// that hold zero.
func TestInvert(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	w := NewLanes(LaneRows)
	for _, zeros := range []bool{false, true} {
		for _, n := range []int{0, 1, 2, 3, 17, len(w.values)} {
			v := make([]lanes.Element, n)
			want := make([][lanes.Width]field.Element, n)
			for i := range v {
				for j := range want[i] {
					x := vartimetest.Element(reference.RandInt(r))
					if zeros && r.Intn(4) == 0 {
						x = field.Element{}
					}
					v[i].SetLane(j, &x)
					want[i][j].Invert(&x)
				}
			}
			got := w.invert(v)
			for i := range want {
				for j := range want[i] {
					var x field.Element
					if got[i].Lane(j, &x); !x.Equal(&want[i][j]).Bool() {
						t.Fatalf("lane %d of inverse %d of %d: %x, want %x", j, i, n, x, want[i][j])
					}
				}
			}
		}
	}
}

func TestLanesDivide(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(9))
		for _, n := range laneCounts() {
			random := func() []scalar.Scalar {
				s := make([]scalar.Scalar, n)
				for i := range s {
					s[i] = *vartimetest.Scalar(reference.RandInt(r))
				}
				return s
			}
			a, b, s := random(), random(), random()
			if n > 2 {
				s[n/2] = scalar.Scalar{}
			}
			x, y := slices.Clone(a), slices.Clone(b)
			NewLanes(n).Divide(x, y, slices.Clone(s), make([]scalar.Scalar, n))
			for i := range s {
				s[i].InvertVartime(&s[i])
				a[i].Mul(&a[i], &s[i])
				b[i].Mul(&b[i], &s[i])
			}
			if !slices.Equal(x, a) || !slices.Equal(y, b) {
				t.Fatalf("%d rows: wrong quotients", n)
			}
		}
	})
}

func BenchmarkLanes(b *testing.B) {
	r := rand.New(rand.NewSource(6))
	const most = 1024
	points := lanePoints(r, most)
	x, y := make([]scalar.Scalar, most), make([]scalar.Scalar, most)
	p, out := make([]point.Affine, most), make([]point.Jacobian, most)
	splits := make([]*vartime.SplitTable, most)
	for i := range p {
		x[i] = *vartimetest.Scalar(reference.RandInt(r))
		y[i] = *vartimetest.Scalar(reference.RandInt(r))
		p[i] = points[i].p
		if i < 64 {
			c := vartime.NewSplitTable(&p[i], 26<<10)
			splits[i] = &c
		} else {
			splits[i] = splits[i%64]
		}
	}
	odd, ok := make([]bool, most), make([]bool, most)
	q := make([]point.Affine, most)
	report := func(b *testing.B, n int) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
	}
	for _, n := range []int{1, 8, 64, 1024} {
		w := NewLanes(n)
		b.Run(fmt.Sprintf("DoubleScalarMult/%d", n), func(b *testing.B) {
			for b.Loop() {
				w.DoubleScalarMult(out[:n], x[:n], y[:n], p[:n])
			}
			report(b, n)
		})
		b.Run(fmt.Sprintf("DoubleScalarMultSplit/%d", n), func(b *testing.B) {
			for b.Loop() {
				w.DoubleScalarMultSplit(out[:n], x[:n], y[:n], splits[:n])
			}
			report(b, n)
		})
		b.Run(fmt.Sprintf("LiftX/%d", n), func(b *testing.B) {
			for b.Loop() {
				w.LiftX(q[:n], odd[:n], ok[:n])
			}
			report(b, n)
		})
		w.DoubleScalarMult(out[:n], x[:n], y[:n], p[:n])
		b.Run(fmt.Sprintf("ToAffine/%d", n), func(b *testing.B) {
			for b.Loop() {
				w.ToAffine(q[:n], ok[:n], out[:n])
			}
			report(b, n)
		})
	}
}
