package check

import (
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
)

// openings is a queue of the inputs of a run, those that were opened and those that could not be
// opened. The reading goroutine appends to it. The reporting goroutine removes each input when its
// last row has been reported.
type openings struct {
	mu    sync.Mutex
	begun []opening
}

// An opening describes one input that was opened or could not be opened.
type opening struct {
	name    string       // as on the command line
	format  flags.Format // empty if the input failed to open
	network string       // network whose rules apply; empty if there is none or blocks name it
	content state.Content
	with    []state.File // files that were read beside the input, such as its spent outputs
}

// begins records that an input begins, or that it failed to open.
func (o *openings) begins(in opening) {
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
	now.content, now.with = content, append(now.with, with...)
}

// ends removes the oldest input from the queue and returns it.
func (o *openings) ends() opening {
	o.mu.Lock()
	defer o.mu.Unlock()
	first := o.begun[0]
	o.begun = o.begun[1:]
	return first
}

// left returns the inputs whose rows have not all been reported.
func (o *openings) left() []opening {
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
	return o.begun[0].name
}

// count adds in to the number of inputs that were opened, and to their formats.
func (in *opening) count(files *int64, formats *[]string) {
	if in.format == "" {
		return
	}
	*files++
	if !slices.Contains(*formats, string(in.format)) {
		*formats = append(*formats, string(in.format))
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
