package engine

import (
	"math"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// TestChoicePortable checks that a job has no blocks.Lanes if the CPU lacks the vector
// instructions.
func TestChoicePortable(t *testing.T) {
	defer cpu.Restrict(0)()
	schnorr, ecdsa := QueueRows()
	if NewJob(ECDSA, 64).lanes != nil || NewJob(Decompress, 64).lanes != nil || schnorr != ecdsa {
		t.Error("lanes without lanes")
	}
}

func TestWorkers(t *testing.T) {
	for _, test := range []struct{ rows, most, want int }{
		{0, 4, 1}, {1, 4, 1}, {profile.Current().RowsPerWorker, 4, 1},
		{2*profile.Current().RowsPerWorker - 1, 4, 1}, {2 * profile.Current().RowsPerWorker, 4, 2},
		{1 << 20, 4, 4}, {1 << 20, 1, 1}, {math.MaxInt, math.MaxInt, mostWorkers},
	} {
		if got := workersFor(test.rows, test.most); got != test.want {
			t.Errorf("%d rows, at most %d: %d workers, want %d", test.rows, test.most, got, test.want)
		}
	}
}
