// Package progress shows how far a run is: a bar on a terminal, or lines of JSON.
package progress

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
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

// AddFlag adds the flag --progress.
func AddFlag(cmd *cobra.Command, kind *string) {
	*kind = Auto
	cli.Choice(cmd, kind, "progress", "", "auto: a bar on a terminal; json: on standard error an\n"+
		"object a line each second; none", Auto, JSON, None)
}

// An Advance is the progress of a run at one moment. With --progress json, the command writes an
// Advance on each line. The commands that read a chain count tweaks as rows, and blocks as bytes.
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

// A Progress displays the progress of a run as a bar on a terminal or as lines of JSON. The methods
// of a nil Progress do nothing. A Progress writes only when one of its methods is called, so its
// output never splits a line of the report.
type Progress struct {
	start, last time.Time
	every       time.Duration // minimum time between two updates
	out         io.Writer
	terminal    *os.File // the terminal to which out writes, or nil for lines of JSON
	drawn       bool     // the terminal shows the bar
	now         Advance
	from        Advance // state at the start of this run
}

// New returns a Progress, or nil if nothing is to be displayed. total is the size of the input in
// bytes, or negative if unknown. kind is the value of --progress.
func New(kind string, s cli.Streams, total int64) *Progress {
	p := &Progress{start: time.Now(), last: time.Now(), every: LineEvery, out: s.Err}
	if kind != JSON {
		terminal, ok := cli.Terminal(s.Screen)
		if kind == None || !ok {
			return nil
		}
		p.every, p.out, p.terminal = Every, s.Screen, terminal
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
	if time.Since(p.last) >= p.every {
		p.last = time.Now()
		p.show()
	}
}

// show writes a line of JSON, or draws the bar.
func (p *Progress) show() {
	p.now.estimate(&p.from, time.Since(p.start))
	if p.terminal == nil {
		fmt.Fprintln(p.out, cli.JSONLine(p.now))
		return
	}
	width, _, err := term.GetSize(int(p.terminal.Fd()))
	if err != nil || width < 2 {
		width = 80
	}
	line := []rune(p.now.bar())
	line = line[:min(len(line), width-1)] // some terminals wrap after writing to the last column
	fmt.Fprintf(p.out, "\r%s\x1b[K", string(line))
	p.drawn = true
}

// bar returns the line that shows a on a terminal.
func (a *Advance) bar() string {
	text := fmt.Sprintf("%d rows  %.0f/s", a.Rows, a.Rate)
	if a.Total != nil && *a.Total > 0 {
		percent := 100 * min(a.Bytes, *a.Total) / *a.Total
		text += fmt.Sprintf("  [%-20s] %d%%", strings.Repeat("=", int(percent/5)), percent)
	}
	if a.Left != nil {
		text += fmt.Sprintf("  %v left", time.Duration(*a.Left*float64(time.Second)).Round(time.Second))
	}
	if a.File != "" {
		text += "  " + reading.Printable(filepath.Base(a.File))
	}
	return text
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
	if p != nil && p.drawn {
		io.WriteString(p.out, "\r\x1b[K")
		p.drawn = false
	}
}

// Finish removes the progress bar or writes the last JSON line. rows is the final number of checked
// rows.
func (p *Progress) Finish(rows int64) {
	p.Hide()
	if p != nil && p.terminal == nil {
		p.now.Rows, p.now.Done = rows, true
		p.show()
	}
}
