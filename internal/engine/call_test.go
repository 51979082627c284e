package engine

import (
	"context"
	"math/rand"
	"testing"
)

// TestLostEquation: after an equation that does not hold, every row has its own verdict:
// those of the equation, and those behind it, for which none is tried.
func TestLostEquation(t *testing.T) {
	r := rand.New(rand.NewSource(42))
	const n = 700
	c := schnorrColumns(r, n)
	bad := make([]bool, n)
	for i := range bad {
		if bad[i] = r.Intn(3) == 0; bad[i] {
			c.Cols[0].Data[32*i] ^= 1
		}
	}
	onLevels(t, func(t *testing.T) {
		for _, workers := range []int{1, 2} {
			_, err := Do(context.Background(), c, Options{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range c.Verdicts {
				want := Valid
				if bad[i] {
					want = Invalid
				}
				if v != want {
					t.Fatalf("%d workers, row %d: %d, want %d", workers, i, v, want)
				}
			}
		}
	})
}
