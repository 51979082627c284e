package engine

import (
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/hostile"
)

// TestSums: sums have the host's verdicts and results, in one piece and in many, and whatever the
// strides are.
func TestSums(t *testing.T) {
	for _, memory := range []int64{0, 8 * small()} {
		e := start(t, &fake{}, Options{Memory: memory})
		for _, n := range []int{1, driver.Group, 3*driver.Group + 1} {
			for _, s := range hostile.Sums(n) {
				c := s.Call()
				if err := e.Run(t.Context(), c); err != nil {
					t.Error(err)
				}
				if err := s.Check(c); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
