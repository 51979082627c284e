package state

import "encoding/json"

// An Output is a file that a run writes beside its report and that the state must cover, such as a
// verdict for each row. However a run ends, even by a loss of power, the run that resumes it
// completes the Output to the same contents that one uninterrupted run would have written.
//
// All calls come from one goroutine, between two batches of the input.
type Output interface {
	// Resume is called once, before anything is written. saved holds the results of Save of earlier
	// runs that reached the state. Resume checks that all of that output is present and unchanged.
	// It may remove output that was written later, which it finds by name: the name contains the
	// run's id, which is random and belongs to no other run.
	Resume(id string, saved []json.RawMessage) error
	// Save makes durable all output since the last call, under names that contain the run's id, and
	// returns the data that Resume needs to find it again. It returns nil if nothing was written.
	Save() (json.RawMessage, error)
	// Saved is called once the state with the result of Save is durable. It renames the files to
	// their final names.
	Saved() error
}
