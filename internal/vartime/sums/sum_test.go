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
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// sumSizes returns all numbers of terms up to 100 (in short tests every ninth of them) and numbers
// near every threshold.
func sumSizes() (sizes []int) {
	for n := 0; n <= 100; n++ {
		if cputest.Deep() || n < 5 || n%9 == 0 {
			sizes = append(sizes, n)
		}
	}
	for _, t := range profile.Current().Plans {
		if n := t.Terms; n > 0 && (n < 1000 || cputest.Deep() && n < 7000) {
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

// TestSumLevels runs the tests of sums again without the CPU's best instructions.
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
	}, cputest.Portable, cputest.ADX, cputest.LanesAVX2, cputest.LanesAVXIFMA, cputest.LanesFMA)
}

// TestSumPlans checks that the sum is right with every plan, including plans that are never chosen
// for the number of terms.
func TestSumPlans(t *testing.T) {
	team := crew.New(3)
	defer team.Stop()
	r := rand.New(rand.NewSource(2))
	var s Sum
	step := 1 // step between the numbers of windows to try
	if !cputest.Deep() {
		step = 4
	}
	for _, structure := range sumStructures {
		for _, n := range []int{1, 2, 30} {
			c := structure.make(t, r, n)
			want := c.log()
			for count := minWindows; count <= maxWindows; count += step {
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
			if !s.strausPairs(&got, &profile.Current().Sums) {
				t.Errorf("%s, %d terms: given up in pairs", structure.name, n)
			}
			wantLog(t, fmt.Sprint(structure.name, ", ", n, " terms, in pairs"), &got, want)
			c.set(&s)
			if s.strausLanes(&got) {
				wantLog(t, fmt.Sprint(structure.name, ", ", n, " terms, in lanes"), &got, want)
			}
		}
	}
}

// TestSumSmallGroups checks that sums of points of small groups are right, where most additions are
// exceptional cases. The terms are (u + v·λ)·P with small random numbers u and v.
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

// TestSumCancelled checks that Result returns an error if the context has ended, and that the next
// sum is right.
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

// TestSumUnset checks that terms that are not set count as zero, even if an earlier sum set terms
// with these numbers.
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

func FuzzSum(f *testing.F) {
	f.Add(int64(1), uint8(3), uint8(2), []byte{1, 2, 3})
	f.Add(int64(2), uint8(100), uint8(0), []byte{0, 0xff, 1})
	f.Fuzz(func(t *testing.T, seed int64, full, short uint8, pattern []byte) {
		r := rand.New(rand.NewSource(seed))
		n := int(full) + int(short)
		if n == 0 || len(pattern) == 0 {
			return
		}
		// The points are few, so that equal and opposite addends are frequent; pattern selects the
		// point of each term.
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
