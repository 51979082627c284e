package check

import (
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// openings is a queue of the inputs of a run, those that were opened and those that could not be
// opened. The reading goroutine appends to it. The reporting goroutine removes each input when its
// last row has been reported.
type openings struct {
	mu      sync.Mutex
	files   int64 // number of inputs that were opened
	formats []string
	last    opening // the input that begins next; it has no name yet
	begun   []opening
	notes   []string // messages for standard error, until they are written
}

// An opening describes one input that was opened or could not be opened.
type opening struct {
	name    string       // as on the command line; empty if the input has no name of its own
	format  flags.Format // empty if the input failed to open
	network string       // network whose rules apply; empty if there is none or blocks name it
	content state.Content
	with    []state.File
}

// opened records that an input was opened.
func (o *openings) opened(f flags.Format, network string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.files++
	o.formats = withName(o.formats, f)
	o.last = opening{format: f, network: network}
}

// read records the content (size and digest) of the newest input in the queue, and the files that
// were read beside it.
func (o *openings) read(content state.Content, with []state.File) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := &o.begun[len(o.begun)-1]
	now.content, now.with = content, with
}

// begins records that the input with the given name begins, or that it failed to open.
func (o *openings) begins(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last.name = name
	o.begun = append(o.begun, o.last)
	o.last = opening{}
}

// ends removes the oldest input from the queue and returns it.
func (o *openings) ends() opening {
	o.mu.Lock()
	defer o.mu.Unlock()
	first := o.begun[0]
	o.begun = o.begun[1:]
	return first
}

// tell records a message that changes neither a count nor the exit status.
func (o *openings) tell(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.notes = append(o.notes, text)
}

func (o *openings) takeNotes() (notes []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	notes, o.notes = o.notes, nil
	return notes
}

// current returns the name of the input whose rows are being reported.
func (o *openings) current() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.begun) == 0 {
		return ""
	}
	return o.begun[0].name
}

// all returns the number of inputs that were opened, and their formats.
func (o *openings) all() (files int64, formats []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.files, slices.Clone(o.formats)
}

func withName(formats []string, f flags.Format) []string {
	if slices.Contains(formats, string(f)) {
		return formats
	}
	return append(formats, string(f))
}

// An endedInputs holds the sums over all inputs that have ended.
type endedInputs struct {
	totals  verify.Counts
	files   int64
	formats []string
	chains  []reading.Blocks // one for each network
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
