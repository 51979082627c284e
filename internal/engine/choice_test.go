package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// Whatever groups hold and fail, in whatever order, all of it costs no more than
// 1.2 times what it would without equations.
func TestAccount(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for round := range 200 {
		var a Account
		var spent, exactly int64
		tried := 0
		for range 500 {
			n := 1 + r.IntN(256)
			cost := SpentExactly(n)
			if a.Allows(Schnorr, n) {
				tried++
				holds := r.IntN(100) >= round // from hardly ever bad to always
				// The worst that can come: good ones until there is something to lose.
				if round >= 100 {
					holds = a.balance < accountLimit*int64(round-100)/100
				}
				if holds {
					cost = SpentOnEquation(n)
				} else {
					cost += SpentOnEquation(n)
				}
			}
			a.Enter(n, cost)
			spent += cost
			exactly += SpentExactly(n)
		}
		if spent > exactly*12/10 {
			t.Fatalf("round %d: %d spent, %d exactly", round, spent, exactly)
		}
		if lanes.Available() && tried == 0 {
			t.Fatalf("round %d: no equation was tried", round)
		}
		if !lanes.Available() && tried != 0 {
			t.Fatal("an equation without lanes")
		}
		few := 0
		for !EquationPays(few + 1) {
			few++
		}
		if a.Allows(ECDSA, 256) || a.Allows(Schnorr, few) {
			t.Fatal("an equation where there is none, or that does not pay")
		}
	}
}

// A restricted CPU is not given what it does not have.
func TestChoicePortable(t *testing.T) {
	defer cpu.Restrict(0)()
	if useLanes(ECDSA, 64) || useLanes(Decompress, 64) || NewJob(ECDSA, 64).lanes != nil || Group(Schnorr) != Group(ECDSA) {
		t.Error("lanes without lanes")
	}
}

func TestWorkers(t *testing.T) {
	for _, test := range []struct{ rows, most, want int }{
		{0, 4, 1}, {1, 4, 1}, {profile.Current().RowsPerWorker, 4, 1}, {2*profile.Current().RowsPerWorker - 1, 4, 1}, {2 * profile.Current().RowsPerWorker, 4, 2}, {1 << 20, 4, 4}, {1 << 20, 1, 1},
	} {
		if got := workersFor(test.rows, test.most); got != test.want {
			t.Errorf("%d rows, at most %d: %d workers, want %d", test.rows, test.most, got, test.want)
		}
	}
}
