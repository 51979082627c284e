package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/term"
)

// progressEvery is the least time between two drawings of the bar. Only tests
// change it, so that a fast machine shows them one.
var progressEvery = 100 * time.Millisecond

// A progressBar is drawn on a terminal and nowhere else; a nil one does
// nothing. It is drawn only from the calls to its methods, so that it never
// writes between two halves of a line of the report.
type progressBar struct {
	bar   *pb.ProgressBar
	out   *os.File
	start time.Time
	last  time.Time
	shown bool
}

// newProgress returns a bar on w for total bytes of input, or for an unknown
// number if total is negative.
func newProgress(w io.Writer, total int64) *progressBar {
	out, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(out.Fd())) {
		return nil
	}
	p := &progressBar{bar: new(pb.ProgressBar), out: out, start: time.Now()}
	p.last = p.start
	p.bar.SetWriter(out).Set(pb.Static, true).Set(pb.Terminal, true).Set(pb.ReturnSymbol, "\r")
	if total > 0 {
		p.bar.SetTotal(total)
		p.bar.SetTemplateString(`{{string . "rows"}} {{bar . }} {{percent . }} {{rtime . "%s left" "" ` +
			`"? left"}} `)
	} else {
		p.bar.SetTemplateString(`{{string . "rows"}} {{etime . }} {{cycle . "|" "/" "-" "\\"}} `)
	}
	p.bar.Start()
	return p
}

// set says how far it is: rows checked, and bytes of input read.
func (p *progressBar) set(rows, consumed int64) {
	if p == nil || time.Since(p.last) < progressEvery {
		return
	}
	p.last = time.Now()
	width, _, err := term.GetSize(int(p.out.Fd()))
	if err != nil || width < 2 {
		width = 80
	}
	p.bar.SetWidth(width - 1) // the last column makes some terminals wrap
	rate := float64(rows) / time.Since(p.start).Seconds()
	p.bar.Set("rows", fmt.Sprintf("%d rows  %.0f/s", rows, rate))
	p.bar.SetCurrent(consumed).Write()
	p.shown = true
}

// hide makes room for a line of the report; the next set draws the bar again.
func (p *progressBar) hide() {
	if p != nil && p.shown {
		io.WriteString(p.out, "\r\x1b[K")
		p.shown = false
	}
}
