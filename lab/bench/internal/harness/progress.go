package harness

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// A lines writes one line for each measured operation to w, each in one call of w.Write.
type lines struct {
	w     io.Writer
	now   func() time.Time
	began time.Time
	total int
}

func (l *lines) operation(run *Run, o Operation) {
	id := o.ID
	if run.Doubtful(o) {
		id += Mark
	}
	fields := []string{
		fmt.Sprintf("%*d/%d", len(fmt.Sprint(l.total)), len(run.Operations), l.total),
		fmt.Sprintf("%6v", l.now().Sub(l.began).Round(time.Second)),
		fmt.Sprintf("%-30s", id),
	}
	base, ours := o.Of(peer.Koblitz)
	for _, r := range o.Results {
		value := Nanoseconds(r.NS())
		if ours && r.Peer != peer.Koblitz {
			m, _, _ := r.Ratio(base)
			value = fmt.Sprintf("%.2f", m)
		}
		fields = append(fields, r.Peer+" "+value)
	}
	fmt.Fprintln(l.w, strings.Join(fields, "  "))
}

// Nanoseconds formats a time of ns nanoseconds with a suitable unit.
func Nanoseconds(ns float64) string {
	switch {
	case ns < 1000:
		return fmt.Sprintf("%.3g ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	}
	return fmt.Sprintf("%.4g ms", ns/1e6)
}
