package check

import (
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
)

// openings is a queue of the inputs of a run, those that were opened and those that could not be
// opened. The reading goroutine appends to it. The reporting goroutine removes each input when its
// last row has been reported.
type openings struct {
	mu    sync.Mutex
	begun []state.Input // without counts; Chain has the network whose rules apply, if there is one
}

// begins records that an input begins, or that it failed to open.
func (o *openings) begins(in state.Input) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.begun = append(o.begun, in)
}

// read records the content (size and digest) of the newest input in the queue, and more files that
// were read beside it.
func (o *openings) read(content state.Content, with ...state.File) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := &o.begun[len(o.begun)-1]
	now.Content, now.With = content, append(now.With, with...)
}

// ends removes the oldest input from the queue and returns it.
func (o *openings) ends() state.Input {
	o.mu.Lock()
	defer o.mu.Unlock()
	first := o.begun[0]
	o.begun = o.begun[1:]
	return first
}

// left returns the inputs whose rows have not all been reported.
func (o *openings) left() []state.Input {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.begun)
}

// current returns the name of the input whose rows are being reported, or "".
func (o *openings) current() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.begun) == 0 {
		return ""
	}
	return o.begun[0].File
}

// countFile adds an input to the number of those that were opened, and to their formats.
func countFile(in *state.Input, files *int64, formats *[]string) {
	if in.Format == "" {
		return
	}
	*files++
	if !slices.Contains(*formats, in.Format) {
		*formats = append(*formats, in.Format)
	}
}

// withBlocks returns chains after merging blocks into the chain of their network.
func withBlocks(chains []reading.Blocks, blocks reading.Blocks) []reading.Blocks {
	if blocks.Count == 0 {
		return chains
	}
	for i := range chains {
		if chains[i].Network == blocks.Network {
			chains = slices.Clone(chains)
			chains[i].Merge(blocks)
			return chains
		}
	}
	return append(slices.Clip(chains), blocks)
}
