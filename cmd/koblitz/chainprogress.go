package main

import (
	"fmt"
	"io"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
)

// A chainProgress displays the progress of a command that reads a chain: a bar on a terminal, or
// lines of JSON. The methods of a nil chainProgress do nothing.
type chainProgress struct {
	now         chainAdvance
	first       int32 // height of the first block of this run
	start, last time.Time
	lines       io.Writer // destination of JSON lines, or nil
	bar         *progressBar
}

// newChainProgress returns a chainProgress for the blocks first to to. kind is the value of
// --progress.
func newChainProgress(kind string, s cli.Streams, first, to int32) *chainProgress {
	p := &chainProgress{first: first, start: time.Now(), last: time.Now()}
	p.now.Block, p.now.To = first-1, to
	switch {
	case kind == progressNone || first > to:
		return nil
	case kind == progressJSON:
		p.lines = s.Err
	default:
		if p.bar = newProgressBar(s.Screen, int64(to-first)+1); p.bar == nil {
			return nil
		}
	}
	return p
}

// set records the last block that was read and the number of tweaks so far. It updates the display
// unless the last update was too recent.
func (p *chainProgress) set(block int32, tweaks int64) {
	if p == nil {
		return
	}
	p.now.Block, p.now.Tweaks = block, tweaks
	every := progressEvery
	if p.lines != nil {
		every = progressLineEvery
	}
	if time.Since(p.last) >= every {
		p.last = time.Now()
		p.show()
	}
}

func (p *chainProgress) show() {
	took := max(time.Since(p.start).Seconds(), 1e-9)
	p.now.Rate, p.now.Left = float64(p.now.Tweaks)/took, nil
	blocks := int64(p.now.Block-p.first) + 1
	if blocks > 0 {
		left := float64(p.now.To-p.now.Block) * took / float64(blocks)
		p.now.Left = &left
	}
	if p.lines != nil {
		fmt.Fprintln(p.lines, cli.JSONLine(p.now))
		return
	}
	p.bar.draw(&advance{Rows: p.now.Tweaks, Rate: p.now.Rate, Bytes: max(0, blocks), Left: p.now.Left,
		File: fmt.Sprintf("block %d", p.now.Block)})
}

// hide removes the bar from the terminal, so that a message can be written.
func (p *chainProgress) hide() {
	if p != nil && p.bar != nil {
		p.bar.hide()
	}
}

// finish removes the bar, or writes the last line of JSON.
func (p *chainProgress) finish() {
	p.hide()
	if p != nil && p.lines != nil {
		p.now.Done = true
		p.show()
	}
}
