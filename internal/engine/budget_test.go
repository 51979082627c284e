package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/profile"
)

// TestBudget: whatever equations hold and fail, in whatever order, and however many keys
// are not on the curve, all of it costs no more than 1.2 times what the same rows cost
// without equations. It counts for itself.
func TestBudget(t *testing.T) {
	onLevels(t, func(t *testing.T) {
		for round := range 200 {
			r := rand.New(rand.NewPCG(5, uint64(round)))
			var b Budget
			var spent, each int64
			tried, held := 0, 0
			for range 500 {
				n := 1 + r.IntN(256)
				malformed := 0
				if round%2 == 1 && r.IntN(4) == 0 {
					malformed = n // they all meet in one batch
				}
				try := b.Allows(Schnorr, n)
				holds := try && malformed == 0 && r.IntN(100) >= round // from hardly ever bad to always
				// The worst that can come: good ones until there is something to lose.
				if try && malformed == 0 && round >= 100 {
					holds = b.left < budgetLimit*int64(round-100)/100
				}
				b.Enter(n, malformed, try, holds)
				if try {
					tried++
					spent += costOfEquation(n)
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

// TestBudgetRefuses: there is no equation without a budget, for a kind that has none, or
// where it does not pay.
func TestBudgetRefuses(t *testing.T) {
	onLevels(t, func(t *testing.T) {
		few := 0
		for !EquationPays(few+1, 1) {
			few++
		}
		full := Budget{left: budgetLimit}
		if new(Budget).Allows(Schnorr, 256) || full.Allows(ECDSA, 256) || full.Allows(Schnorr, few) ||
			full.Allows(Schnorr, 256) != profile.Current().QueueEquations {
			t.Error("allowed")
		}
		// Keys that are not on the curve earn nothing.
		var b Budget
		for range 1000 {
			b.Enter(256, 256, false, false)
		}
		if b.left > 0 {
			t.Errorf("%d earned", b.left)
		}
	})
}
