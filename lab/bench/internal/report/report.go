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

// Text writes the report on a run to w, in Markdown: a table for each group or family of
// operations, and one with all results.
func Text(w io.Writer, r *harness.Run) {
	fmt.Fprintf(w, "%s\n\n", notice(r))
	for _, line := range head(r) {
		fmt.Fprintf(w, "- %s\n", line)
	}
	var titles []string
	parts := map[string][]harness.Operation{}
	for _, o := range r.Operations {
		title := section(o)
		if parts[title] == nil {
			titles = append(titles, title)
		}
		parts[title] = append(parts[title], o)
	}
	for _, title := range titles {
		fmt.Fprintf(w, "\n## %s\n\nkoblitz' time, and how many times as long the others take.\n\n",
			title)
		write(w, summary(parts[title]))
	}
	fmt.Fprint(w, "\n## Everything measured\n\n")
	all := [][]string{{"operation", "peer", "time", "koblitz is faster", "lowest to highest",
		"allocations", "remark"}}
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

// section returns the title of the table with an operation: its group, or, for batches, the title
// that its family has.
func section(o harness.Operation) string {
	if o.Group != peer.Batches {
		return o.Group
	}
	family, _, _ := strings.Cut(o.Title, ", n =")
	return "Many rows, per row: " + family
}

// summary returns the table of a section. A row has koblitz' time for an operation, and the ratios
// of all other peers' times to it.
func summary(part []harness.Operation) [][]string {
	var names []string
	for _, o := range part {
		for _, x := range o.Results {
			if x.Peer != peer.Koblitz && !slices.Contains(names, x.Peer) {
				names = append(names, x.Peer)
			}
		}
	}
	first := "operation"
	if part[0].Family != "" {
		first = "n"
	}
	table := [][]string{append([]string{first, peer.Koblitz}, names...)}
	for _, o := range part {
		title := o.Title
		if o.Family != "" {
			title = fmt.Sprint(o.Size)
		}
		table = append(table, ratios(o, title, names))
	}
	return table
}

// ratios returns the row of a table for an operation: the title with the operation's mark,
// koblitz' time, and the ratios of the named peers' times to it.
func ratios(o harness.Operation, title string, names []string) []string {
	base, _ := o.Of(peer.Koblitz) // which has every operation
	row := []string{title + o.Mark(), harness.Nanoseconds(base.NS())}
	for _, name := range names {
		cell := "" // of a peer without the operation
		if x, has := o.Of(name); has {
			m, _, _ := x.Ratio(base)
			cell = times(m)
		}
		row = append(row, cell)
	}
	return row
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
		all = append(all, []string{o.Title + o.Mark(), r.Peer, harness.Nanoseconds(r.NS()), ratio,
			spread, allocs, strings.Join(remarks, "; ")})
	}
	return all
}
