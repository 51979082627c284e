package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A summary is the end of a report. Its JSON names are those of the text with
// underscores.
type summary struct {
	Files         int64    `json:"files"`
	Formats       []string `json:"formats"`
	Rows          int64    `json:"rows"`
	Valid         int64    `json:"valid"`
	Invalid       int64    `json:"invalid"`
	Malformed     int64    `json:"malformed"`
	EngineChecked int64    `json:"engine_checked"`
	NotCheckable  int64    `json:"not_checkable"`
	Recovered     int64    `json:"recovered"`
	Unsigned      int64    `json:"unsigned"`
	UnsignedData  int64    `json:"unsigned_data"` // of those that carry data
	PassedOver    int64    `json:"passed_over"`
	Unlisted      int64    `json:"unlisted"` // failures that --max-failures left out
	Time          float64  `json:"time"`     // seconds
	Rate          float64  `json:"rate"`     // rows a second
	Interrupted   bool     `json:"interrupted"`

	Device *deviceShare `json:"device,omitempty"` // with --device, unless that is the CPU
	Exit   int          `json:"exit"`
}

// A failure is check.Failure as JSON. What does not apply is left out.
type failure struct {
	place
	Kind      string `json:"kind,omitempty"`      // of the script or the transaction
	Signature int    `json:"signature,omitempty"` // which of several, from 1
	Verdict   string `json:"verdict"`
	Reason    string `json:"reason"`
}

// A sender is check.Sender as JSON.
type sender struct {
	place
	Kind  string `json:"kind"`
	From  string `json:"from"`
	Known bool   `json:"known"` // the file names the same
}

// A place is rows.Where as JSON.
type place struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Row    *int64 `json:"row,omitempty"`
	Offset *int64 `json:"offset,omitempty"`
	Block  *int32 `json:"block,omitempty"`
	Index  *int   `json:"index,omitempty"` // of the transaction in its block
	Tx     string `json:"tx,omitempty"`
	Input  *int   `json:"input,omitempty"`
	Event  string `json:"event,omitempty"`
}

func newPlace(w *rows.Where) place {
	out := place{File: w.File, Line: w.Line, Tx: w.Tx, Event: w.Event}
	if w.Row >= 0 {
		out.Row = &w.Row
	}
	if w.Offset >= 0 {
		out.Offset = &w.Offset
	}
	if w.Block >= 0 {
		out.Block = &w.Block
	}
	if w.Index >= 0 {
		out.Index = &w.Index
	}
	if w.Input >= 0 {
		out.Input = &w.Input
	}
	return out
}

func newFailure(f *check.Failure) failure {
	return failure{newPlace(&f.Where), f.Kind, f.Signature, f.Verdict.String(), f.Reason}
}

// A report writes failures as they come and the summary at the end, as text or
// as one JSON document. It implements check.Reporter.
type report struct {
	out     *bufio.Writer // flushed after every batch
	err     io.Writer
	oneFile bool // its name need not stand before every sender
	asJSON  bool
	bar     *progressBar
	start   time.Time
	listed  int64
	errors  []string
	array   string // the JSON array that is being written, or empty
	waiting spool  // the elements of the other one
	device  *accelerator

	mu      sync.Mutex // the reading goroutine says what it opened
	files   int64
	formats []string
}

func (r *report) opened(f format) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files++
	if !slices.Contains(r.formats, string(f)) {
		r.formats = append(r.formats, string(f))
	}
}

func (r *report) Failure(f *check.Failure) {
	r.listed++
	r.bar.hide()
	if r.asJSON {
		r.element("failures", jsonLine(newFailure(f)))
		return
	}
	what := f.Where.String()
	if f.Kind != "" {
		what += ": " + f.Kind
	}
	if f.Signature > 0 {
		what += fmt.Sprintf(" signature %d", f.Signature)
	}
	r.line(fmt.Sprintf("%s: %s: %s", what, f.Verdict, f.Reason))
}

// line writes a line of the text. Whatever is in it, it stays one line, and
// nothing in it is an order to a terminal.
func (r *report) line(text string) {
	io.WriteString(r.out, printable.Text(text))
	r.out.WriteByte('\n')
}

func (r *report) Sender(s *check.Sender) {
	r.bar.hide()
	if r.asJSON {
		r.element("senders", jsonLine(sender{newPlace(&s.Where), s.Kind, fmt.Sprintf("0x%x", s.Address),
			s.Known}))
		return
	}
	where := s.Where
	where.Line, where.Offset = 0, -1
	text := where.String()
	if r.oneFile {
		text = strings.TrimPrefix(text, where.File+": ")
	}
	r.line(fmt.Sprintf("%s: from 0x%x", text, s.Address))
}

// element adds to an array of the JSON document. The array that begins first is
// written as it comes; the other one waits for its end.
func (r *report) element(array, text string) {
	switch r.array {
	case "":
		r.array = array
		fmt.Fprintf(r.out, "{\n  %q: [\n    %s", array, text)
	case array:
		io.WriteString(r.out, ",\n    "+text)
	default:
		if r.waiting.any() {
			text = ",\n    " + text
		}
		r.waiting.add(text)
	}
}

// jsonLine is v as JSON in one line.
func jsonLine(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // plain structs of strings and numbers
	}
	return string(printable.JSON(bytes.TrimSpace(b.Bytes())))
}

func (r *report) Unreadable(err error) {
	r.bar.hide()
	r.out.Flush()
	r.errors = append(r.errors, err.Error())
	fmt.Fprintf(r.err, "koblitz: %s\n", printable.Text(err.Error()))
}

// Fault is listed with what could not be read: the exit status cannot be 0.
func (r *report) Fault(err error) { r.Unreadable(err) }

func (r *report) Progress(t *check.Totals, consumed int64) {
	r.tellDevice()
	if r.out.Buffered() > 0 {
		r.out.Flush()
	}
	r.bar.set(t.Rows(), consumed)
}

// tellDevice says once that the device failed.
func (r *report) tellDevice() {
	if err := r.device.takeFailure(); err != nil {
		r.bar.hide()
		r.out.Flush()
		fmt.Fprintf(r.err, "koblitz: %s\n", deviceFailure(err))
	}
}

// finish writes the summary and returns the exit status.
func (r *report) finish(t check.Totals, interrupted bool) int {
	r.bar.hide()
	r.tellDevice()
	if err := r.waiting.err; err != nil {
		r.Unreadable(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	seconds := time.Since(r.start).Seconds()
	s := summary{
		Files: r.files, Formats: r.formats,
		Rows: t.Rows(), Valid: t.Valid, Invalid: t.Invalid, Malformed: t.Malformed,
		EngineChecked: t.EngineChecked, NotCheckable: t.NotCheckable, Recovered: t.Recovered,
		PassedOver: t.PassedOver,
		Unsigned:   t.Unsigned, UnsignedData: t.UnsignedData,
		Unlisted: t.Invalid + t.Malformed + t.NotCheckable + t.UnsignedData - r.listed,
		Time:     seconds, Rate: float64(t.Rows()) / max(seconds, 1e-9),
		Interrupted: interrupted, Device: r.device.share(),
	}
	switch {
	case interrupted:
		s.Exit = exitInterrupted
	case t.Invalid+t.Malformed > 0:
		s.Exit = exitInvalid
	case len(r.errors) > 0:
		s.Exit = exitUnreadable
	case t.NotCheckable+t.UnsignedData > 0:
		s.Exit = exitNotCheckable
	}
	if r.asJSON {
		if err := r.finishJSON(&s); err != nil {
			r.Unreadable(err)
			s.Exit = exitUnreadable // the document is broken
		}
	} else {
		r.finishText(&s)
	}
	r.out.Flush()
	return s.Exit
}

func (r *report) finishJSON(s *summary) error {
	other := "senders"
	switch r.array {
	case "":
		io.WriteString(r.out, "{\n  \"failures\": [],\n")
	case "senders":
		other = "failures"
		fallthrough
	default:
		io.WriteString(r.out, "\n  ],\n")
	}
	if r.waiting.any() {
		fmt.Fprintf(r.out, "  %q: [\n    ", other)
		if err := r.waiting.writeTo(r.out); err != nil {
			return err
		}
		io.WriteString(r.out, "\n  ],\n")
	} else {
		fmt.Fprintf(r.out, "  %q: [],\n", other)
	}
	rest := struct {
		Unreadable []string `json:"unreadable"`
		*summary
	}{r.errors, s}
	if rest.Unreadable == nil {
		rest.Unreadable = []string{}
	}
	if s.Formats == nil {
		s.Formats = []string{}
	}
	b, err := json.MarshalIndent(rest, "", "  ")
	if err != nil {
		panic(err) // plain structs of strings and numbers
	}
	r.out.Write(append(printable.JSON(bytes.TrimPrefix(b, []byte("{\n"))), '\n'))
	return nil
}

func (r *report) finishText(s *summary) {
	if s.Unlisted > 0 {
		fmt.Fprintf(r.out, "… and %d more (--max-failures -1 lists all)\n", s.Unlisted)
	}
	if s.Interrupted {
		r.out.Flush()
		fmt.Fprintln(r.err, "koblitz: interrupted; this is what was checked before")
	}
	label := func(v rows.Verdict) string { return v.String() }
	for _, x := range []struct {
		name string
		n    int64
	}{
		{"rows", s.Rows},
		{label(rows.Valid), s.Valid},
		{label(rows.Invalid), s.Invalid},
		{label(rows.Malformed), s.Malformed},
		{label(rows.EngineChecked), s.EngineChecked},
		{label(rows.NotCheckable), s.NotCheckable},
		{label(rows.Recovered), s.Recovered},
		{label(rows.Unsigned), s.Unsigned},
		{label(rows.PassedOver), s.PassedOver},
	} {
		fmt.Fprintf(r.out, "%-14s %d\n", x.name, x.n)
	}
	if s.Device != nil {
		r.line(fmt.Sprintf("%-14s %v", "device", s.Device))
	}
	fmt.Fprintf(r.out, "%-14s %.3g s\n", "time", s.Time)
	fmt.Fprintf(r.out, "%-14s %.0f/s\n", "rate", s.Rate)
}
