package harness

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cheggaaa/pb/v3"

	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// Progress shows the progress of a run. Bar and Lines return its two implementations.
type Progress interface {
	begin(work)
	round(id string, weight int)     // called after each round of an operation
	operation(run *Run, o Operation) // called after the last round of an operation
	end()
}

// work says how much a run has to measure.
type work struct {
	operations int // number of operations that at least one peer has
	weight     int // estimated duration of all rounds in milliseconds
}

func (run *Run) work(peers []*peer.Peer, ops []peer.Operation) (w work) {
	for _, o := range ops {
		n := 0
		for _, p := range peers {
			if _, ok := o.DriverOf(p); ok {
				n++
			}
		}
		if n > 0 {
			w.operations++
			w.weight += run.Settings.rounds(o) * run.Settings.weight(o) * n
		}
	}
	return w
}

// Bar returns a progress bar for a terminal. After each round it advances by the estimated time of
// the round.
func Bar(w io.Writer) Progress { return &bar{w: w} }

type bar struct {
	w   io.Writer
	bar *pb.ProgressBar
}

func (b *bar) begin(todo work) {
	b.bar = pb.New(todo.weight).SetTemplateString(`{{string . "op"}} {{bar . }} {{percent . }} ` +
		`{{rtime . "%s left" "done in %s" "? left"}}`).SetWriter(b.w).Start()
}

func (b *bar) round(id string, weight int) { b.bar.Set("op", fmt.Sprintf("%-28s", id)).Add(weight) }

func (b *bar) operation(*Run, Operation) {}

func (b *bar) end() { b.bar.Set("op", "").Finish() }

// Lines returns a Progress for outputs other than terminals. It writes one line for each measured
// operation, each in one call of w.Write.
func Lines(w io.Writer) Progress { return &lines{w: w, now: time.Now} }

type lines struct {
	w     io.Writer
	now   func() time.Time
	began time.Time
	total int
}

func (l *lines) begin(w work) { l.began, l.total = l.now(), w.operations }

func (l *lines) round(string, int) {}

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

func (l *lines) end() {}

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
