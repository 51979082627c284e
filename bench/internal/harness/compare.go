package harness

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/koblitz-go/koblitz/bench/internal/peer"
)

// Compare prints what moved from an older run to this one. Times of two runs are
// never set beside each other: what is compared is the ratio to koblitz that
// each run found for itself. A change counts if the ranges of the rounds do not
// meet.
func Compare(w io.Writer, old, now *Run) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t, "operation\tpeer\tratio then\tnow\tkoblitz is\t")
	for _, o := range now.Operations {
		before, ok := old.Find(o.ID)
		if !ok {
			continue
		}
		base, ok1 := o.Of(peer.Koblitz)
		was, ok2 := before.Of(peer.Koblitz)
		if !ok1 || !ok2 {
			continue
		}
		for _, r := range o.Results {
			b, ok := before.Of(r.Peer)
			if !ok || r.Peer == peer.Koblitz {
				continue
			}
			m1, l1, h1 := b.Ratio(was)
			m2, l2, h2 := r.Ratio(base)
			verdict := "the same, within the noise"
			switch {
			case l2 > h1:
				verdict = fmt.Sprintf("%.0f %% faster", 100*(m2/m1-1))
			case h2 < l1:
				verdict = fmt.Sprintf("%.0f %% slower", 100*(m1/m2-1))
			}
			fmt.Fprintf(t, "%s\t%s\t%.2f (%.2f to %.2f)\t%.2f (%.2f to %.2f)\t%s\t\n", o.ID, r.Peer, m1, l1, h1, m2, l2, h2, verdict)
		}
	}
}
