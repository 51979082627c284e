// Package growth measures how the time and the memory of koblitz' batches and sums grow with the
// number of rows, with one worker and with two.
package growth

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// Sizes returns the numbers of rows that are measured, up to most. Beside powers of two they are
// small numbers, where the method changes, and numbers that fill vectors badly.
func Sizes(most int) (sizes []int) {
	for n := 1; n <= most; n *= 2 {
		sizes = append(sizes, n, n+1, n+n/2)
	}
	slices.Sort(sizes)
	return slices.DeleteFunc(slices.Compact(sizes), func(n int) bool { return n > most })
}

// A Point is a measurement of a family with n rows.
type Point struct {
	N int

	// Time is the elapsed time of a row in nanoseconds, with one worker and with two: the least of
	// some rounds, because other programs only make it longer.
	Time [2]float64

	// Memory is the number of bytes that a call with as many workers allocates if no earlier call
	// has left memory in a pool, and no garbage is collected. No call has more in use.
	Memory [2]uint64
}

// Families holds the points of the families, by their names.
type Families map[string][]Point

// Measure measures all families up to the given number of rows. Each round calls all sizes of a
// family, one after another, each for at least the given time.
func Measure(most, rounds int, each time.Duration, progress io.Writer) Families {
	in := peer.NewInputs(most, most)
	all, sizes := Families{}, Sizes(most)
	for i := range 2 {
		for name, prepare := range in.Growing(i+1, sizes) {
			fmt.Fprintf(progress, "growth: %s, workers: %d\n", name, i+1)
			calls := prepare()
			if all[name] == nil {
				all[name] = make([]Point, len(sizes))
			}
			for k, call := range calls {
				all[name][k].Memory[i] = allocated(call)
			}
			for range rounds {
				for k, call := range calls {
					p := &all[name][k]
					took := mean(call, each) / float64(sizes[k])
					if p.N = sizes[k]; p.Time[i] == 0 || took < p.Time[i] {
						p.Time[i] = took
					}
				}
			}
		}
	}
	return all
}

// allocated returns the number of bytes that a call allocates without memory from pools.
func allocated(call func()) uint64 {
	runtime.GC() // the second collection frees what pools kept after the first
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// mean calls call for at least the given time, and returns the mean time of a call in nanoseconds.
func mean(call func(), each time.Duration) float64 {
	calls, took, start := 0, time.Duration(0), time.Now()
	for calls == 0 || took < each {
		call()
		calls++
		took = time.Since(start)
	}
	return float64(took) / float64(calls)
}

// A Step is a number of rows, at least 64, at which a row takes more than 5 % longer than with some
// smaller number, also at least 64.
type Step struct {
	Family  string
	Workers int
	N       int
	Percent float64 // how much longer
}

// Steps returns all steps, in the order of the families' names.
func (f Families) Steps() (steps []Step) {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		for i := range 2 {
			best := 0.0
			for _, p := range f[name] {
				if p.N < 64 {
					continue
				}
				if more := 100 * (p.Time[i]/best - 1); best > 0 && more > 5 {
					steps = append(steps, Step{name, i + 1, p.N, more})
				}
				if best == 0 || p.Time[i] < best {
					best = p.Time[i]
				}
			}
		}
	}
	return steps
}

// Write writes four plots and growth.md, with the figures and the steps, to the folder dir.
func (f Families) Write(dir string) error {
	for i, workers := range []string{"one worker", "two workers"} {
		times := func(p Point) float64 { return p.Time[i] / 1000 }
		memory := func(p Point) float64 { return float64(max(p.Memory[i], 1)) / 1024 }
		for _, c := range []struct {
			name, title string
			of          func(Point) float64
		}{
			{"time", "µs a row, " + workers, times},
			{"memory", "KiB that a call allocates, " + workers, memory},
		} {
			name := filepath.Join(dir, fmt.Sprintf("growth-%s-%d.svg", c.name, i+1))
			if err := f.plot(name, c.title, c.of); err != nil {
				return err
			}
		}
	}
	var md bytes.Buffer
	f.text(&md)
	return os.WriteFile(filepath.Join(dir, "growth.md"), md.Bytes(), 0o644)
}

// plot draws a value of all points, with a logarithmic scale on both axes.
func (f Families) plot(file, title string, of func(Point) float64) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text = title, "rows"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.X.Max = true, 1
	for i, name := range slices.Sorted(maps.Keys(f)) {
		var line plotter.XYs
		for _, x := range f[name] {
			line = append(line, plotter.XY{X: float64(x.N), Y: of(x)})
			p.X.Max = max(p.X.Max, 20*float64(x.N)) // with space for the legend
		}
		l, err := plotter.NewLine(line)
		if err != nil {
			return err
		}
		l.Color, l.Dashes = plotutil.Color(i), plotutil.Dashes(i/7)
		p.Add(l)
		p.Legend.Add(name, l)
	}
	return p.Save(24*vg.Centimeter, 16*vg.Centimeter, file)
}

// text writes the figures and the steps as Markdown.
func (f Families) text(w io.Writer) {
	fmt.Fprint(w, "# How time and memory grow\n\nµs a row and KiB a call: one worker, two workers.\n")
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(w, "\n## %s\n\n| rows | µs a row | | KiB | |\n|---|---|---|---|---|\n", name)
		for _, p := range f[name] {
			fmt.Fprintf(w, "| %d | %.3g | %.3g | %d | %d |\n", p.N, p.Time[0]/1000, p.Time[1]/1000,
				p.Memory[0]/1024, p.Memory[1]/1024)
		}
	}
	fmt.Fprint(w, "\n## Steps\n\nNumbers of rows from 64 on at which a row takes over 5 % longer "+
		"than with fewer.\n\n| family | workers | rows | longer |\n|---|---|---|---|\n")
	for _, s := range f.Steps() {
		fmt.Fprintf(w, "| %s | %d | %d | %.0f %% |\n", s.Family, s.Workers, s.N, s.Percent)
	}
}
