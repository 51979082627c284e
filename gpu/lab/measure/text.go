package measure

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"text/tabwriter"
	"time"
)

// Text prints the report as tables.
func (r *Report) Text(w io.Writer) {
	clock := "clock unknown"
	if r.ClockMHz > 0 {
		clock = fmt.Sprintf("at most %d MHz", r.ClockMHz)
	}
	fmt.Fprintf(w, "%s\nDriver %s, %s of memory, %d units, %s", r.Device, r.Driver,
		binarySize(r.Memory), r.Units, clock)
	if r.CPU {
		fmt.Fprint(w, ". The device is a CPU: its figures say that all works, and nothing of GPUs")
	}
	fmt.Fprintf(w, ".\nHost %s. Seed %d. %s, %v.\n", r.Host, r.Seed,
		r.Began.Format("2006-01-02 15:04 UTC"), r.Took.Round(time.Second))
	if r.Clocks != "" {
		fmt.Fprintf(w, "While field multiplications ran, nvidia-smi said %s\n", r.Clocks)
	}
	fmt.Fprintln(w, "Times are medians, with the lowest and the highest. A kernel's is by the "+
		"device's clock;\nend to end is by the host's, with copies, launches and results.")
	r.openings(w)
	for _, section := range []struct{ name, title string }{
		{Rates, "In registers"}, {Memory, "Memory"}, {Calls, "Calls of package batch"},
		{Registers, "A kernel of calls with other numbers of registers"},
		{Field, "The field, operands in memory"}, {Points, "Points, operands in memory"},
	} {
		r.section(w, section.name, section.title)
	}
	r.estimates(w)
	r.goals(w)
	for _, l := range r.LeftOut {
		size := ""
		if l.Size > 0 {
			size = fmt.Sprintf(", size %d", l.Size)
		}
		fmt.Fprintf(w, "%s%s: left out: %s\n", l.ID, size, l.Reason)
	}
}

func newTable(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// openings prints how long the steps from opening the device to the first verdict took.
func (r *Report) openings(w io.Writer) {
	if len(r.Openings) == 0 {
		return
	}
	fmt.Fprintln(w, "\nThe first verdict")
	t := newTable(w)
	fmt.Fprintln(t, "\tdriver\tcompile\ttable of G\tknown answers\tfirst call\ttogether\t"+
		"measuring the crossover adds\t")
	for i, f := range r.Openings {
		crossover := ""
		if i > 0 { // the first opening measures none
			crossover = short(f.Crossover).String()
		}
		fmt.Fprintf(t, "%s\t%v\t%v\t%v\t%v\t%v (%d rows)\t%v\t%s\t\n",
			[]string{"first", "again"}[min(i, 1)], short(f.Driver), short(f.Compile),
			short(f.Table), short(f.Answers), short(f.Call), f.Rows,
			short(f.Driver+f.Compile+f.Table+f.Answers+f.Call), crossover)
	}
	t.Flush()
}

func short(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// section prints the rows of a section.
func (r *Report) section(w io.Writer, name, title string) {
	t := newTable(w)
	for _, row := range r.Rows {
		if row.Section != name {
			continue
		}
		if title != "" {
			fmt.Fprintf(w, "\n%s\n", title)
			fmt.Fprintln(t, heads[name])
			title = ""
		}
		fmt.Fprintln(t, r.line(&row))
	}
	t.Flush()
}

var heads = map[string]string{
	Rates:  "\ta second\t\ta clock and unit\t",
	Memory: "\tsize\ta second\t\tbytes a second\t",
	Field:  "\trows\tkernel\t\tend to end\t\t",
	Points: "\trows\tkernel\t\tend to end\t\t",
	Calls:  "\trows\tkernel\t\tend to end\t\tthe host alone\t\t",

	Registers: "\trows\tkernel\t\t\t",
}

// line returns the table cells for a row.
func (r *Report) line(row *Row) string {
	kernel, end := row.Rate(row.Kernel), row.Rate(row.EndToEnd)
	switch row.Section {
	case Rates:
		return fmt.Sprintf("%s\t%s\t%s\t%.3g\t", row.Title, perSecond(kernel), row.Kernel,
			r.perClock(kernel))
	case Memory:
		size := binarySize(int64(row.Size))
		if row.Unit == "B" {
			return fmt.Sprintf("%s\t%s\t\t%s\t%s\t", row.Title, size,
				row.Kernel.or(row.EndToEnd), bytesRate(max(kernel, end)))
		}
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t", row.Title, size, perSecond(kernel), row.Kernel,
			bytesRate(entrySize*kernel))
	case Registers:
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t", row.Title, power(row.Size), perSecond(kernel),
			row.Kernel, row.Note)
	case Calls:
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t", row.Title, power(row.Size),
			perSecond(kernel), row.Kernel, perSecond(end), row.EndToEnd,
			perSecond(row.Rate(row.Host)), row.Note)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t", row.Title, power(row.Size), perSecond(kernel),
		row.Kernel, perSecond(end), row.EndToEnd)
}

// Line returns a row as one line of text, for programs that print progress.
func (row Row) Line() string {
	s := fmt.Sprintf("%s %s", row.ID, power(row.Size))
	for _, x := range []struct {
		name   string
		spread Spread
	}{{"kernel", row.Kernel}, {"end to end", row.EndToEnd}, {"host", row.Host}} {
		switch {
		case x.spread.Runs == 0:
		case row.Unit == "B":
			s += fmt.Sprintf("  %s %s", x.name, bytesRate(row.Rate(x.spread)))
		default:
			s += fmt.Sprintf("  %s %s", x.name, perSecond(row.Rate(x.spread)))
		}
	}
	return s
}

// perClock returns the rate x divided by the highest clock rate and by the device's number of
// multiprocessors or compute units. It returns 0 if the clock rate is not known.
func (r *Report) perClock(x float64) float64 {
	if r.Units <= 0 || r.ClockMHz <= 0 {
		return 0
	}
	return x / (1e6 * float64(r.ClockMHz) * float64(r.Units))
}

// estimates prints the measured rates beside the expected ones, if the model covers the device, and
// beside published ones.
func (r *Report) estimates(w io.Writer) {
	list := r.Estimates()
	if len(list) == 0 {
		return
	}
	covered := r.Capability == modelCapability
	if covered {
		fmt.Fprintf(w, "\nKernels beside estimates (%.0f %% of the peak of a model of compute "+
			"capability %s;\nwithin %.0f %% is as expected) and ", 100*reachable, modelCapability,
			100*asExpected)
	} else {
		fmt.Fprintf(w, "\nThe model of docs/lab/gpu.md holds for compute capability %s, and not for "+
			"this\ndevice, which has %s: there is no estimate. Kernels beside ", modelCapability,
			r.Capability)
	}
	fmt.Fprintln(w, "rates of UltrafastSecp256k1,\nscaled by multiprocessors and clock; "+
		"docs/gpu-benchmarks.md names the sources")
	t := newTable(w)
	fmt.Fprint(t, "\tmeasured\t")
	if covered {
		fmt.Fprint(t, "estimate\tof it\t\t")
	}
	for _, card := range peerCards {
		fmt.Fprintf(t, "from %s\ttimes\t", card.name)
	}
	fmt.Fprintln(t)
	for _, e := range list {
		fmt.Fprintf(t, "%s\t%s\t", e.Title, perSecond(e.Measured))
		if covered {
			fmt.Fprintf(t, "%s\t%.2f\t%s\t", perSecond(e.Expected), e.Measured/e.Expected, e.Verdict())
		}
		for _, rate := range e.Peers {
			if rate > 0 {
				fmt.Fprintf(t, "%s\t%.1f\t", perSecond(rate), e.Measured/rate)
			} else {
				fmt.Fprint(t, "\t\t")
			}
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

// goals prints the goals. If the device is a CPU, it prints nothing.
func (r *Report) goals(w io.Writer) {
	goals := r.Goals()
	if len(goals) == 0 || r.CPU {
		return
	}
	fmt.Fprintln(w, "\nThe goals for one NVIDIA H200")
	t := newTable(w)
	fmt.Fprintln(t, "\tat least\tat best\tmeasured\tof the least\t")
	for _, g := range goals {
		show := perSecond
		if g.Unit != "/s" {
			show = func(x float64) string { return fmt.Sprintf("%.3g %s", x, g.Unit) }
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.2f\t\n", g.Title, show(g.Least), show(g.Stretch),
			show(g.Measured), g.Reached)
	}
	t.Flush()
}

// String returns how far the lowest and the highest time are from the median, in percent.
func (s Spread) String() string {
	if s.Runs == 0 || s.Median <= 0 {
		return ""
	}
	return fmt.Sprintf("−%.0f +%.0f %%", 100*(1-s.Low/s.Median), 100*(s.High/s.Median-1))
}

// or returns s, or t if s has no runs.
func (s Spread) or(t Spread) Spread {
	if s.Runs == 0 {
		return t
	}
	return s
}

// scaledBy returns a number with three digits and a unit prefix, or "–" for 0.
func scaledBy(x, base float64, prefixes []string, unit string) string {
	if x <= 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return "–"
	}
	i := 0
	for i < len(prefixes)-1 && x >= base {
		x /= base
		i++
	}
	digits := 0
	if x < 100 {
		digits = 1
	}
	if x < 10 {
		digits = 2
	}
	return fmt.Sprintf("%.*f %s%s", digits, x, prefixes[i], unit)
}

func perSecond(x float64) string {
	return scaledBy(x, 1000, []string{"", "k", "M", "G", "T"}, "/s")
}

func bytesRate(x float64) string {
	return scaledBy(x, 1000, []string{"", "k", "M", "G", "T"}, "B/s")
}
func binarySize(n int64) string {
	return scaledBy(float64(n), 1024, []string{"", "Ki", "Mi", "Gi", "Ti"}, "B")
}

// power returns n written as a power of two, such as 2^20. If n is not a power of two, it returns
// the decimal number.
func power(n int) string {
	if n > 2 && n&(n-1) == 0 {
		return fmt.Sprintf("2^%d", bits.TrailingZeros(uint(n)))
	}
	return fmt.Sprint(n)
}
