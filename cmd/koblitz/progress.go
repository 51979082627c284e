package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/term"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
)

// progressEvery is the least time between two drawings of the bar, and progressLineEvery between
// two lines of --progress json. Only tests change them, so that a fast machine shows them one.
var (
	progressEvery     = 100 * time.Millisecond
	progressLineEvery = time.Second
)

// The values of --progress.
const (
	progressAuto = "auto" // a bar on a terminal
	progressJSON = "json"
	progressNone = "none"
)

var progressKinds = []string{progressAuto, progressJSON, progressNone}

// An advance is how far a run is. It is a line of --progress json.
type advance struct {
	Rows  int64   `json:"rows"`  // checked, by earlier runs too
	Rate  float64 `json:"rate"`  // rows a second, of this run
	Bytes int64   `json:"bytes"` // of the files as they are packed, read
	// Total is the number of bytes to read, and Left the seconds that the rest takes at the rate so
	// far. They are missing if they are not known.
	Total *int64   `json:"total,omitempty"`
	Left  *float64 `json:"left,omitempty"`
	// File is the file that was checked last, Offset the place in it (decompressed) up to which
	// everything is reported, where the format names such places.
	File   string `json:"file"`
	Offset *int64 `json:"offset,omitempty"`
	Done   bool   `json:"done"` // the last line
}

// A progress shows how far a run is: as a bar on a terminal, as JSON for machines, or not at all
// if it is nil. It writes only from the calls to its methods, so that it never comes between two
// halves of a line of the report.
type progress struct {
	now   advance
	start time.Time
	from  advance // where this run began
	last  time.Time
	lines io.Writer // of JSON, or nil
	bar   *progressBar
}

// newProgress returns what shows progress on w, for total bytes of input, or for an unknown
// number if total is negative. kind is that of --progress.
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

// resume says that earlier runs have checked so many rows. What they have read shows with the
// first bytes that this one reads.
func (p *progress) resume(rows int64) {
	if p != nil && rows > 0 {
		p.from.Rows, p.from.Bytes = rows, -1
	}
}

// at says which place has been reached; offset is nil if that is not known.
func (p *progress) at(file string, offset *int64) {
	if p != nil {
		p.now.File, p.now.Offset = file, offset
	}
}

// set says how far it is: rows checked, and bytes of input read.
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
		fmt.Fprintln(p.lines, jsonLine(p.now))
	} else {
		p.bar.draw(&p.now)
	}
}

// estimate sets the rate, and the time that is left, from what was done since from.
func (a *advance) estimate(from *advance, took time.Duration) {
	a.Rate = float64(a.Rows-from.Rows) / max(took.Seconds(), 1e-9)
	a.Left = nil
	if read := a.Bytes - from.Bytes; a.Total != nil && read > 0 {
		left := max(0, float64(*a.Total-a.Bytes)) * took.Seconds() / float64(read)
		a.Left = &left
	}
}

// hide makes room for a line of the report; the next set draws the bar again.
func (p *progress) hide() {
	if p != nil && p.bar != nil {
		p.bar.hide()
	}
}

// finish ends what is shown.
func (p *progress) finish(rows int64) {
	p.hide()
	if p != nil && p.lines != nil {
		p.now.Rows, p.now.Done = rows, true
		p.show()
	}
}

// A progressBar is drawn on a terminal and nowhere else.
type progressBar struct {
	bar   *pb.ProgressBar
	out   *os.File
	shown bool
}

// newProgressBar returns nil if w is not a terminal.
func newProgressBar(w io.Writer, total int64) *progressBar {
	out, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(out.Fd())) {
		return nil
	}
	p := &progressBar{bar: new(pb.ProgressBar), out: out}
	p.bar.SetWriter(out).Set(pb.Static, true).Set(pb.Terminal, true).Set(pb.ReturnSymbol, "\r")
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

// placeWidth is how much of the name of a file the bar shows: its end.
const placeWidth = 20

func (p *progressBar) draw(a *advance) {
	width, _, err := term.GetSize(int(p.out.Fd()))
	if err != nil || width < 2 {
		width = 80
	}
	p.bar.SetWidth(width - 1) // the last column makes some terminals wrap
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
