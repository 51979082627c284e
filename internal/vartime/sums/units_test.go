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
			checkLayout(t, &w, maxWindows, n[0], n[1])
		}
		for sets := 1; sets <= count; sets++ {
			for _, n := range []int{2, unitHalves, 2*unitHalves + 2} {
				checkLayout(t, &w, sets, n, 0)
			}
		}
	}
}

func checkLayout(t *testing.T, w *windows, sets, full, short int) {
	t.Helper()
	what := fmt.Sprint(w.count, " windows, ", sets, " sets, ", full, " and ", short, " half scalars")
	l := newLayout(w, sets, full, short)
	seen := make([][maxWindows]int, full+short)
	for n := range l.units {
		u := l.workUnit(n)
		set, window := int(u.set), int(u.window)
		if set != l.setOf(n) || set != window%l.sets ||
			u.lo >= u.hi || u.hi-u.lo > l.profile.UnitHalves || u.lo < full && u.hi > full {
			t.Fatalf("%s: unit %d is %+v", what, n, u)
		}
		if row := firstBase + window/l.sets*full + u.lo; u.row != row {
			t.Fatalf("%s: unit %d begins with row %d, want %d", what, n, u.row, row)
		}
		if l.buckets[set] <= w.buckets(window) {
			t.Fatalf("%s: set %d has too few buckets for window %d", what, set, window)
		}
		bits := uint8(fullBits)
		if u.lo >= full {
			bits = shortBits
		}
		if u.last != (window == w.last(bits)) {
			t.Fatalf("%s: unit %d: last is %v", what, n, u.last)
		}
		for i := u.lo; i < u.hi; i++ {
			seen[i][u.window]++
		}
	}
	for i := range seen {
		last := w.last(shortBits)
		if i < full {
			last = w.last(fullBits)
		}
		for window, times := range seen[i] {
			if want := window <= last; want != (times == 1) || times > 1 {
				t.Fatalf("%s: half scalar %d is in %d units of window %d", what, i, times, window)
			}
		}
	}
}
