package launch

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// TestWork checks that each row can be taken until it is done, and not after that, even if rows are
// given back. The context ends as soon as no rows are left.
func TestWork(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 127, 128, 129, 1000, 50000} {
		for engines := 1; engines < 5; engines++ {
			w := newWork(n)
			kept := make([]int, n)
			for w.left() > 0 {
				done := w.begin(t.Context(), engines)
				var back []span
				ended := false
				for w.left() > 0 {
					most, before := driver.Group*(1+r.IntN(8)), w.left()
					least := r.IntN(most)
					lo, got := w.take(least, most)
					if got < 1 || got > most || w.left() != before-got ||
						got > max(least, before/engines+driver.Group) {
						t.Fatalf("of %d rows %d were taken, from %d to %d, and %d are left", before, got, least,
							most, w.left())
					}
					ended = ended || before == got
					if (w.ctx.Err() != nil) != ended {
						t.Fatalf("of %d rows %d were taken, and the context: %v", before, got, w.ctx.Err())
					}
					switch r.IntN(4) {
					case 0:
						w.giveBack(lo, got)
					case 1:
						back = append(back, span{lo, got})
					default:
						for i := range got {
							kept[lo+i]++
						}
					}
				}
				if lo, got := w.take(100, 1000); lo != 0 || got != 0 {
					t.Errorf("%d rows from %d on when none are left", got, lo)
				}
				for _, s := range back {
					w.giveBack(s.lo, s.n)
				}
				w.giveBack(0, 0)
				done()
			}
			if slices.ContainsFunc(kept, func(times int) bool { return times != 1 }) {
				t.Errorf("%d rows, %d engines: not each once", n, engines)
			}
		}
	}
}

// TestParts checks that a single Engine takes as many rows as fit into a launch, and that several
// Engines divide the last rows among them, unless the parts would be too short for a launch.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		rows, engines int
		want          []int
	}{
		{2000, 1, []int{1024, 976}},
		{3000, 2, []int{1024, 1024, 512, 440}},
		{3000, 3, []int{1024, 768, 512, 512, 184}},
		{100, 4, []int{100}},
	} {
		w := newWork(c.rows)
		done := w.begin(t.Context(), c.engines)
		var got []int
		for w.left() > 0 {
			_, n := w.take(512, 1024)
			got = append(got, n)
		}
		done()
		if !slices.Equal(got, c.want) {
			t.Errorf("%d rows by %d: %d, want %d", c.rows, c.engines, got, c.want)
		}
	}
}
