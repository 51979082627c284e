package state

import "encoding/json"

// An Output is what a run writes beside its report, such as a verdict for each row, and what a
// state has to cover: after any end of a run, a loss of power included, the run that goes on
// leaves in it what one run would have written.
//
// All calls come from one goroutine, between two batches of the input.
type Output interface {
	// Resume is called once, before anything is written: with what Save returned in the run that is
	// continued and for which a state was saved, or with nil if the run begins. Whatever was written
	// behind that is removed, be it in files that have their names already: the state does not name
	// them.
	Resume(saved json.RawMessage) error
	// Save makes durable what was written so far, under the names that it has at last (package
	// durable), and returns what Resume has to know to go on behind it. The state is saved after
	// that. Parts of an output are so large as what comes between two calls.
	Save() (json.RawMessage, error)
}
