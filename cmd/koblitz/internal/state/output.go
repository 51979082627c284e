package state

import "encoding/json"

// An Output is a file that a run writes in addition to its report, such as a file with a verdict
// for each row. The saved state of the run must cover it: however a run ends, even by a loss of
// power, a run that resumes must complete the Output to the contents that one uninterrupted run
// would have written.
//
// One goroutine makes all calls, between two batches of the input.
type Output interface {
	// Resume is called once, before anything is written. saved holds the results of Save from
	// earlier runs that the state contains. Resume checks that all output they describe is present
	// and unchanged. It may remove output that was written later. It finds that output by name,
	// since the name contains the run's id, which is random and belongs to no other run.
	Resume(id string, saved []json.RawMessage) error
	// Save makes all output since the last call durable, under names that contain the run's id. It
	// returns the data with which Resume finds the output again, or nil if nothing was written.
	Save() (json.RawMessage, error)
	// Saved is called once the state that contains the result of Save is durable. It renames the
	// files to their final names.
	Saved() error
}
