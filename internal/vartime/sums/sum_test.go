package sums

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// walk returns points with known logarithms: (start + i·step)·G.
func walk(t testing.TB, n int, start, step *big.Int) ([]point.Affine, []*big.Int) {
	j := make([]point.Jacobian, n)
	logs := make([]*big.Int, n)
	var d point.Jacobian
	vartime.ScalarBaseMult(&d, vartimetest.Scalar(step))
	log := new(big.Int).Set(start)
	for i := range n {
		if i == 0 {
			vartime.ScalarBaseMult(&j[0], vartimetest.Scalar(log))
		} else {
			j[i].AddVartime(&j[i-1], &d)
		}
		logs[i] = new(big.Int).Mod(log, reference.N())
		log.Add(log, step)
	}
	points := make([]point.Affine, n)
	point.BatchToAffineVartime(points, j)
	if slices.Contains(points, point.Affine{}) {
		t.Fatal("infinity on the walk")
	}
	return points, logs
}

// sumCase is a sum of full and short terms. Its points are logs·G.
type sumCase struct {
	full   []*big.Int
	short  [][2]*big.Int // u and v
	points []point.Affine
	logs   []*big.Int
}

func toHalf(x *big.Int) scalar.Half {
	var m big.Int
	m.Abs(x)
	h := scalar.Half{Lo: m.Uint64(), Hi: new(big.Int).Rsh(&m, 64).Uint64()}
	if x.Sign() < 0 {
		h.Neg = 1
	}
	return h
}

func (c *sumCase) set(s *Sum) {
	s.Reset(len(c.full), len(c.short))
	for i, k := range c.full {
		s.SetFull(i, vartimetest.Scalar(k), &c.points[i])
	}
	for i, k := range c.short {
		u, v := toHalf(k[0]), toHalf(k[1])
		s.SetShort(i, &u, &v, &c.points[len(c.full)+i])
	}
}

// log returns the logarithm of the sum.
func (c *sumCase) log() *big.Int {
	sum, t := new(big.Int), new(big.Int)
	for i, k := range c.full {
		sum.Add(sum, t.Mul(k, c.logs[i]))
	}
	for i, k := range c.short {
		t.Mul(k[1], reference.Lambda())
		t.Add(t, k[0])
		sum.Add(sum, t.Mul(t, c.logs[len(c.full)+i]))
	}
	return sum.Mod(sum, reference.N())
}

// wantLog fails the test if r is not log·G by the oracle.
func wantLog(t *testing.T, what string, r *point.Jacobian, log *big.Int) {
	t.Helper()
	c := reference.Secp256k1()
	want := c.ScalarMult(log, c.G)
	if got := vartimetest.Reference(r); !got.Equal(want) {
		t.Errorf("%s: (%x, %x), want (%x, %x)", what, got.X, got.Y, want.X, want.Y)
	}
}

func (c *sumCase) check(t *testing.T, what string, s *Sum, workers int) {
	t.Helper()
	var r point.Jacobian
	team := crew.New(workers)
	defer team.Stop()
	c.set(s)
	if err := s.Result(context.Background(), &r, team); err != nil {
		t.Fatal(err)
	}
	want := c.log()
	wantLog(t, what, &r, want)

	c.set(s)
	zero, err := s.IsZero(context.Background(), team)
	if err != nil || zero != (want.Sign() == 0) {
		t.Errorf("%s: IsZero %v, %v", what, zero, err)
	}
}

// sumStructures makes sums of n terms of every structure that a sum could get
// wrong.
var sumStructures = []struct {
	name string
	make func(t *testing.T, r *rand.Rand, n int) sumCase
}{
	{"random", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(1), uniform(r))
		for range n {
			c.full = append(c.full, uniform(r))
		}
		return c
	}},
	{"edges", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(7), big.NewInt(3))
		for range n {
			c.full = append(c.full, reference.RandInt(r))
		}
		return c
	}},
	{"one point", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(5), new(big.Int))
		for range n {
			c.full = append(c.full, uniform(r))
		}
		return c
	}},
	{"one point and its opposite", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(5), new(big.Int))
		for i := range n {
			if r.Intn(2) == 0 {
				c.points[i].Neg(&c.points[i])
				c.logs[i] = new(big.Int).Neg(c.logs[i])
			}
			c.full = append(c.full, big.NewInt(int64(r.Intn(3))))
		}
		return c
	}},
	{"one term", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(5), new(big.Int))
		k := uniform(r)
		for range n {
			c.full = append(c.full, k)
		}
		return c
	}},
	{"one term and its opposite", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(5), new(big.Int))
		k := uniform(r)
		for range n {
			c.full = append(c.full, k)
			k = new(big.Int).Neg(k)
		}
		return c
	}},
	{"one scalar", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(5), uniform(r))
		k := uniform(r)
		for range n {
			c.full = append(c.full, k)
		}
		return c
	}},
	{"all one", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(1), big.NewInt(1))
		for range n {
			c.full = append(c.full, big.NewInt(1))
		}
		return c
	}},
	{"all zero", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(1), big.NewInt(1))
		for range n {
			c.full = append(c.full, new(big.Int))
		}
		return c
	}},
	{"cancelling pairs", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(1), uniform(r))
		for i := range n {
			c.full = append(c.full, uniform(r))
			if i%2 == 1 {
				c.full[i] = new(big.Int).Neg(c.full[i-1])
				c.points[i], c.logs[i] = c.points[i-1], c.logs[i-1]
			}
		}
		return c
	}},
	{"cancelling as a whole", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(1), uniform(r))
		for range n {
			c.full = append(c.full, uniform(r))
		}
		if n > 0 {
			c.full[n-1] = new(big.Int)
			inverse := new(big.Int).ModInverse(c.logs[n-1], reference.N())
			c.full[n-1] = inverse.Mul(inverse, c.log()).Neg(inverse)
		}
		return c
	}},
	{"points times λ", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		// P, λP and λ²P, whose sum is zero, with scalars that take them to each
		// other.
		c.points, c.logs = walk(t, n, big.NewInt(5), new(big.Int))
		for i := range n {
			k := big.NewInt(int64(r.Intn(3)))
			for range r.Intn(3) {
				k.Mul(k, reference.Lambda())
			}
			for range i % 3 {
				c.points[i].MulBeta(&c.points[i])
				c.logs[i] = new(big.Int).Mul(c.logs[i], reference.Lambda())
			}
			c.full = append(c.full, k)
		}
		return c
	}},
	{"short", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(5), uniform(r))
		for range n {
			c.short = append(c.short, [2]*big.Int{shortHalf(r), shortHalf(r)})
		}
		return c
	}},
	{"short and full", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(5), uniform(r))
		for i := range n {
			if i < n/3 {
				c.full = append(c.full, reference.RandInt(r))
			} else {
				c.short = append(c.short, [2]*big.Int{shortHalf(r), shortHalf(r)})
			}
		}
		return c
	}},
}

func uniform(r *rand.Rand) *big.Int { return new(big.Int).Rand(r, reference.N()) }

// shortHalf returns a number of either sign with a magnitude below 2^64, often
// at an end.
func shortHalf(r *rand.Rand) *big.Int {
	x := new(big.Int).SetUint64(r.Uint64() >> r.Intn(64))
	switch r.Intn(8) {
	case 0:
		x.SetUint64(1<<64 - 1 - uint64(r.Intn(3)))
	case 1:
		x.SetInt64(int64(r.Intn(3)))
	}
	if r.Intn(2) == 0 {
		x.Neg(x)
	}
	return x
}

// sumSizes returns all numbers of terms up to 100, or some of them for short
// tests, and those around every threshold.
func sumSizes() (sizes []int) {
	for n := 0; n <= 100; n++ {
		if !testing.Short() || n < 5 || n%9 == 0 {
			sizes = append(sizes, n)
		}
	}
	for _, t := range profile.Current().Plans {
		if n := t.Terms; n > 0 && (n < 1000 || !testing.Short() && n < 7000) {
			sizes = append(sizes, n-1, n, n+1)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

func TestSum(t *testing.T) {
	t.Log(cpu.Implementations())
	var s Sum
	for _, structure := range sumStructures {
		t.Run(structure.name, func(t *testing.T) {
			r := rand.New(rand.NewSource(1))
			for _, n := range sumSizes() {
				c := structure.make(t, r, n)
				c.check(t, fmt.Sprint(n, " terms"), &s, 1+n%3)
			}
		})
	}
}

// TestSumLevels runs the tests of sums with what fewer CPUs have.
func TestSumLevels(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		var s Sum
		r := rand.New(rand.NewSource(8))
		for _, structure := range sumStructures {
			for _, n := range []int{1, 7, 30, 150, 1000} {
				c := structure.make(t, r, n)
				c.check(t, fmt.Sprint(structure.name, ", ", n, " terms"), &s, 1+n%2)
			}
		}
		t.Run("Adder", TestAdder)
		t.Run("SmallGroups", TestSumSmallGroups)
	}, cputest.Portable, cputest.ADX)
}

// TestHorner compares sums of 2^i·P_i with the oracle, in which points are
// missing, equal what they are added to, or cancel it.
func TestHorner(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	for round := range 60 {
		points, logs := walk(t, 8, big.NewInt(1), big.NewInt(1))
		sums := make([]positionSums, 1+r.Intn(3))
		log := new(big.Int)
		density := r.Intn(4)
		for k := range sums {
			for i := range sums[k] {
				if r.Intn(4) < density {
					continue
				}
				at := r.Intn(len(points))
				q, l := points[at], new(big.Int).Set(logs[at])
				if r.Intn(2) == 0 {
					q.Neg(&q)
					l.Neg(l)
				}
				sums[k][i] = q
				log.Add(log, l.Lsh(l, uint(i)))
			}
		}
		log.Mod(log, reference.N())
		var got point.Jacobian
		horner(&got, sums)
		wantLog(t, fmt.Sprint("round ", round), &got, log)
		hornerSingle(&got, sums)
		wantLog(t, fmt.Sprint("round ", round, ", one by one"), &got, log)
		if hornerLanes(&got, sums) {
			wantLog(t, fmt.Sprint("round ", round, ", in lanes"), &got, log)
		}
	}
}

// TestSumPlans computes sums by every plan, the ones that are never chosen for so
// many terms too.
func TestSumPlans(t *testing.T) {
	team := crew.New(3)
	defer team.Stop()
	r := rand.New(rand.NewSource(2))
	var s Sum
	for _, structure := range sumStructures {
		for _, n := range []int{1, 2, 30} {
			c := structure.make(t, r, n)
			want := c.log()
			for count := minWindows; count <= maxWindows; count++ {
				c.set(&s)
				p := plan{windows: cut(count)}
				var got point.Jacobian
				if err := s.pippenger(context.Background(), &got, &p, team); err != nil {
					t.Fatal(err)
				}
				wantLog(t, fmt.Sprint(structure.name, ", ", n, " terms, ", count, " windows"), &got, want)
			}
			c.set(&s)
			var got point.Jacobian
			s.interleave(&got)
			wantLog(t, fmt.Sprint(structure.name, ", ", n, " terms, interleaved"), &got, want)
			c.set(&s)
			if s.strausLanes(&got) {
				wantLog(t, fmt.Sprint(structure.name, ", ", n, " terms, in lanes"), &got, want)
			}
		}
	}
}

// TestSumSmallGroups adds up points of groups in which exceptional cases are
// the rule: terms (u + v·λ)·P with every small u and v.
func TestSumSmallGroups(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	var s Sum
	for _, c := range reference.SmallCurves() {
		order := int(c.Order.Int64())
		points := make([]point.Affine, order)
		multiples := make([]reference.Point, order)
		for i := 1; i < order; i++ {
			multiples[i] = c.ScalarMult(big.NewInt(int64(i)), c.G)
			points[i] = *vartimetest.Affine(multiples[i])
		}
		for round := range 60 {
			n := 1 + r.Intn(200)
			s.Reset(0, n)
			sum := new(big.Int)
			for i := range n {
				log := 1 + r.Intn(order-1)
				u, v := big.NewInt(int64(r.Intn(400)-200)), big.NewInt(int64(r.Intn(400)-200))
				hu, hv := toHalf(u), toHalf(v)
				s.SetShort(i, &hu, &hv, &points[log])
				u.Add(u, v.Mul(v, c.Lambda))
				sum.Add(sum, u.Mul(u, big.NewInt(int64(log))))
			}
			p := plan{windows: cut(minWindows + round%(maxWindows-minWindows))}
			var got point.Jacobian
			if err := s.pippenger(context.Background(), &got, &p, nil); err != nil {
				t.Fatal(err)
			}
			want := multiples[sum.Mod(sum, c.Order).Int64()]
			if !vartimetest.Reference(&got).Equal(want) {
				t.Errorf("order %d, %d terms, %d windows: wrong sum", order, n, p.windows.count)
			}
		}
	}
}

// digitOf returns the digit of a recoded half scalar's magnitude in the window of
// width bits at pos, which is its last or not.
func digitOf(h *half, pos, width uint8, last bool) int64 {
	word, shift := pos>>6&1, pos&63
	// What comes in above bit 127 are no bits of the magnitude: the mask ends
	// before them.
	x := (h[word]>>shift | h[word+1]<<1<<(63-shift)) & (1<<width - 1)
	if last {
		return int64(x)
	}
	return int64(x) - 1<<(width-1)
}

// TestCut checks what the comments say of windows and digits.
func TestCut(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for count := minWindows; count <= maxWindows; count++ {
		w := cut(count)
		if w.pos[0] != 0 || w.pos[count] != fullBits {
			t.Fatalf("%d windows: from %d to %d", count, w.pos[0], w.pos[count])
		}
		if w.width[count-1] > w.width[0] || w.width[count-1] < 2 {
			t.Errorf("%d windows: the first has %d bits, the last %d", count, w.width[0], w.width[count-1])
		}
		for _, size := range []uint8{fullBits, shortBits} {
			last := w.last(size)
			greatest := new(big.Int).Lsh(big.NewInt(1), uint(size))
			if size == fullBits { // 0.636·2^128
				greatest.Mul(greatest, big.NewInt(636)).Div(greatest, big.NewInt(1000))
			}
			for i := range 200 {
				k := new(big.Int).Rand(r, greatest)
				switch i {
				case 0:
					k.SetInt64(0)
				case 1:
					k.Sub(greatest, big.NewInt(1))
				}
				h := []half{{k.Uint64(), new(big.Int).Rsh(k, 64).Uint64(), 0}}
				lo, hi := w.offset(last)
				recode(h, lo, hi)
				sum := new(big.Int)
				for j := 0; j <= last; j++ {
					d := digitOf(&h[0], w.pos[j], w.width[j], j == last)
					if d > int64(w.buckets(j)) || -d > int64(w.buckets(j)) {
						t.Fatalf("%d windows: digit %d in window %d", count, d, j)
					}
					sum.Add(sum, new(big.Int).Lsh(big.NewInt(d), uint(w.pos[j])))
				}
				if sum.Cmp(k) != 0 {
					t.Fatalf("%d windows: %x comes out as %x", count, k, sum)
				}
			}
		}
	}
}

// TestTimesLambda compares λ·P in lanes and one by one. What is left of other
// points there may not matter.
func TestTimesLambda(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	for _, n := range []int{0, 1, 7, 8, 9, 16, 27} {
		points, _ := walk(t, 2*n+1, big.NewInt(5), uniform(r))
		rows := slices.Clone(points)
		timesLambdaAll(rows[:2*n])
		for i := range n {
			var want point.Affine
			want.MulBeta(&points[2*i])
			if rows[2*i] != points[2*i] || !rows[2*i+1].X.Equal(&want.X).Bool() || !rows[2*i+1].Y.Equal(&want.Y).Bool() {
				t.Errorf("point %d of %d is wrong", i, n)
			}
		}
		if rows[2*n] != points[2*n] {
			t.Errorf("what is behind %d points has changed", n)
		}
	}
}

// TestSumCancelled: a context that has ended is an error, and the next sum is
// right.
func TestSumCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := rand.New(rand.NewSource(5))
	var s Sum
	for _, n := range []int{3, 300} {
		c := sumStructures[0].make(t, r, n)
		c.set(&s)
		var got point.Jacobian
		if err := s.Result(ctx, &got, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%d terms: %v", n, err)
		}
		if got != (point.Jacobian{}) {
			t.Errorf("%d terms: a result after all", n)
		}
		c.check(t, "after it", &s, 2)
	}
}

// TestSumUnset: terms that are not set count as zero, whatever was in their
// place before.
func TestSumUnset(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	var s Sum
	for _, n := range []int{10, 500} {
		c := sumStructures[0].make(t, r, n)
		c.check(t, "all", &s, 1)
		s.Reset(n, n)
		s.SetFull(n-1, vartimetest.Scalar(c.full[0]), &c.points[0])
		var got point.Jacobian
		if err := s.Result(context.Background(), &got, nil); err != nil {
			t.Fatal(err)
		}
		c.full, c.points, c.logs = c.full[:1], c.points[:1], c.logs[:1]
		wantLog(t, "one", &got, c.log())
	}
}

// TestAdder compares sums of pairs with the oracle: those of different points,
// of equal and of opposite ones, in every sign.
func TestAdder(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	c := reference.Secp256k1()
	for n := range 40 {
		points, logs := walk(t, n+3, big.NewInt(2), big.NewInt(1))
		rows := make([]point.Affine, firstBase)
		rows[fillRef>>rowShift].SetGenerator()
		rows = append(rows, points...)
		logs = append(make([]*big.Int, firstBase), logs...)
		var a, b, out []ref
		infinite := false
		for range n {
			i, j := firstBase+r.Intn(n+3), firstBase+r.Intn(n+3)
			if r.Intn(4) == 0 {
				j = i
			}
			x, y := ref(i<<rowShift|r.Intn(2)), ref(j<<rowShift|r.Intn(2))
			infinite = infinite || x^y == 1
			a, b, out = append(a, x), append(b, y), append(out, ref(len(rows)<<rowShift))
			rows = append(rows, point.Affine{})
		}
		room := func(s []ref) []ref { return append(make([]ref, 0, n+fillRoom), s...) }
		a, b, out = room(a), room(b), room(out)
		var w adder
		if w.add(rows, a, b, out) != infinite {
			t.Errorf("%d pairs: not %v", n, infinite)
		}
		for i := range out {
			sum := new(big.Int)
			for _, x := range []ref{a[i], b[i]} {
				if x&1 == 0 {
					sum.Add(sum, logs[x>>rowShift])
				} else {
					sum.Sub(sum, logs[x>>rowShift])
				}
			}
			if a[i]&1 != 0 {
				sum.Neg(sum)
			}
			want := c.ScalarMult(sum, c.G)
			got := rows[out[i]>>rowShift]
			if got == (point.Affine{}) != want.IsInfinity() || !want.IsInfinity() && !got.Equal(vartimetest.Affine(want)).Bool() {
				t.Errorf("pair %d of %d: %d, %d: wrong", i, n, a[i], b[i])
			}
		}
	}
}

func FuzzSum(f *testing.F) {
	f.Add(int64(1), uint8(3), uint8(2), []byte{1, 2, 3})
	f.Add(int64(2), uint8(100), uint8(0), []byte{0, 0xff, 1})
	f.Fuzz(func(t *testing.T, seed int64, full, short uint8, pattern []byte) {
		r := rand.New(rand.NewSource(seed))
		n := int(full) + int(short)
		if n == 0 || len(pattern) == 0 {
			return
		}
		// Few points, so that they meet; the pattern says which.
		points, logs := walk(t, 4, big.NewInt(int64(1+r.Intn(4))), big.NewInt(int64(r.Intn(2))))
		var c sumCase
		for i := range n {
			b := int(pattern[i%len(pattern)])
			p, log := points[b&3], logs[b&3]
			if b&4 != 0 {
				p.Neg(&p)
				log = new(big.Int).Neg(log)
			}
			if b&8 != 0 {
				p.MulBeta(&p)
				log = new(big.Int).Mul(log, reference.Lambda())
			}
			c.points, c.logs = append(c.points, p), append(c.logs, log)
			k := reference.RandInt(r)
			if b&16 != 0 {
				k.SetInt64(int64(b >> 5))
			}
			if i < int(full) {
				c.full = append(c.full, k)
				continue
			}
			u := new(big.Int).SetUint64(k.Uint64())
			c.short = append(c.short, [2]*big.Int{u, shortHalf(r)})
		}
		var s Sum
		c.check(t, "fuzz", &s, 1+int(seed&1))
		c.set(&s)
		p := plan{windows: cut(minWindows + n%(maxWindows-minWindows+1))}
		var got point.Jacobian
		if err := s.pippenger(context.Background(), &got, &p, nil); err != nil {
			t.Fatal(err)
		}
		wantLog(t, "by buckets", &got, c.log())
	})
}
