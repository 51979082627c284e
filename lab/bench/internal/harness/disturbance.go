package harness

import (
	"fmt"

	"github.com/koblitz-go/koblitz/lab/bench/internal/machine"
)

// A Disturbance describes how other activity on the machine disturbed the rounds of an operation.
type Disturbance struct {
	Repeated int     // tries that were repeated
	Drift    float64 // largest relative change of the clock in a round that was kept: 0.04 is 4 %

	// Adds is the lowest number of independent additions per cycle before or after a round that was
	// kept.
	Adds float64

	// Switches is the number of times per second that the system took the CPU away from this
	// process during the operation, or machine.Unknown. Switches of other processes do not count.
	Switches float64
}

// switchesLimit is the value of Switches at which an operation counts as disturbed. On a quiet
// machine there are at most 5, and on a machine that also runs one other program about 150.
const switchesLimit = 50

// A watch collects the Disturbance of one operation.
type watch struct {
	env      environment
	switches int     // involuntary context switches while the operation ran in this process
	seconds  float64 // time that the operation ran in this process
	repeats  int     // how many more tries may be repeated
	Disturbance
}

// during runs f and returns its result. It adds to w.switches the number of times that the system
// took the CPU away from this process while f ran.
func (w *watch) during(f func() float64) float64 {
	before, begin := w.env.switches(), w.env.now()
	t := f()
	w.switches += w.env.switches() - before
	w.seconds += w.env.now().Sub(begin).Seconds()
	return t
}

// sum returns the operation's Disturbance, computed from all observations of the watch.
func (w *watch) sum() Disturbance {
	d := w.Disturbance
	if d.Switches = machine.Unknown; w.seconds > 0 && w.env.switches() != machine.Unknown {
		d.Switches = float64(w.switches) / w.seconds
	}
	return d
}

// Doubtful reports whether the machine was so disturbed that the times of operation o of the run
// may be affected. Rounds that were repeated until the machine was quiet have no effect on the
// answer. The best rate of independent additions was not yet known when the first rounds ended.
func (r *Run) Doubtful(o Operation) bool {
	d := o.Disturbance
	return d.Drift > drift || d.Adds < alone*r.Machine.Adds || d.Switches >= switchesLimit
}

// Quiet reports whether no disturbance of the run is known.
func (r *Run) Quiet() bool {
	for _, o := range r.Operations {
		if r.Doubtful(o) || o.Disturbance.Repeated > 0 {
			return false
		}
	}
	return true
}

// Mark is appended to the title of an operation that is doubtful.
const Mark = " *"

// Notice returns a few sentences that say whether the machine was quiet during the run, and what
// disturbed it.
func (r *Run) Notice() string {
	all := Disturbance{Adds: r.Machine.Adds, Switches: machine.Unknown}
	for _, o := range r.Operations {
		d := o.Disturbance
		all.Repeated, all.Adds = all.Repeated+d.Repeated, min(all.Adds, d.Adds)
		all.Drift, all.Switches = max(all.Drift, d.Drift), max(all.Switches, d.Switches)
	}
	s := "The machine was quiet."
	if !r.Quiet() {
		s = "The machine was disturbed. Rows in whose figures this may show are marked" + Mark + "."
	}
	s += fmt.Sprintf(" Rounds repeated because the clock drifted or another hyperthread shared the "+
		"core: %d. In the rounds that were kept, the clock changed by at most %.1f %%, and the core "+
		"did at least %.2f independent additions a cycle, where %.2f are its best.",
		all.Repeated, 100*all.Drift, all.Adds, r.Machine.Adds)
	if all.Switches == machine.Unknown {
		s += " How often the CPU was taken away is not known."
	} else {
		s += fmt.Sprintf(" The CPU was taken away at most %.0f times a second.", all.Switches)
	}
	return s + fmt.Sprintf(" Load before %s, after %s.", r.Machine.LoadBefore, r.Machine.LoadAfter)
}
