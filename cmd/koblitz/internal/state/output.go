package state

import "encoding/json"

// An Output is what a run writes beside its report, such as a verdict for each row, and what a
// state has to cover: after any end of a run, a loss of power included, the run that goes on
// leaves in it what one run would have written.
//
// All calls come from one goroutine, between two batches of the input.
type Output interface {
	// Resume is called once, before anything is written. saved has what Save returned in earlier
	// runs, as far as it was saved in the state. Resume makes sure that all of it is there and as it
	// was. What was written later may be removed by its name, which has the run's id in it: id is
	// random and no other run has it.
	Resume(id string, saved []json.RawMessage) error
	// Save makes durable what was written since the last call, under names that have the id of the
	// run in them, and returns what Resume needs to find it again. nil says that nothing was written.
	Save() (json.RawMessage, error)
	// Saved is called once the state with the result of Save is durable. It gives files the names
	// that they have at last.
	Saved() error
}
