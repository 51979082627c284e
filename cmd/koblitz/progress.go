package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/term"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
)

// progressEvery is the minimum time between two updates of the bar, and progressLineEvery the
// minimum time between two lines of --progress json. Only tests change these values, because a
// short run would print nothing.
var (
	progressEvery     = 100 * time.Millisecond
	progressLineEvery = time.Second
)

// These are the values of --progress.
const (
	progressAuto = "auto" // a bar if standard error is a terminal
	progressJSON = "json"
	progressNone = "none"
)

var progressKinds = []string{progressAuto, progressJSON, progressNone}

// An advance is the progress of a run at one moment. With --progress json, the command writes an
// advance on each line.
type advance struct {
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

// A progress displays the progress of a run as a bar on a terminal or as lines of JSON. The methods
// of a nil progress do nothing. A progress writes only when one of its methods is called, so its
// output never splits a line of the report.
type progress struct {
	now   advance
	start time.Time
	from  advance // state at the start of this run
	last  time.Time
	lines io.Writer // destination of JSON lines, or nil
	bar   *progressBar
}

// newProgress returns a progress that writes to w. total is the size of the input in bytes, or
// negative if unknown. kind is the value of --progress.
func newProgress(kind string, w io.Writer, total int64) *progress {
	p := &progress{start: time.Now()}
	p.last = p.start
	if total >= 0 {
		p.now.Total = &total
	}
	switch kind {
	case progressNone:
		return nil
	case progressJSON:
		p.lines = w
		return p
	}
	if p.bar = newProgressBar(w, total); p.bar == nil {
		return nil
	}
	return p
}

// resume records the number of rows that earlier runs have checked. The number of bytes that these
// runs read is not known yet; the first call of set records it.
func (p *progress) resume(rows int64) {
	if p != nil && rows > 0 {
		p.from.Rows, p.from.Bytes = rows, -1
	}
}

// at records the current file and the offset in it, which is nil if unknown.
func (p *progress) at(file string, offset *int64) {
	if p != nil {
		p.now.File, p.now.Offset = file, offset
	}
}

// set records the numbers of checked rows and of bytes read. It updates the display unless the last
// update was too recent.
func (p *progress) set(rows, consumed int64) {
	if p == nil {
		return
	}
	if p.from.Bytes < 0 {
		p.from.Bytes = consumed
	}
	p.now.Rows, p.now.Bytes = rows, consumed
	every := progressEvery
	if p.lines != nil {
		every = progressLineEvery
	}
	if time.Since(p.last) < every {
		return
	}
	p.last = time.Now()
	p.show()
}

func (p *progress) show() {
	p.now.estimate(&p.from, time.Since(p.start))
	if p.lines != nil {
		fmt.Fprintln(p.lines, cli.JSONLine(p.now))
	} else {
		p.bar.draw(&p.now)
	}
}

// estimate computes Rate and Left of the advance a. start is an earlier advance, and took is the
// time since then.
func (a *advance) estimate(start *advance, took time.Duration) {
	a.Rate = float64(a.Rows-start.Rows) / max(took.Seconds(), 1e-9)
	a.Left = nil
	if read := a.Bytes - start.Bytes; a.Total != nil && read > 0 {
		left := max(0, float64(*a.Total-a.Bytes)) * took.Seconds() / float64(read)
		a.Left = &left
	}
}

// hide removes the bar from the terminal so that a line of the report can be written. The next
// update draws the bar again.
func (p *progress) hide() {
	if p != nil && p.bar != nil {
		p.bar.hide()
	}
}

// finish removes the progress bar or writes the last JSON line. rows is the final number of checked
// rows.
func (p *progress) finish(rows int64) {
	p.hide()
	if p != nil && p.lines != nil {
		p.now.Rows, p.now.Done = rows, true
		p.show()
	}
}

// A progressBar is a bar on a terminal.
type progressBar struct {
	bar   *pb.ProgressBar
	out   io.Writer
	file  *os.File // the terminal to which out writes
	shown bool
}

// newProgressBar returns a bar that is drawn on w, or nil if w is not a terminal.
func newProgressBar(w io.Writer, total int64) *progressBar {
	file, ok := cli.Terminal(w)
	if !ok {
		return nil
	}
	p := &progressBar{bar: new(pb.ProgressBar), out: w, file: file}
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

func (p *progressBar) draw(a *advance) {
	width, _, err := term.GetSize(int(p.file.Fd()))
	if err != nil || width < 2 {
		width = 80
	}
	p.bar.SetWidth(width - 1) // some terminals wrap after writing to the last column
	left := "? left"
	if a.Left != nil {
		left = fmt.Sprintf("%v left", time.Duration(*a.Left*float64(time.Second)).Round(time.Second))
	}
	place := []rune(printable.Text(filepath.Base(a.File)))
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

func (p *progressBar) hide() {
	if p.shown {
		io.WriteString(p.out, "\r\x1b[K")
		p.shown = false
	}
}
