// Package progress shows how far a run is: a bar on a terminal, or lines of JSON.
package progress

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/term"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// Every is the minimum time between two updates of the bar, and LineEvery the
// minimum time between two lines of --progress json. Only tests change these values, because a
// short run would print nothing.
var (
	Every     = 100 * time.Millisecond
	LineEvery = time.Second
)

// These are the values of --progress.
const (
	Auto = "auto" // a bar if standard error is a terminal
	JSON = "json"
	None = "none"
)

// Kinds lists the values of --progress.
var Kinds = []string{Auto, JSON, None}

// An Advance is the progress of a run at one moment. With --progress json, the command writes an
// Advance on each line.
type Advance struct {
	Rows  int64   `json:"rows"`  // number of checked rows, including earlier runs
	Rate  float64 `json:"rate"`  // number of rows checked per second in this run
	Bytes int64   `json:"bytes"` // number of bytes read from the (compressed) files
	// Total is the size of all inputs in bytes. Left is the estimated remaining time in seconds.
	// Both are omitted if unknown.
	Total *int64   `json:"total,omitempty"`
	Left  *float64 `json:"left,omitempty"`
	// File is the file whose rows were reported last. Offset is an offset in its decompressed
	// content: all rows before the offset have been reported. Offset is omitted for formats whose
	// readers know no offsets.
	File   string `json:"file"`
	Offset *int64 `json:"offset,omitempty"`
	Done   bool   `json:"done"` // true on the last line
}

// A display is a bar on a terminal, or lines of JSON.
type display struct {
	start, last time.Time
	lines       io.Writer // destination of JSON lines, or nil
	bar         *bar
}

// newDisplay returns nil if nothing is displayed. kind is the value of --progress, and total is the
// length of the bar, or negative if unknown.
func newDisplay(kind string, s cli.Streams, total int64) *display {
	d := &display{start: time.Now(), last: time.Now()}
	switch kind {
	case None:
		return nil
	case JSON:
		d.lines = s.Err
	default:
		if d.bar = newBar(s.Screen, total); d.bar == nil {
			return nil
		}
	}
	return d
}

// due reports whether the last update was long enough ago, and then counts as one.
func (d *display) due() bool {
	every := Every
	if d.lines != nil {
		every = LineEvery
	}
	if time.Since(d.last) < every {
		return false
	}
	d.last = time.Now()
	return true
}

// draw writes line as JSON, or draws the bar at a.
func (d *display) draw(line any, a *Advance) {
	if d.lines != nil {
		fmt.Fprintln(d.lines, cli.JSONLine(line))
	} else {
		d.bar.draw(a)
	}
}

// hide removes the bar.
func (d *display) hide() {
	if d.bar != nil {
		d.bar.hide()
	}
}

// A Progress displays the progress of a run as a bar on a terminal or as lines of JSON. The methods
// of a nil Progress do nothing. A Progress writes only when one of its methods is called, so its
// output never splits a line of the report.
type Progress struct {
	*display
	now  Advance
	from Advance // state at the start of this run
}

// New returns a Progress. total is the size of the input in bytes, or negative if unknown. kind is
// the value of --progress.
func New(kind string, s cli.Streams, total int64) *Progress {
	p := &Progress{display: newDisplay(kind, s, total)}
	if p.display == nil {
		return nil
	}
	if total >= 0 {
		p.now.Total = &total
	}
	return p
}

// Resume records the number of rows that earlier runs have checked. The number of bytes that these
// runs read is not known yet; the first call of Set records it.
func (p *Progress) Resume(rows int64) {
	if p != nil && rows > 0 {
		p.from.Rows, p.from.Bytes = rows, -1
	}
}

// At records the current file and the offset in it, which is nil if unknown.
func (p *Progress) At(file string, offset *int64) {
	if p != nil {
		p.now.File, p.now.Offset = file, offset
	}
}

// Set records the numbers of checked rows and of bytes read. It updates the display unless the last
// update was too recent.
func (p *Progress) Set(rows, consumed int64) {
	if p == nil {
		return
	}
	if p.from.Bytes < 0 {
		p.from.Bytes = consumed
	}
	p.now.Rows, p.now.Bytes = rows, consumed
	if p.due() {
		p.show()
	}
}

func (p *Progress) show() {
	p.now.estimate(&p.from, time.Since(p.start))
	p.draw(p.now, &p.now)
}

// estimate computes Rate and Left of the Advance a. start is an earlier Advance, and took is the
// time since then.
func (a *Advance) estimate(start *Advance, took time.Duration) {
	a.Rate = float64(a.Rows-start.Rows) / max(took.Seconds(), 1e-9)
	a.Left = nil
	if read := a.Bytes - start.Bytes; a.Total != nil && read > 0 {
		left := max(0, float64(*a.Total-a.Bytes)) * took.Seconds() / float64(read)
		a.Left = &left
	}
}

// Hide removes the bar from the terminal so that a line of the report can be written. The next
// update draws the bar again.
func (p *Progress) Hide() {
	if p != nil {
		p.hide()
	}
}

// Finish removes the progress bar or writes the last JSON line. rows is the final number of checked
// rows.
func (p *Progress) Finish(rows int64) {
	p.Hide()
	if p != nil && p.lines != nil {
		p.now.Rows, p.now.Done = rows, true
		p.show()
	}
}

// A bar is a bar on a terminal.
type bar struct {
	bar   *pb.ProgressBar
	out   io.Writer
	file  *os.File // the terminal to which out writes
	shown bool
}

// newBar returns a bar that is drawn on w, or nil if w is not a terminal.
func newBar(w io.Writer, total int64) *bar {
	file, ok := cli.Terminal(w)
	if !ok {
		return nil
	}
	p := &bar{bar: new(pb.ProgressBar), out: w, file: file}
	p.bar.SetWriter(w).Set(pb.Static, true).Set(pb.Terminal, true).Set(pb.ReturnSymbol, "\r")
	if total > 0 {
		p.bar.SetTotal(total)
		p.bar.SetTemplateString(`{{string . "rows"}} {{bar . }} {{percent . }} {{string . "left"}} ` +
			`{{string . "place"}} `)
	} else {
		p.bar.SetTemplateString(`{{string . "rows"}} {{etime . }} {{cycle . "|" "/" "-" "\\"}} ` +
			`{{string . "place"}} `)
	}
	p.bar.Start()
	return p
}

// placeWidth is the number of characters of a file's name that the bar shows, counted from the end
// of the name.
const placeWidth = 20

func (p *bar) draw(a *Advance) {
	width, _, err := term.GetSize(int(p.file.Fd()))
	if err != nil || width < 2 {
		width = 80
	}
	p.bar.SetWidth(width - 1) // some terminals wrap after writing to the last column
	left := "? left"
	if a.Left != nil {
		left = fmt.Sprintf("%v left", time.Duration(*a.Left*float64(time.Second)).Round(time.Second))
	}
	place := []rune(reading.Printable(filepath.Base(a.File)))
	if len(place) > placeWidth {
		place = append([]rune("…"), place[len(place)-placeWidth+1:]...)
	}
	if a.File == "" || width < 100 && len(place) > width-60 {
		place = nil
	}
	p.bar.Set("rows", fmt.Sprintf("%d rows  %.0f/s", a.Rows, a.Rate)).Set("left", left)
	p.bar.Set("place", string(place)).SetCurrent(a.Bytes).Write()
	p.shown = true
}

func (p *bar) hide() {
	if p.shown {
		io.WriteString(p.out, "\r\x1b[K")
		p.shown = false
	}
}

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
