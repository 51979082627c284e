package engine

import (
	"math"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/vartime/sums"
)

// TestChoicePortable checks that a job has no lanewise.Lanes if the CPU lacks the vector
// instructions.
func TestChoicePortable(t *testing.T) {
	defer cpu.Restrict(0)()
	ofSchnorr, ofECDSA := QueueRows()
	if _, ok := newJob(64).backend(64).(portable); !ok || ofSchnorr != ofECDSA {
		t.Error("lanes without lanes")
	}
}

// TestWorkers checks that few rows have few workers, and that an equation has no more than a sum
// can use: each worker has memory of its own.
func TestWorkers(t *testing.T) {
	each, equation := profile.Current().RowsPerWorker, profile.Current().EquationPerWorker
	for i, test := range []struct {
		workers          func(rows, most int) int
		rows, most, want int
	}{
		{workersFor, 0, 4, 1}, {workersFor, 1, 4, 1}, {workersFor, each, 4, 1},
		{workersFor, 2*each - 1, 4, 1}, {workersFor, 2 * each, 4, 2},
		{workersFor, 1 << 20, 4, 4}, {workersFor, 1 << 20, 1, 1},
		{workersFor, math.MaxInt, math.MaxInt, mostWorkers},
		{equationWorkers, 0, 8, 0}, {equationWorkers, 2*equation - 1, 8, 1},
		{equationWorkers, 2 * equation, 8, 2}, {equationWorkers, sums.MaxTerms, 8, 8},
		{equationWorkers, sums.MaxTerms, 1 << 20, sums.MaxWorkers},
	} {
		if got := test.workers(test.rows, test.most); got != test.want {
			t.Errorf("test %d: %d rows, at most %d: %d workers, want %d", i, test.rows, test.most, got,
				test.want)
		}
	}
}

// TestCallRows checks that the terms of an equation for the rows of a call fit in one sum.
func TestCallRows(t *testing.T) {
	onLevels(t, func(t *testing.T) {
		schnorr, ecdsa := QueueRows()
		if 2*max(profile.Current().CallRows, schnorr, ecdsa)+1 > sums.MaxTerms {
			t.Error("too many rows")
		}
	})
}
