package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tempfile"
)

// lists holds the names of the lists in a JSON report. Empty lists are written in this order.
var lists = [...]string{"failures", "senders", "inputs"}

// A document writes a report as one JSON object: the lists, then the fields of the summary. The
// list that gets the first element is written at once. The other lists wait in temporary files
// until the method finish is called.
type document struct {
	out     *bufio.Writer
	space   *tempfile.Space
	first   string // name of the list that is written at once, or empty
	waiting map[string]*tempfile.Spool
}

// add appends v to the list with the given name.
func (d *document) add(list string, v any) {
	text := jsonLine(v)
	switch d.first {
	case "":
		d.first = list
		fmt.Fprintf(d.out, "{\n  %q: [\n    %s", list, text)
	case list:
		io.WriteString(d.out, ",\n    "+text)
	default:
		if d.waiting == nil {
			d.waiting = map[string]*tempfile.Spool{}
		}
		w := d.waiting[list]
		if w == nil {
			w = &tempfile.Spool{Space: d.space}
			d.waiting[list] = w
		}
		if w.Any() {
			text = ",\n    " + text
		}
		w.Add(text)
	}
}

// err returns the first error that was met while storing an element of a waiting list, or nil.
func (d *document) err() error {
	for _, w := range d.waiting {
		if w.Err != nil {
			return w.Err
		}
	}
	return nil
}

// finish writes the lists that waited in temporary files, and the fields of summary.
func (d *document) finish(summary any) error {
	if d.first == "" {
		io.WriteString(d.out, "{\n")
	} else {
		io.WriteString(d.out, "\n  ],\n")
	}
	for _, list := range lists {
		w := d.waiting[list]
		switch {
		case list == d.first:
		case w == nil:
			fmt.Fprintf(d.out, "  %q: [],\n", list)
		default:
			fmt.Fprintf(d.out, "  %q: [\n    ", list)
			if err := w.WriteOut(d.out); err != nil {
				return err
			}
			io.WriteString(d.out, "\n  ],\n")
		}
	}
	b, err := json.MarshalIndent(summary, "", "  ")
	if err != nil {
		panic(err) // cannot happen: summary holds only strings, numbers, lists and structs
	}
	d.out.Write(append(printable.JSON(bytes.TrimPrefix(b, []byte("{\n"))), '\n'))
	return nil
}

// jsonLine returns v as JSON on one line.
func jsonLine(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // cannot happen: v holds only strings, numbers, lists and structs
	}
	return string(printable.JSON(bytes.TrimSpace(b.Bytes())))
}
