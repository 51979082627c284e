package harness

import (
	"fmt"
	"math"

	"github.com/koblitz-go/koblitz/lab/bench/internal/machine"
	"github.com/koblitz-go/koblitz/lab/bench/internal/quantile"
)

// A Disturbance describes how other activity on the machine disturbed the rounds of an operation.
type Disturbance struct {
	Repeated int     // tries that were repeated because the clock drifted
	Kept     int     // rounds in which the clock drifted in every try; the last try was kept
	Drift    float64 // largest relative change of the clock in a round that was kept: 0.04 is 4 %
	GHz      float64 // clock: median of the readings before and after each round

	// SharedRepeated is the number of tries that were repeated because another hyperthread shared
	// the core. Adds has an element for each round that was kept: the lower of the numbers of
	// independent additions per cycle before and after the round.
	SharedRepeated int
	Adds           []float64

	// Others is the mean number of other programs' threads that were running or ready to run at the
	// beginning and the end of each round, or machine.Unknown. It is not the load average, which
	// stays high for minutes after other programs have ended.
	Others float64

	// Switches is the number of times per second that the system took the CPU away from this
	// process during the operation, or machine.Unknown. Switches of other processes do not count.
	Switches float64
}

// An operation counts as disturbed if its Disturbance reaches one of these limits. On a quiet
// machine, Others is at most 0.05 and Switches at most 5. On a machine that also runs one other
// program, they are about 1 and 150.
const (
	othersLimit   = 0.25
	switchesLimit = 50
)

// doubtful reports whether the disturbance d may have affected the times of an operation. ghz is
// the median clock of the whole run, and adds the run's best rate of independent additions. Rounds
// that were repeated until the machine was quiet have no effect on the answer.
func (d Disturbance) doubtful(ghz, adds float64) bool {
	return d.Kept > 0 || d.off(ghz) > drift || d.sharedKept(adds) > 0 ||
		d.Others >= othersLimit || d.Switches >= switchesLimit
}

// off returns the relative difference between ghz, the clock of the whole run, and the clock during
// the operation.
func (d Disturbance) off(ghz float64) float64 {
	if d.GHz == 0 || ghz == 0 {
		return 0
	}
	return math.Abs(d.GHz/ghz - 1)
}

// sharedKept returns the number of rounds that were kept although another hyperthread shared the
// core. adds is the best rate of independent additions in the whole run, which was not yet known
// when the first rounds ended.
func (d Disturbance) sharedKept(adds float64) (n int) {
	for _, a := range d.Adds {
		if a < alone*adds {
			n++
		}
	}
	return n
}

// A watch collects the Disturbance of one operation.
type watch struct {
	env      environment
	clock    []float64
	others   []float64
	switches int     // involuntary context switches while the operation ran in this process
	seconds  float64 // time that the operation ran in this process
	unknown  bool    // the system does not count switches
	repeats  int     // how many more tries may be repeated because the core was shared
	Disturbance
}

// read reads the clock and the additions per cycle, and counts the running threads of other
// programs. No other code of this program may run meanwhile.
func (w *watch) read() (ghz, adds float64) {
	ghz, adds = w.env.core()
	w.clock = append(w.clock, ghz)
	if n := w.env.others(); n != machine.Unknown {
		w.others = append(w.others, float64(n))
	}
	return ghz, adds
}

// during runs f and returns its result. It adds to w.switches the number of times that the system
// took the CPU away from this process while f ran.
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

// sum returns the operation's Disturbance, computed from all observations of the watch.
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
func (r *Run) Doubtful(o Operation) bool {
	return o.Disturbance.doubtful(r.clock(), r.Machine.Adds)
}

// Quiet reports whether no disturbance of the run is known.
func (r *Run) Quiet() bool {
	for _, o := range r.Operations {
		if r.Doubtful(o) || o.Disturbance.SharedRepeated > 0 {
			return false
		}
	}
	return r.Repeated == 0 && r.Kept == 0
}

// Mark is appended to the title of an operation that is doubtful.
const Mark = " *"

// Notice returns a few sentences that say whether the machine was quiet during the run, and what
// disturbed it.
func (r *Run) Notice() string {
	ghz := r.clock()
	drifted, off, others, switched := 0.0, 0.0, float64(machine.Unknown), float64(machine.Unknown)
	repeated, kept, adds := 0, 0, r.Machine.Adds
	for _, o := range r.Operations {
		d := o.Disturbance
		repeated, kept = repeated+d.SharedRepeated, kept+d.sharedKept(r.Machine.Adds)
		for _, a := range d.Adds {
			adds = min(adds, a)
		}
		drifted, off = max(drifted, d.Drift), max(off, d.off(ghz))
		others, switched = max(others, d.Others), max(switched, d.Switches)
	}
	s := "The machine was quiet."
	if !r.Quiet() {
		s = "The machine was disturbed. Rows in whose figures this may show are marked" + Mark + "."
	}
	s += fmt.Sprintf(" Rounds repeated because the clock drifted by more than %.0f %%: %d; kept "+
		"although it drifted in each of %d tries: %d. The clock changed by at most %.1f %% within a "+
		"round, and was at most %.0f %% from the run's %.2f GHz.",
		100*drift, r.Repeated, tries, r.Kept, 100*drifted, 100*off, ghz)
	s += fmt.Sprintf(" Rounds repeated because another hyperthread shared the core: %d; kept "+
		"although it did: %d. The core did at best %.2f independent additions a cycle, and at "+
		"least %.2f around each round that was kept.", repeated, kept, r.Machine.Adds, adds)
	if others == machine.Unknown {
		s += " Whether other programs ran is not known."
	} else {
		s += fmt.Sprintf(" During a row, at most %.2f threads of other programs ran on average.", others)
	}
	if switched == machine.Unknown {
		s += " How often the CPU was taken away is not known."
	} else {
		s += fmt.Sprintf(" The CPU was taken away at most %.0f times a second.", switched)
	}
	return s + fmt.Sprintf(" Load before %s, after %s.", r.Machine.LoadBefore, r.Machine.LoadAfter)
}
