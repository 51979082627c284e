// Package report formats a run as text, as Markdown and as an HTML page.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// Text writes the report on a run to w, as tables in plain text.
func Text(w io.Writer, r *harness.Run) {
	fmt.Fprintf(w, "%s\n\n", r.Notice())
	for _, line := range head(r) {
		fmt.Fprintln(w, line)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	group := ""
	for _, o := range r.Operations {
		if o.Family != "" {
			continue
		}
		if o.Group != group {
			group = o.Group
			fmt.Fprintf(t, "\n%s\npeer\ttime\tkoblitz is faster\tlowest to highest\tallocations\t\n", group)
		}
		fmt.Fprintf(t, "  %s\t\t\t\t\t\n", marked(r, o.Title, o))
		for _, c := range rows(o) {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", c.Peer, c.Time, c.Ratio, c.Spread, c.Allocs, c.Remark)
		}
	}
	t.Flush()
	for _, x := range tables(r) {
		if x.Columns[0] != "n" {
			continue
		}
		fmt.Fprintf(w, "\n%s\n%s\n", x.Title, x.Note)
		for _, line := range append([]tableRow{{Cells: x.Columns}}, x.Rows...) {
			fmt.Fprintf(t, "%s\t\n", strings.Join(line.Cells, "\t"))
		}
		t.Flush()
	}
	fmt.Fprintf(w, "\nThe device\n%s", deviceText(r))
}

// deviceText returns the tables for the GPU, or the reason why no GPU was measured.
func deviceText(r *harness.Run) string {
	if r.Device == nil {
		return "left out: " + r.NoDevice + "\n"
	}
	var text strings.Builder
	if r.NoDevice != "" {
		fmt.Fprintf(&text, "not all could be measured: %s\n", r.NoDevice)
	}
	r.Device.Text(&text)
	return text.String()
}

// marked returns text. It appends harness.Mark if the measurements of one of the operations are
// doubtful.
func marked(r *harness.Run, text string, operations ...harness.Operation) string {
	if slices.ContainsFunc(operations, r.Doubtful) {
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

// A row holds the measurements of one peer in one operation, as text.
type row struct{ Peer, Time, Ratio, Spread, Allocs, Remark string }

func rows(o harness.Operation) (all []row) {
	base, ok := o.Of(peer.Koblitz)
	for _, r := range o.Results {
		c := row{Peer: r.Peer, Time: harness.Nanoseconds(r.NS())}
		if ok && r.Peer != peer.Koblitz {
			m, low, high := r.Ratio(base)
			c.Ratio, c.Spread = fmt.Sprintf("%.2f", m), fmt.Sprintf("%.2f to %.2f", low, high)
		}
		if c.Allocs = "not counted"; !r.Outside {
			c.Allocs = fmt.Sprintf("%.0f", r.Allocs)
			if r.Bytes >= 1 {
				c.Allocs += fmt.Sprintf(" (%.0f B)", r.Bytes)
			}
		}
		var remarks []string
		for _, s := range []string{string(r.Timing), r.Note} {
			if s != "" {
				remarks = append(remarks, s)
			}
		}
		c.Remark = strings.Join(remarks, "; ")
		all = append(all, c)
	}
	return all
}
