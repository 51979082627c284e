package progress

import (
	"fmt"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
)

// A Chain displays the progress of a command that reads a chain: a bar on a terminal, or lines of
// JSON. The methods of a nil Chain do nothing.
type Chain struct {
	*display
	now   ChainAdvance
	first int32 // height of the first block of this run
}

// NewChain returns a Chain for the blocks first to to. kind is the value of --progress.
func NewChain(kind string, s cli.Streams, first, to int32) *Chain {
	if first > to {
		return nil
	}
	p := &Chain{display: newDisplay(kind, s, int64(to-first)+1), first: first}
	if p.display == nil {
		return nil
	}
	p.now.Block, p.now.To = first-1, to
	return p
}

// Set records the last block that was read and the number of tweaks so far. It updates the display
// unless the last update was too recent.
func (p *Chain) Set(block int32, tweaks int64) {
	if p == nil {
		return
	}
	p.now.Block, p.now.Tweaks = block, tweaks
	if p.due() {
		p.show()
	}
}

func (p *Chain) show() {
	took := max(time.Since(p.start).Seconds(), 1e-9)
	p.now.Rate, p.now.Left = float64(p.now.Tweaks)/took, nil
	blocks := int64(p.now.Block-p.first) + 1
	if blocks > 0 {
		left := float64(p.now.To-p.now.Block) * took / float64(blocks)
		p.now.Left = &left
	}
	p.draw(p.now, &Advance{Rows: p.now.Tweaks, Rate: p.now.Rate, Bytes: max(0, blocks),
		Left: p.now.Left, File: fmt.Sprintf("block %d", p.now.Block)})
}

// Hide removes the bar from the terminal, so that a message can be written.
func (p *Chain) Hide() {
	if p != nil {
		p.hide()
	}
}

// Finish removes the bar, or writes the last line of JSON.
func (p *Chain) Finish() {
	p.Hide()
	if p != nil && p.lines != nil {
		p.now.Done = true
		p.show()
	}
}

// A ChainAdvance is the progress of a command that reads a chain. With --progress json, the command
// writes one on each line.
type ChainAdvance struct {
	Block  int32    `json:"block"`          // height of the last block that was read
	To     int32    `json:"to"`             // height of the last block to read
	Tweaks int64    `json:"tweaks"`         // number of tweaks in this run
	Rate   float64  `json:"rate"`           // tweaks per second in this run
	Left   *float64 `json:"left,omitempty"` // seconds, estimated by the number of blocks
	Done   bool     `json:"done"`
}
