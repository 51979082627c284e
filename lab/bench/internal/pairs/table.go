package pairs

import (
	"fmt"
	"math"
	"strings"

	"github.com/koblitz-go/koblitz/lab/bench/internal/quantile"
)

// ratios returns, for each pair of runs, the old tree's time divided by the new tree's. A ratio
// above 1 means that the new tree is faster.
func (s sequence) ratios() []float64 {
	q := make([]float64, len(s.Old))
	for i := range q {
		q[i] = s.Old[i] / s.New[i]
	}
	return q
}

// slower returns the sequences whose median ratio is less than the argument least.
func slower(all []sequence, least float64) (below []sequence) {
	for _, s := range all {
		if quantile.Median(s.ratios()) < least {
			below = append(below, s)
		}
	}
	return below
}

// table returns the rows as a Markdown table. The time per element is the median of all runs. The
// ratio is the median of the pairs' ratios, with its quartiles. Ratios are rounded down, so that no
// ratio just below a limit is shown as the limit.
func table(all []sequence) string {
	var b strings.Builder
	b.WriteString("| row | old | new | old / new, median | quartiles |\n|---|---|---|---|---|\n")
	for _, s := range all {
		q := s.ratios()
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s to %s |\n", s.Name,
			microseconds(quantile.Median(s.Old)), microseconds(quantile.Median(s.New)),
			ratio(quantile.Median(q)), ratio(quantile.Of(q, 0.25)), ratio(quantile.Of(q, 0.75)))
	}
	return b.String()
}

// verdict returns a line that says whether every median ratio is at least the argument least.
func verdict(all []sequence, least float64) string {
	below := slower(all, least)
	if len(below) == 0 {
		return fmt.Sprintf("The median ratio of every row is at least %v.", least)
	}
	var names []string
	for _, s := range below {
		names = append(names, fmt.Sprintf("%s (%s)", s.Name, ratio(quantile.Median(s.ratios()))))
	}
	return fmt.Sprintf("Below %v: %s.", least, strings.Join(names, ", "))
}

func microseconds(ns float64) string { return fmt.Sprintf("%.3g µs", ns/1000) }

// ratio formats a ratio x with three decimals, rounded down.
func ratio(x float64) string { return fmt.Sprintf("%.3f", math.Floor(x*1000+1e-9)/1000) }
