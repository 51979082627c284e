package harness

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
	"github.com/koblitz-go/koblitz/lab/bench/internal/quantile"
)

// Compare prints what has changed between an older run and this one. It compares no times of the
// two runs, only the ratio of every other peer's time to koblitz's within each run. A ratio has
// moved if the ranges of the ratios of its rounds in the two runs do not overlap, and their medians
// differ by more than floor. Koblitz has moved in an operation if most ratios of the operation have
// moved in the same direction. If only some ratios moved, the other peers have changed; Compare
// names these peers too.
func Compare(w io.Writer, old, now *Run) {
	for _, line := range differences(old, now) {
		fmt.Fprintln(w, line)
	}
	var same, fresh []string
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "operation\tkoblitz is\tpeer\tratio then\tnow\t")
	moved := 0
	for _, o := range now.Operations {
		before, ok := old.Find(o.ID)
		if !ok {
			fresh = append(fresh, o.ID)
			continue
		}
		m := compareOperation(before, o)
		verdict := m.verdict()
		if verdict == "" && m.alone() == 0 {
			same = append(same, o.ID)
			continue
		}
		if verdict == "" {
			verdict = "the same"
		} else {
			moved++
		}
		for i, r := range m.ratios {
			if r.apart == 0 && m.alone() > 0 {
				continue
			}
			name := ""
			if i == 0 || m.alone() > 0 {
				name = o.ID
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", name, verdict, r.peer, r.then, r.now, r.remark())
			verdict = ""
		}
	}
	t.Flush()
	fmt.Fprintf(w, "\n%d operations moved. Within the noise: %s.\n", moved, list(same))
	if len(fresh) > 0 {
		fmt.Fprintf(w, "Not in the older run: %s.\n", list(fresh))
	}
}

func list(s []string) string {
	if len(s) == 0 {
		return "none"
	}
	return strings.Join(s, " ")
}

// differences returns a line for each difference between the two runs that makes a comparison
// doubtful: another CPU, toolchain or version, or a disturbed machine.
func differences(old, now *Run) (lines []string) {
	differ := func(what, a, b string) {
		if a != b {
			lines = append(lines, fmt.Sprintf("Another %s: %s then, %s now.", what, a, b))
		}
	}
	differ("CPU", old.Machine.CPU+" "+old.Machine.Flags, now.Machine.CPU+" "+now.Machine.Flags)
	differ("toolchain", old.Machine.Go, now.Machine.Go)
	differ("set of implementations", old.Machine.Koblitz, now.Machine.Koblitz)
	for _, p := range now.Peers {
		for _, q := range old.Peers {
			if p.Name == q.Name {
				differ(p.Name, q.Version, p.Version)
			}
		}
	}
	for _, r := range []struct {
		name string
		run  *Run
	}{{"The older run", old}, {"This run", now}} {
		if !r.run.Quiet() {
			lines = append(lines, r.name+": "+r.run.Notice())
		}
	}
	return lines
}

// A movement holds the ratios of one operation, each from the older and from the newer run.
type movement struct{ ratios []ratio }

// floor is the relative difference that two runs of the same programs may show on a quiet machine.
// Its cause is where the linker and the system place code and data.
const floor = 0.03

type ratio struct {
	peer, then, now string
	factor          float64 // ratio now divided by the ratio then, both medians
	apart           int     // +1: koblitz became faster, −1: slower, 0: neither
}

func (r ratio) remark() string {
	if r.apart == 0 {
		return "within the noise"
	}
	return ""
}

func compareOperation(before, after Operation) (m movement) {
	was, ok1 := before.Of(peer.Koblitz)
	is, ok2 := after.Of(peer.Koblitz)
	if !ok1 || !ok2 {
		return m
	}
	for _, r := range after.Results {
		b, ok := before.Of(r.Peer)
		if !ok || r.Peer == peer.Koblitz || strings.HasPrefix(r.Peer, peer.Koblitz+"/") {
			continue // variants of koblitz move with it, so their ratios show nothing
		}
		m1, l1, h1 := b.Ratio(was)
		m2, l2, h2 := r.Ratio(is)
		x := ratio{
			peer: r.Peer, factor: m2 / m1,
			then: fmt.Sprintf("%.2f (%.2f to %.2f)", m1, l1, h1),
			now:  fmt.Sprintf("%.2f (%.2f to %.2f)", m2, l2, h2),
		}
		switch {
		case l2 > h1 && m2 > m1*(1+floor):
			x.apart = 1
		case h2 < l1 && m1 > m2*(1+floor):
			x.apart = -1
		}
		m.ratios = append(m.ratios, x)
	}
	return m
}

// verdict returns by how many percent koblitz became faster or slower, or "" if it did not move.
func (m movement) verdict() string {
	sum := 0
	var factors []float64
	for _, r := range m.ratios {
		sum += r.apart
		factors = append(factors, r.factor)
	}
	f := quantile.Median(factors)
	switch {
	case 2*sum > len(m.ratios):
		return fmt.Sprintf("%.0f %% faster", 100*(f-1))
	case -2*sum > len(m.ratios):
		return fmt.Sprintf("%.0f %% slower", 100*(1/f-1))
	}
	return ""
}

// alone returns the number of ratios that moved if koblitz did not move, or 0 if it did.
func (m movement) alone() (n int) {
	if m.verdict() != "" {
		return 0
	}
	for _, r := range m.ratios {
		if r.apart != 0 {
			n++
		}
	}
	return n
}
