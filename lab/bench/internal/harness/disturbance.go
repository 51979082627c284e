package harness

import (
	"fmt"
	"math"
	"strings"

	"github.com/koblitz-go/koblitz/lab/bench/internal/machine"
	"github.com/koblitz-go/koblitz/lab/bench/internal/quantile"
)

// A Disturbance describes how other activity on the machine disturbed the rounds of an operation.
type Disturbance struct {
	Repeated int     // tries that were repeated because the clock drifted
	Kept     int     // rounds in which the clock drifted in every try; the last try was kept
	Drift    float64 // largest relative change of the clock in a round that was kept: 0.04 is 4 %
	GHz      float64 // clock: median of the readings before and after each round

	// Others is the mean number of other programs' threads that were running or ready to run at the
	// beginning and the end of each round, or machine.Unknown. It is not the load average, which
	// stays high for minutes after other programs have ended.
	Others float64

	// Switches is the number of times per second that the system took the CPU away from this
	// process during the operation, or machine.Unknown. Switches of other processes do not count.
	Switches float64
}

// An operation counts as disturbed if its Disturbance reaches one of these limits. A quiet machine
// shows at most 0.05 for Others and 5 for Switches. A machine that also runs one other program
// shows 1 and 150.
const (
	othersLimit   = 0.25
	switchesLimit = 50
)

// doubtful reports whether the disturbance d may have affected the times of an operation, in a run
// with the median clock ghz. Rounds that were repeated until the clock was steady have no effect.
func (d Disturbance) doubtful(ghz float64) bool {
	return d.Kept > 0 || d.off(ghz) > drift ||
		d.Others >= othersLimit || d.Switches >= switchesLimit
}

// off returns the relative difference between ghz and the clock during the operation.
func (d Disturbance) off(ghz float64) float64 {
	if d.GHz == 0 || ghz == 0 {
		return 0
	}
	return math.Abs(d.GHz/ghz - 1)
}

// A watch collects the Disturbance of one operation.
type watch struct {
	env      environment
	clock    []float64
	others   []float64
	switches int     // involuntary context switches while the operation ran in this process
	seconds  float64 // time that the operation ran in this process
	unknown  bool    // the system does not count switches
	Disturbance
}

// read reads the clock and counts the running threads of other programs. No other code of this
// program may run meanwhile.
func (w *watch) read() (ghz float64) {
	ghz = w.env.frequency()
	w.clock = append(w.clock, ghz)
	if n := w.env.others(); n != machine.Unknown {
		w.others = append(w.others, float64(n))
	}
	return ghz
}

// during runs f, and adds the number of times that the system took the CPU away from this process
// meanwhile. It returns the result of f.
func (w *watch) during(f func() float64) float64 {
	before, begin := w.env.switches(), w.env.now()
	t := f()
	if after := w.env.switches(); after == machine.Unknown || before == machine.Unknown {
		w.unknown = true
	} else {
		w.switches += after - before
	}
	w.seconds += w.env.now().Sub(begin).Seconds()
	return t
}

// sum returns the Disturbance of the operation from everything collected so far.
func (w *watch) sum() Disturbance {
	d := w.Disturbance
	d.Others, d.Switches = machine.Unknown, machine.Unknown
	if len(w.clock) > 0 {
		d.GHz = quantile.Median(w.clock)
	}
	if len(w.others) > 0 {
		total := 0.0
		for _, n := range w.others {
			total += n
		}
		d.Others = total / float64(len(w.others))
	}
	if w.seconds > 0 && !w.unknown {
		d.Switches = float64(w.switches) / w.seconds
	}
	return d
}

// clock returns the median of the clocks of all operations in GHz, or 0 if none was read.
func (r *Run) clock() float64 {
	var x []float64
	for _, o := range r.Operations {
		if o.Disturbance.GHz > 0 {
			x = append(x, o.Disturbance.GHz)
		}
	}
	if len(x) == 0 {
		return 0
	}
	return quantile.Median(x)
}

// Doubtful reports whether the machine was so disturbed that the times of operation o of the run
// may be affected.
func (r *Run) Doubtful(o Operation) bool { return o.Disturbance.doubtful(r.clock()) }

// Quiet reports whether nothing is known to have disturbed the run.
func (r *Run) Quiet() bool {
	for _, o := range r.Operations {
		if r.Doubtful(o) {
			return false
		}
	}
	return r.Repeated == 0 && r.Kept == 0
}

// Mark is appended to the title of an operation that is doubtful.
const Mark = " *"

// Notice returns a few sentences that say whether the machine was quiet during the run. If it was
// not, they name the disturbed operations, the causes and their sizes.
func (r *Run) Notice() string {
	ghz := r.clock()
	var repeated, kept, off, others, switched affected
	for _, o := range r.Operations {
		d := o.Disturbance
		repeated.add(o.ID, d.Repeated, 0, d.Repeated > 0)
		kept.add(o.ID, d.Kept, 100*d.Drift, d.Kept > 0)
		off.add(o.ID, 0, 100*d.off(ghz), d.off(ghz) > drift)
		others.add(o.ID, 0, d.Others, d.Others >= othersLimit)
		switched.add(o.ID, 0, d.Switches, d.Switches >= switchesLimit)
	}
	if r.Quiet() {
		return r.quietly()
	}
	s := []string{"The machine was disturbed."}
	say := func(a affected, format string, args ...any) {
		if len(a.ids) > 0 {
			s = append(s, fmt.Sprintf(format, args...)+", "+a.list(len(r.Operations))+".")
		}
	}
	say(repeated, "Rounds measured again because the clock drifted by more than %.0f %%: %d",
		100*drift, repeated.count)
	say(kept, "Rounds kept although it drifted each of %d times, by up to %.0f %%: %d",
		tries, kept.most, kept.count)
	say(off, "Times, not ratios, at another clock than the run's %.2f GHz, by up to %.0f %%",
		ghz, off.most)
	say(others, "Beside other programs, up to %.1f threads of them on average", others.most)
	say(switched, "The CPU taken away, up to %.0f times a second", switched.most)
	s = append(s, fmt.Sprintf("Rows in whose figures this may show are marked%s. "+
		"Load before %s, after %s.", Mark, r.Machine.LoadBefore, r.Machine.LoadAfter))
	return strings.Join(s, " ")
}

// quietly returns the notice of a run on a quiet machine, with the largest drift, number of other
// threads and rate of switches that were seen.
func (r *Run) quietly() string {
	drifted, others, switched := 0.0, float64(machine.Unknown), float64(machine.Unknown)
	for _, o := range r.Operations {
		d := o.Disturbance
		drifted = max(drifted, d.Drift)
		others, switched = max(others, d.Others), max(switched, d.Switches)
	}
	s := fmt.Sprintf("The machine was quiet: no round was repeated, and the clock changed by at "+
		"most %.1f %% within a round.", 100*drifted)
	if others == machine.Unknown {
		s += " Whether other programs ran is not known here."
	} else {
		s += fmt.Sprintf(" Beside no row ran more than %.2f threads of other programs on average.",
			others)
	}
	if switched == machine.Unknown {
		return s + " How often the CPU was taken away is not known here."
	}
	return s + fmt.Sprintf(" The CPU was taken away at most %.0f times a second.", switched)
}

// affected holds the operations that one cause of disturbance affected.
type affected struct {
	ids   []string
	count int     // total of the cause's counts over these operations
	most  float64 // largest value of the cause in one operation
}

func (a *affected) add(id string, count int, value float64, is bool) {
	if is {
		a.ids, a.count, a.most = append(a.ids, id), a.count+count, max(a.most, value)
	}
}

// named is the largest number of operations that a notice names; it counts the rest.
const named = 24

// list returns a phrase that names the affected operations. total is the number of operations in
// the run.
func (a *affected) list(total int) string {
	switch n := len(a.ids); {
	case n == total:
		return "in every row"
	case n > named:
		return fmt.Sprintf("in %d rows of %d: %s and %d more",
			n, total, strings.Join(a.ids[:named], ", "), n-named)
	case n == 1:
		return "in 1 row: " + a.ids[0]
	default:
		return fmt.Sprintf("in %d rows: %s", n, strings.Join(a.ids, ", "))
	}
}
