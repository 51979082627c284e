package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/lab/measure"
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
		r.Operations[i].Disturbance = harness.Disturbance{Others: 1.5, Switches: 20}
	}
	var text strings.Builder
	Text(&text, r)
	notice := r.Notice()
	if want := "at most 1.50 threads"; !strings.Contains(notice, want) {
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

// TestFigures checks the SVG file of every figure, which report.md must show: it must be
// well-formed XML, and contain the points, the title and the peers' names. All file names
// must differ.
func TestFigures(t *testing.T) {
	dir, r := t.TempDir(), sample()
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	report, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	figures, err := figuresOf(r)
	if err != nil || len(figures) != 6 {
		t.Errorf("%d plots, want 6; %v", len(figures), err)
	}
	// Points are paths that are filled with the colour of a peer. The background is filled too.
	mark := regexp.MustCompile(`<path[^>]*style="fill:#[0-9A-Fa-f]{6}"`)
	for _, f := range figures {
		name := f.fileName()
		if seen[name] || !bytes.Contains(report, []byte("]("+name+")")) {
			t.Errorf("two figures are %s, or report.md does not show it", name)
		}
		seen[name] = true
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for d := xml.NewDecoder(bytes.NewReader(b)); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if c, ok := token.(xml.CharData); ok {
				text += string(c) + "\n"
			}
		}
		for _, k := range f.Names {
			if !strings.Contains(text, k) {
				t.Errorf("%s does not name %s", name, k)
			}
		}
		if got := len(mark.FindAll(b, -1)) - 1; f.Marks == 0 || got != f.Marks {
			t.Errorf("%s: %d marks in the figure, %d in the data", f.Title, got, f.Marks)
		}
		if !strings.Contains(text, f.Title) {
			t.Errorf("%s has no title", name)
		}
	}
}

// TestDeviceText checks the part of the report on a GPU. If the GPU failed during the run, this
// part must have the rows measured before the failure, and the reason. If there was no GPU, it must
// have only the reason.
func TestDeviceText(t *testing.T) {
	rows := &measure.Report{Device: "a device", Rows: []measure.Row{{Section: measure.Field, ID: "mul",
		Title: "multiply", Size: 256, Count: 256,
		Kernel: measure.Spread{Median: 1, Low: 1, High: 1, Runs: 3}}}}
	for _, c := range []struct {
		run  harness.Run
		want []string
	}{
		{harness.Run{Device: rows}, []string{"a device", "multiply"}},
		{harness.Run{Device: rows, NoDevice: "lost"}, []string{"not all", "lost", "a device"}},
		{harness.Run{NoDevice: "lost"}, []string{"left out: lost"}},
	} {
		got := deviceText(&c.run)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in %q", want, got)
			}
		}
		if c.run.NoDevice == "" && strings.Contains(got, "not all") {
			t.Errorf("%q of a device that did not fail", got)
		}
	}
}
