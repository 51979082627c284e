// Package report formats a run as Markdown.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// Write writes report.md and run.json to folder dir.
func Write(dir string, r *harness.Run) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "run.json"), raw, 0o644); err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("# How fast koblitz is\n\n")
	Text(&b, r)
	return os.WriteFile(filepath.Join(dir, "report.md"), b.Bytes(), 0o644)
}

// Text writes the report on a run to w, in Markdown.
func Text(w io.Writer, r *harness.Run) {
	fmt.Fprintf(w, "%s\n\n", r.Notice())
	for _, line := range head(r) {
		fmt.Fprintf(w, "- %s\n", line)
	}
	for _, t := range tables(r) {
		fmt.Fprintf(w, "\n## %s\n\n%s\n\n", t.Title, t.Note)
		write(w, t.Rows)
	}
	fmt.Fprint(w, "\n## Everything measured\n\n")
	all := [][]string{{"operation", "peer", "time", "koblitz is faster", "lowest to highest",
		"allocations", "remark"}}
	for _, o := range r.Operations {
		all = append(all, rows(marked(r, o.Title, o), o)...)
	}
	write(w, all)
}

// write writes a table in Markdown. The first row is its head.
func write(w io.Writer, rows [][]string) {
	aligned := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	for i, r := range rows {
		fmt.Fprintf(aligned, "| %s\t|\n", strings.Join(r, "\t| "))
		if i == 0 {
			fmt.Fprintf(aligned, "|%s\n", strings.Repeat("---\t|", len(r)))
		}
	}
	aligned.Flush()
}

// marked returns text. It appends harness.Mark if the measurements of the operation are doubtful.
func marked(r *harness.Run, text string, o harness.Operation) string {
	if r.Doubtful(o) {
		return text + harness.Mark
	}
	return text
}

// head returns lines that describe the machine, the settings and the peers of a run.
func head(r *harness.Run) []string {
	m := r.Machine
	s := []string{
		fmt.Sprintf("%s, %d cores, %s/%s, %s; %s", m.CPU, m.Cores, m.OS, m.Arch, m.Go, m.Flags),
		fmt.Sprintf("koblitz: %s. One thread. %d rounds of %v through all peers, "+
			"the median of slices of half a millisecond of CPU time in each; %s, %v.",
			m.Koblitz, r.Settings.Rounds, r.Settings.Each,
			m.Began.Format("2006-01-02 15:04 UTC"), m.Took),
		fmt.Sprintf("Clock, estimated: %.2f GHz at first, %.2f to %.2f during the run.",
			m.GHzFirst, m.GHzLow, m.GHzHigh),
	}
	if r.Settings.Quick {
		s[1] += " A quick run, of fewer operations."
	}
	for _, p := range r.Peers {
		line := p.Name + " " + p.Version
		if p.Note != "" {
			line += ": " + p.Note
		}
		s = append(s, line)
	}
	for _, l := range r.LeftOut {
		s = append(s, l.String())
	}
	return s
}

// rows returns the measurements of each peer in one operation.
func rows(title string, o harness.Operation) (all [][]string) {
	base, ok := o.Of(peer.Koblitz)
	for _, r := range o.Results {
		ratio, spread, allocs := "", "", "not counted"
		if ok && r.Peer != peer.Koblitz {
			m, low, high := r.Ratio(base)
			ratio, spread = fmt.Sprintf("%.2f", m), fmt.Sprintf("%.2f to %.2f", low, high)
		}
		if !r.Outside {
			allocs = fmt.Sprintf("%.0f", r.Allocs)
			if r.Bytes >= 1 {
				allocs += fmt.Sprintf(" (%.0f B)", r.Bytes)
			}
		}
		remarks := slices.DeleteFunc([]string{string(r.Timing), r.Note}, func(s string) bool {
			return s == ""
		})
		all = append(all, []string{title, r.Peer, harness.Nanoseconds(r.NS()), ratio, spread, allocs,
			strings.Join(remarks, "; ")})
	}
	return all
}
