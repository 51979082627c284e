package main

import (
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
)

// openings are the inputs that have been opened, or that could not be. The goroutine that reads
// says what it opens; the one that reports takes them one after the other as they end.
type openings struct {
	mu      sync.Mutex
	files   int64 // that could be opened
	formats []string
	last    opening // the input that begins next, without its name
	begun   []opening
	losses  []error // of connections that are replaced; the reporting goroutine takes them
}

// An opening is an input that has begun.
type opening struct {
	name    string // as on the command line; empty: it is none that has a name
	format  format // empty: it could not be opened
	network string // whose rules hold; empty: it has none, or it shows in the blocks
	content state.Content
	with    []state.File
}

// opened says that an input was opened.
func (o *openings) opened(f format, network string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.files++
	o.formats = withName(o.formats, f)
	o.last = opening{format: f, network: network}
}

// read says what was read of the input that begun last, and beside it.
func (o *openings) read(content state.Content, with []state.File) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := &o.begun[len(o.begun)-1]
	now.content, now.with = content, with
}

// begins says that an input begins, or its error.
func (o *openings) begins(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last.name = name
	o.begun = append(o.begun, o.last)
	o.last = opening{}
}

// ends takes the first input that has begun.
func (o *openings) ends() opening {
	o.mu.Lock()
	defer o.mu.Unlock()
	first := o.begun[0]
	o.begun = o.begun[1:]
	return first
}

// lost says that a connection was lost, and is going to be replaced.
func (o *openings) lost(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.losses = append(o.losses, err)
}

func (o *openings) takeLosses() (losses []error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	losses, o.losses = o.losses, nil
	return losses
}

// current is the name of the input whose rows are being reported.
func (o *openings) current() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.begun) == 0 {
		return ""
	}
	return o.begun[0].name
}

// all returns how many files there were, and of which formats.
func (o *openings) all() (files int64, formats []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.files, slices.Clone(o.formats)
}

func withName(formats []string, f format) []string {
	if slices.Contains(formats, string(f)) {
		return formats
	}
	return append(formats, string(f))
}

// An endedInputs is what the inputs that have ended add up to.
type endedInputs struct {
	totals  check.Totals
	files   int64
	formats []string
	chains  []rows.Blocks // one for each network
}

// withBlocks adds blocks to those of their network.
func withBlocks(chains []rows.Blocks, blocks rows.Blocks) []rows.Blocks {
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

// minus is t without u, which it began with.
func minus(t, u check.Totals) check.Totals {
	return check.Totals{
		Valid: t.Valid - u.Valid, Invalid: t.Invalid - u.Invalid, Malformed: t.Malformed - u.Malformed,
		EngineChecked: t.EngineChecked - u.EngineChecked, NotCheckable: t.NotCheckable - u.NotCheckable,
		Recovered: t.Recovered - u.Recovered, PassedOver: t.PassedOver - u.PassedOver,
		Unsigned: t.Unsigned - u.Unsigned, UnsignedData: t.UnsignedData - u.UnsignedData,
	}
}
