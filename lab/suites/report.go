package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A report is the result of all runs of a suite.
type report struct {
	suite
	verdict
	version       string // version of the replaced module in the run without the drop-in
	base, drop    *outcomes
	before, after time.Duration
}

// details prints which tests failed, with their output.
func (r *report) details(out io.Writer) {
	fmt.Fprintf(out, "=== %s: %s\n", r.name, strings.Join(r.modules, " "))
	fmt.Fprintf(out, "replaced: %s@%s\n", dcrec, r.version)
	for _, name := range slices.Sorted(maps.Keys(r.leftOut)) {
		fmt.Fprintf(out, "left out, %s: %s\n", r.leftOut[name], name)
	}
	for _, t := range r.theirs {
		fmt.Fprintf(out, "theirs, fails without the drop-in too: %s\n%s", t, tail(r.base.output[t]))
	}
	for _, t := range r.healed {
		fmt.Fprintf(out, "theirs, fails without the drop-in alone: %s\n%s", t, tail(r.base.output[t]))
	}
	for _, t := range r.ours {
		if end := r.drop.ended[t]; end != "" {
			fmt.Fprintf(out, "OURS, %s with the drop-in, %s without: %s\n%s",
				end, r.base.ended[t], t, tail(r.drop.output[t]))
		}
	}
	gone := r.missing(r.drop)
	for _, pkg := range slices.Sorted(maps.Keys(gone)) {
		fmt.Fprintf(out, "OURS, missing with the drop-in: %d tests of %s\n%s",
			len(gone[pkg]), pkg, tail(strings.Join(gone[pkg], "\n")))
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped; %d are ours\n",
		r.passed, r.failed, r.skipped, len(r.ours))
}

// tail returns the last 20 lines of output, indented.
func tail(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if more := len(lines) - 20; more > 0 {
		lines = lines[more:]
	}
	return "    " + strings.Join(lines, "\n    ") + "\n"
}

// table prints a table with a line for each suite's report.
func table(out io.Writer, all []report) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "suite\tpackages\tpassed\tfailed\tskipped\t"+
		"ours\ttheirs\twithout\twith\t")
	for _, r := range all {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.0f s\t%.0f s\t\n", r.name, len(r.packages),
			r.passed, r.failed, r.skipped, len(r.ours), len(r.theirs),
			r.before.Seconds(), r.after.Seconds())
	}
	w.Flush()
}
