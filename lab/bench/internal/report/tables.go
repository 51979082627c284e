package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// A table is a summary of the operations of one group, such as points, or of one family, such as
// batches of all sizes.
type table struct {
	Title, Note string
	Rows        [][]string // the head first
}

// tables returns the summaries of a run. A row of a table has koblitz's time for an operation, and
// the ratios of all other peers' times to it.
func tables(r *harness.Run) []table {
	var all []table
	for _, part := range parts(r) {
		t := table{
			Title: part.title, Note: "koblitz' time, and how many times as long the others take.",
		}
		var names []string
		for _, o := range part.operations {
			for _, x := range o.Results {
				if x.Peer != peer.Koblitz && !slices.Contains(names, x.Peer) {
					names = append(names, x.Peer)
				}
			}
		}
		first := "operation"
		if part.family != "" {
			first = "n"
		}
		t.Rows = append(t.Rows, append([]string{first, peer.Koblitz}, names...))
		for _, o := range part.operations {
			title := o.Title
			if part.family != "" {
				title = fmt.Sprint(o.Size)
			}
			base, _ := o.Of(peer.Koblitz) // which has every operation
			row := []string{marked(r, title, o), harness.Nanoseconds(base.NS())}
			for _, name := range names {
				cell := "" // of a peer without the operation
				if x, has := o.Of(name); has {
					m, _, _ := x.Ratio(base)
					cell = times(m)
				}
				row = append(row, cell)
			}
			t.Rows = append(t.Rows, row)
		}
		all = append(all, t)
	}
	return all
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

// A part is a group of operations, or one of the families of operations within a group.
type part struct {
	title, family string
	operations    []harness.Operation
}

func parts(r *harness.Run) (all []part) {
	for _, o := range r.Operations {
		title := o.Group
		if o.Group == peer.Batches {
			title, _, _ = strings.Cut(o.Title, ", n =")
			title = "Many rows, per row: " + title
		}
		if o.Family == "msm-naive" {
			title = "The same, one multiplication after another"
		}
		i := slices.IndexFunc(all, func(p part) bool { return p.title == title })
		if i < 0 {
			i, all = len(all), append(all, part{title: title, family: o.Family})
		}
		all[i].operations = append(all[i].operations, o)
	}
	return all
}
