package pairs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/machine"
	"github.com/koblitz-go/koblitz/lab/bench/internal/quantile"
)

// measure measures the rows by calling turns. After each round it observes the machine and writes a
// line to progress. At the end it writes the lines above the table to out: first, those that
// describe the machine, the measurement and what disturbed it, and rest.
func (m Method) measure(ctx context.Context, rows []match, first string, rest []string,
	out, progress io.Writer) ([]sequence, error) {
	d := machine.Describe()
	var others []float64 // number of running threads of other programs, after each round
	all, err := turns(ctx, rows, m.Pairs, m.Each, func(pair int) {
		ghz, _ := machine.Core()
		d.See(ghz)
		others = append(others, float64(machine.Others()))
		took := time.Since(d.Began).Round(time.Second)
		fmt.Fprintf(progress, "pairs: %d/%d  %v\n", pair+1, m.Pairs, took)
	})
	if err != nil {
		return nil, err
	}
	d.Finish()
	where := "on whatever CPU"
	if cpu, ok := pinnedTo(); ok {
		where = fmt.Sprintf("on CPU %d", cpu)
	}
	disturbance := fmt.Sprintf("Clock, estimated: %.2f to %.2f GHz. Load before %s, after %s.",
		d.GHzLow, d.GHzHigh, d.LoadBefore, d.LoadAfter)
	if n := quantile.Median(others); n != machine.Unknown {
		disturbance += fmt.Sprintf(" Threads of other programs, median: %g.", n)
	}
	lines := []string{
		first,
		fmt.Sprintf("%s, %d cores, %s/%s, %s; %s; koblitz: %s.",
			d.CPU, d.Cores, d.OS, d.Arch, d.Go, d.Flags, d.Koblitz),
		fmt.Sprintf("%d pairs of runs of %v, old and new in turns (ABBA), %d layouts of the "+
			"programs' functions, %s, CPU time; %s, %v.",
			m.Pairs, m.Each, m.Layouts, where, d.Began.Format("2006-01-02 15:04 UTC"), d.Took),
		disturbance,
	}
	for _, line := range append(lines, rest...) {
		fmt.Fprintf(out, "> %s\n", line)
	}
	_, err = fmt.Fprintln(out)
	return all, err
}

// temporarily calls f with a new folder, which it removes afterwards. If ctx ends, the error is
// that of ctx, not that of the program that was interrupted.
func temporarily(ctx context.Context, f func(folder string) error) error {
	folder, err := os.MkdirTemp("", "koblitz-pairs-")
	if err != nil {
		return err
	}
	err = f(folder)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return errors.Join(err, os.RemoveAll(folder))
}
