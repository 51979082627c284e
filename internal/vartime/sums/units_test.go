package sums

import (
	"fmt"
	"testing"

	"github.com/koblitz-go/koblitz/internal/profile"
)

// TestLayout checks that the units of a layout contain every half scalar exactly once in every
// window, and that the rows of each unit are in the table for the unit's window.
func TestLayout(t *testing.T) {
	unitHalves := profile.Current().Sums.UnitHalves
	for count := minWindows; count <= maxWindows; count++ {
		w := cut(count)
		for _, n := range [][2]int{
			{2, 0}, {0, 2}, {unitHalves, unitHalves + 2}, {3*unitHalves - 2, 2}, {2, 5 * unitHalves},
		} {
			checkLayout(t, w, 1, n[0], n[1])
		}
		for tables := 1; tables <= count; tables++ {
			for _, n := range []int{2, unitHalves, 2*unitHalves + 2} {
				checkLayout(t, w, tables, n, 0)
			}
		}
	}
}

func checkLayout(t *testing.T, w windows, tables, full, short int) {
	t.Helper()
	what := fmt.Sprint(w.count, " windows, ", tables, " tables, ", full, "+", short, " half scalars")
	l := newLayout(w, tables, full, short)
	seen := make([][maxWindows]int, full+short)
	before := 0 // the last set
	for n := range l.count {
		set, window, lo, hi := l.unit(n)
		if window >= l.used && window < l.sets*tables {
			continue
		}
		if set != window%l.sets || set < before || window/l.sets >= tables ||
			lo >= hi || hi-lo > l.profile.UnitHalves {
			t.Fatalf("%s: unit %d is %d to %d of window %d in set %d", what, n, lo, hi, window, set)
		}
		before = set
		if l.buckets(set) <= w.buckets(window) {
			t.Fatalf("%s: set %d has too few buckets for window %d", what, set, window)
		}
		for i := lo; i < hi; i++ {
			seen[i][window]++
		}
	}
	for i := range seen {
		windows := w.short()
		if i < full {
			windows = w.count
		}
		for window, times := range seen[i] {
			if want := window < windows; want != (times == 1) || times > 1 {
				t.Fatalf("%s: half scalar %d is in %d units of window %d", what, i, times, window)
			}
		}
	}
}
