package profile

import (
	"math"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
)

// TestProfiles checks that every profile is well formed: the numbers of rows and terms decrease to
// the final entry; equations of more rows cost less per row, and never more than verifying each
// row; and plans for fewer terms have more windows.
func TestProfiles(t *testing.T) {
	if !slices.IsSortedFunc(priceRows[:], func(a, b int) int { return b - a }) {
		t.Errorf("the rows of prices do not decrease: %d", priceRows)
	}
	for _, p := range []*Profile{
		&lanes, &lanesFMA, &lanesAVXIFMA, &lanesAVX2, &adx, &a64, &rv64, &portable,
	} {
		if p.Rows > 8 || p.Lifts > 16 { // a group, and two, in which no lane is empty
			t.Errorf("%s: %d rows and %d lifts are more than lanes", p.Level, p.Rows, p.Lifts)
		}
		for i, price := range p.Prices {
			less := p.Prices[max(i-1, 0)]
			if price < 0 || price >= 100 || price > 0 && price < less || price > 0 && less == 0 {
				t.Errorf("%s: price %d after %d", p.Level, price, less)
			}
		}
		for i, plan := range p.Plans[:len(p.Plans)-1] {
			next := p.Plans[i+1]
			switch {
			case plan == (Plan{}):
				if next != (Plan{}) {
					t.Errorf("%s: plans behind the last", p.Level)
				}
			case next.Terms >= plan.Terms || plan.Method > 0 && next.Method > 0 &&
				next.Method <= plan.Method:
				t.Errorf("%s: plan %+v before %+v", p.Level, plan, next)
			}
		}
		if last := p.Plans[len(p.Plans)-1]; last != (Plan{}) {
			t.Errorf("%s: the plans have no end", p.Level)
		}
		if p.RowsPerWorker < 1 || p.EquationPerWorker < 1 || p.TermsPerWorker < 1 ||
			p.QueueSchnorr < 1 || p.QueueECDSA < 1 ||
			p.BlockRows < 1 || p.Challenges < 1 || p.LiftRows < 1 || p.CallRows < 1 || p.SerialPerRow < 1 ||
			p.SerialPerWorker < 1 {
			t.Errorf("%s: a number that is not there", p.Level)
		}
		s := &p.Sums
		for _, n := range []int{s.BatchPairs, s.UnitHalves, s.SetBuckets, s.StealGain, s.RecodeTerms,
			s.PositionCost, s.WholeTerms} {
			if n < 1 {
				t.Errorf("%s: a number of sums that is not there: %+v", p.Level, *s)
			}
		}
		if s.UnitHalves%16 != 0 || s.ExceptionWindows < 8 || s.ExceptionWindows > 43 {
			t.Errorf("%s: numbers that sums cannot use: %+v", p.Level, *s)
		}
		for i := range p.Plans {
			terms, above := p.Plans[i].Terms, p.Plans[max(i-1, 0)]
			if got := p.Above(terms); got != above {
				t.Errorf("%s: above %d terms is %+v, want %+v", p.Level, terms, got, above)
			}
			if terms == 0 {
				break
			}
		}
		if p.Plan(s.WholeTerms+1) == InLanes {
			t.Errorf("%s: %d terms are computed in lanes", p.Level, s.WholeTerms+1)
		}
		if p.Price(0) != 0 || p.Price(1) != 0 || p.Price(math.MaxInt) != p.Prices[0] ||
			p.Plan(0) != Interleaved || p.Plan(math.MaxInt) != p.Plans[0].Method {
			t.Errorf("%s: looked up wrongly", p.Level)
		}
	}
}

// TestCurrent checks that Current returns another profile after the level changes.
func TestCurrent(t *testing.T) {
	for _, keep := range []cpu.Feature{
		^cpu.Feature(0), ^cpu.AVX512IFMA, cpu.LanesAVXIFMA, cpu.LanesAVX2, cpu.BMI2, cpu.A64, cpu.RV64, 0,
	} {
		restore := cpu.Restrict(keep)
		if got, want := Current().Level, cpu.Implementations()[0]; got != want {
			t.Errorf("the profile of %s, where %s is in force", got, want)
		}
		restore()
	}
}
