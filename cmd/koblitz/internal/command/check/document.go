package check

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verdicts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// maxJSONFailures is the maximum number of failures in a JSON report. They are kept in memory until
// the report is written at the end. Each takes at most rows.RowSize bytes, so all of them take at
// most 10 MiB.
const maxJSONFailures = 10_000

// A document collects the lists of a JSON report.
type document struct {
	failures []verify.Row
	inputs   []inputCounts // grows with the number of files only
}

// add adds a failure to the list.
func (d *document) add(row *verify.Row) {
	kept := *row
	// The ids of many events share memory, and one failure would keep all of it.
	kept.Where.Event = strings.Clone(row.Where.Event)
	d.failures = append(d.failures, kept)
}

// write writes the report as one JSON object: the lists, then the fields of summary.
func (d *document) write(out *bufio.Writer, summary *summary) {
	io.WriteString(out, "{\n")
	writeList(out, "failures", d.failures, func(r *verify.Row) string {
		return string(verdicts.AppendJSON(nil, r))
	})
	writeList(out, "inputs", d.inputs, func(c *inputCounts) string { return cli.JSONLine(c) })
	b, err := json.MarshalIndent(summary, "", "  ")
	if err != nil {
		panic(err) // cannot happen: summary holds only strings, numbers, lists and structs
	}
	out.Write(append(reading.PrintableJSON(bytes.TrimPrefix(b, []byte("{\n"))), '\n'))
}

// writeList writes a field of a JSON object, a list with each element on a line.
func writeList[T any](out *bufio.Writer, name string, list []T, asJSON func(*T) string) {
	fmt.Fprintf(out, "  %q: [", name)
	for i := range list {
		if i > 0 {
			out.WriteByte(',')
		}
		io.WriteString(out, "\n    "+asJSON(&list[i]))
	}
	if len(list) > 0 {
		io.WriteString(out, "\n  ")
	}
	io.WriteString(out, "],\n")
}
