package pairs

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/machine"
	"github.com/koblitz-go/koblitz/lab/bench/internal/quantile"
)

// A watch holds observations of the machine during a measurement.
type watch struct {
	m      machine.Machine
	others []float64 // number of running threads of other programs, after each round
}

// watched measures the rows by calling turns. After each round it observes the machine and writes a
// line to progress.
func watched(ctx context.Context, rows []match, pairs int, duration time.Duration,
	progress io.Writer) ([]sequence, watch, error) {
	w := watch{m: machine.Describe()}
	all, err := turns(ctx, rows, pairs, duration, func(pair int) {
		ghz, _ := machine.Core()
		w.m.See(ghz)
		w.others = append(w.others, float64(machine.Others()))
		took := time.Since(w.m.Began).Round(time.Second)
		fmt.Fprintf(progress, "pairs: %d/%d  %v\n", pair+1, pairs, took)
	})
	w.m.Finish()
	return all, w, err
}

// machine returns a description of the machine.
func (w watch) machine() string {
	return fmt.Sprintf("%s, %d cores, %s/%s, %s; %s; koblitz: %s.",
		w.m.CPU, w.m.Cores, w.m.OS, w.m.Arch, w.m.Go, w.m.Flags, w.m.Koblitz)
}

// method returns a description of the measurement: pairs, duration of a run, layouts and order.
func (w watch) method(pairs int, each time.Duration, layouts int, order string) string {
	where := "on whatever CPU"
	if cpu, ok := pinnedTo(); ok {
		where = fmt.Sprintf("on CPU %d", cpu)
	}
	return fmt.Sprintf("%d pairs of runs of %v, %s, %d layouts of the "+
		"programs' functions, %s, CPU time; %s, %v.",
		pairs, each, order, layouts, where, w.m.Began.Format("2006-01-02 15:04 UTC"), w.m.Took)
}

// disturbance returns a description of how other programs and changes of the clock disturbed the
// measurement.
func (w watch) disturbance() string {
	line := fmt.Sprintf("Clock, estimated: %.2f to %.2f GHz. Load before %s, after %s.",
		w.m.GHzLow, w.m.GHzHigh, w.m.LoadBefore, w.m.LoadAfter)
	if others := quantile.Median(w.others); others != machine.Unknown {
		line += fmt.Sprintf(" Threads of other programs, median: %g.", others)
	}
	return line
}
