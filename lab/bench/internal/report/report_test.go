package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// sample returns a run with invented results for every operation.
func sample() *harness.Run {
	r := &harness.Run{
		Peers:   []harness.PeerInfo{{Name: peer.Koblitz}, {Name: "libsecp256k1"}, {Name: "dcrec"}},
		LeftOut: []harness.LeftOut{{Name: "rust", Reason: "no cargo <here>"}},
	}
	for i, o := range peer.Operations() {
		op := harness.Operation{ID: o.ID, Title: o.Title, Group: o.Group, Family: o.Family, Size: o.Size}
		for j, p := range r.Peers {
			t := float64(100 + 10*i*(j+1))
			rounds := []float64{t, t * 1.1, t * 0.9}
			op.Results = append(op.Results, harness.Result{Peer: p.Name, Rounds: rounds})
		}
		r.Operations = append(r.Operations, op)
	}
	return r
}

// TestNotice checks that the report begins with a notice on whether the machine was quiet. It must
// mark the disturbed rows and no others.
func TestNotice(t *testing.T) {
	r := sample()
	for _, id := range []string{"field-mul", "msm-64"} {
		i := slices.IndexFunc(r.Operations, func(o harness.Operation) bool { return o.ID == id })
		r.Operations[i].Disturbance = harness.Disturbance{Switches: 150}
	}
	var text strings.Builder
	Text(&text, r)
	notice := r.Notice()
	if want := "at most 150 times a second"; !strings.Contains(notice, want) {
		t.Errorf("no %q in the notice: %s", want, notice)
	}
	after, ok := strings.CutPrefix(text.String(), notice)
	// A disturbed operation is marked in the table of its group or family, and in the list of all
	// measurements once for each of the three peers.
	marks := [2]int{strings.Count(after, "each from the last"+harness.Mark),
		strings.Count(after, "64"+harness.Mark)}
	if want := [2]int{1 + 3, 1 + 3}; !ok || marks != want {
		t.Errorf("%d marks, want %d, in %.400s", marks, want, text.String())
	}
	for i := range r.Operations {
		r.Operations[i].Disturbance = harness.Disturbance{}
	}
	text.Reset()
	Text(&text, r)
	quiet := text.String()
	if !strings.HasPrefix(quiet, "The machine was quiet") || strings.Contains(quiet, harness.Mark) {
		t.Errorf("of a quiet run: %.400s", quiet)
	}
}

// TestTables checks that the report has every table, and in it a row for every operation.
func TestTables(t *testing.T) {
	r := sample()
	var text strings.Builder
	Text(&text, r)
	rows := 0
	for _, x := range tables(r) {
		_, part, ok := strings.Cut(text.String(), "\n## "+x.Title+"\n\n"+x.Note+"\n\n")
		part, _, _ = strings.Cut(part, "\n\n")
		if n := strings.Count(strings.TrimSuffix(part, "\n"), "\n"); !ok || n != len(x.Rows) {
			t.Errorf("table %q has %d lines for %d rows", x.Title, n, len(x.Rows))
		}
		rows += len(x.Rows) - 1
	}
	if rows != len(r.Operations) {
		t.Errorf("%d rows for %d operations", rows, len(r.Operations))
	}
}
