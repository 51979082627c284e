package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/profile"
)

// TestBudget checks that the total cost is at most 1.2 times the cost of the same rows without
// equations, for any sequence of equations that hold or fail, and any number of malformed keys. The
// test counts the cost independently of the budget. Pay must allow no equation without a budget,
// none that saves no time, and no two with the same budget. Malformed rows must add nothing.
func TestBudget(t *testing.T) {
	onLevels(t, func(t *testing.T) {
		for round := range 200 {
			r := rand.New(rand.NewPCG(5, uint64(round)))
			var b Budget
			var spent, each int64
			tried, held := 0, 0
			for range 500 {
				n := 1 + r.IntN(256)
				malformed, parsed := 0, n // parsed is the number of rows that parsing does not refuse
				if round%2 == 1 && r.IntN(4) == 0 {
					malformed = n // all malformed rows fall into one batch
					parsed = []int{n, n / 2, 0}[r.IntN(3)]
				}
				for _, left := range []int64{
					0, costOfEquation(n) - 1, costOfEquation(n), queueLimit, b.left,
				} {
					probe := Budget{left}
					want := EquationPays(n, 1) && left >= costOfEquation(n) && profile.Current().QueueEquations
					if got := probe.Pay(n); got != want {
						t.Fatalf("%d rows, with %d: %v", n, left, got)
					}
					if want {
						left -= costOfEquation(n)
					}
					if probe.left != left {
						t.Fatalf("%d rows: %d left, want %d", n, probe.left, left)
					}
				}
				before := b.left
				try := b.Pay(n)
				holds := try && malformed == 0 && r.IntN(100) >= round // round percent of them fail
				// The worst case: equations hold until the budget has reached a part of its limit,
				// and then all fail.
				if try && malformed == 0 && round >= 100 {
					holds = b.left < queueLimit*int64(round-100)/100
				}
				inEquation := 0
				if try && EquationPays(parsed, 1) {
					inEquation = parsed
				}
				if try {
					b.Settle(n, inEquation, holds)
				}
				b.Earn(n, malformed)
				if malformed == n && b.left != before-costOfEquation(inEquation) || b.left > queueLimit {
					t.Fatalf("round %d: %d left, %d malformed rows of %d", round, b.left, malformed, n)
				}
				if inEquation > 0 {
					tried++
					spent += costOfEquation(inEquation)
				}
				if holds {
					held++
				} else {
					spent += costOfEach(n - malformed)
				}
				each += costOfEach(n - malformed)
			}
			if spent > each*12/10 {
				t.Fatalf("round %d: %d spent, %d for each", round, spent, each)
			}
			if queue := profile.Current().QueueEquations; queue != (tried > 0) {
				t.Fatalf("round %d: %d equations were tried", round, tried)
			}
			if round == 0 && tried > 0 && held < 300 {
				t.Fatalf("only %d of %d equations held, with good rows", held, tried)
			}
		}
	})
}
