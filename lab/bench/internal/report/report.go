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

// Write writes three files to folder dir: report.md, run.json, and page.json, the part of run.json
// that docs/performance.md needs.
func Write(dir string, r *harness.Run) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, run := range map[string]*harness.Run{"run.json": r, "page.json": onPage(r)} {
		raw, err := json.MarshalIndent(run, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o644); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	b.WriteString("# How fast koblitz is\n\n")
	Text(&b, r)
	return os.WriteFile(filepath.Join(dir, "report.md"), b.Bytes(), 0o644)
}

// Text writes the report on a run to w, in Markdown: a table with the times and ratios of all
// operations, and one with all results.
func Text(w io.Writer, r *harness.Run) {
	fmt.Fprintf(w, "%s\n\n", notice(r))
	for _, line := range head(r) {
		fmt.Fprintf(w, "- %s\n", line)
	}
	fmt.Fprint(w, "\nkoblitz' time, of a row or term if there are many, and how many times as long "+
		"the others take.\n\n")
	var names []string
	for _, p := range r.Peers {
		names = append(names, p.Name)
	}
	write(w, summary(r, names))
	fmt.Fprint(w, "\n## Everything measured\n\n")
	all := [][]string{
		{"operation", "peer", "time", "koblitz is faster", "lowest to highest", "remark"},
	}
	for _, o := range r.Operations {
		all = append(all, rows(o)...)
	}
	write(w, all)
}

// notice returns a sentence that says whether something disturbed the measurements.
func notice(r *harness.Run) string {
	if slices.ContainsFunc(r.Operations, harness.Operation.Doubtful) {
		return "Rows marked * were disturbed: koblitz' time or a ratio was not the same in all rounds, " +
			"but differed from its median by more than 10 %."
	}
	return "No row was disturbed: no time of koblitz and no ratio differed from its median by more " +
		"than 10 % in any round."
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

// head returns lines that describe the machine, the settings and the peers of a run.
func head(r *harness.Run) []string {
	s := []string{r.Machine, "commit " + r.Commit, fmt.Sprintf("One thread. %d rounds of %v through "+
		"all peers, the median of slices of half a millisecond of CPU time in each; %s, %v.",
		r.Settings.Rounds, r.Settings.Each, r.Began.Format("2006-01-02 15:04 UTC"), r.Took)}
	if r.Settings.Quick {
		s[2] += " A quick run, of fewer operations."
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

// summary returns a table with a row for each operation: koblitz' time, and the ratios of the times
// of the named peers to it. It leaves out peers without results.
func summary(r *harness.Run, names []string) [][]string {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return name == peer.Koblitz || !slices.ContainsFunc(r.Operations,
			func(o harness.Operation) bool { _, has := o.Of(name); return has })
	})
	table := [][]string{append([]string{"operation", peer.Koblitz}, names...)}
	for _, o := range r.Operations {
		base, _ := o.Of(peer.Koblitz) // which has every operation
		row := []string{title(o), harness.Nanoseconds(base.NS())}
		for _, name := range names {
			cell := "" // of a peer without the operation
			if x, has := o.Of(name); has {
				m, _, _ := x.Ratio(base)
				cell = times(m)
			}
			row = append(row, cell)
		}
		table = append(table, row)
	}
	return table
}

// title returns the title and the mark of an operation.
func title(o harness.Operation) string {
	if o.Family == peer.Sums {
		return "sum of products, " + o.Title + o.Mark()
	}
	return o.Title + o.Mark()
}

func times(m float64) string {
	switch {
	case m >= 100:
		return fmt.Sprintf("%.0f×", m)
	case m >= 9.995:
		return fmt.Sprintf("%.1f×", m)
	}
	return fmt.Sprintf("%.2f×", m)
}

// rows returns the measurements of each peer in one operation.
func rows(o harness.Operation) (all [][]string) {
	base, ok := o.Of(peer.Koblitz)
	for _, r := range o.Results {
		ratio, spread := "", ""
		if ok && r.Peer != peer.Koblitz {
			m, low, high := r.Ratio(base)
			ratio, spread = fmt.Sprintf("%.2f", m), fmt.Sprintf("%.2f to %.2f", low, high)
		}
		all = append(all, []string{title(o), r.Peer, harness.Nanoseconds(r.NS()), ratio, spread,
			r.Note})
	}
	return all
}
