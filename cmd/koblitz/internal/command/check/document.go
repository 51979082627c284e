package check

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verdicts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// maxJSONFailures is the maximum number of failures in a JSON report. They are kept in memory until
// the report is written at the end. Each takes at most rows.RowSize bytes, so all of them take at
// most 10 MiB.
const maxJSONFailures = 10_000

// writeJSON writes the report as one JSON object: the lists, then the fields of the summary.
func (r *report) writeJSON(s *summary) {
	io.WriteString(r.out, "{\n")
	writeList(r.out, "failures", r.failures, func(row *verify.Row) string {
		return string(verdicts.AppendJSON(nil, row))
	})
	writeList(r.out, "inputs", r.ended, func(in *state.Input) string { return cli.JSONLine(in) })
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // cannot happen: a summary holds only strings, numbers, lists and structs
	}
	r.out.Write(append(reading.PrintableJSON(bytes.TrimPrefix(b, []byte("{\n"))), '\n'))
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
