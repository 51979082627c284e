package report

import (
	"bytes"
	"encoding/xml"
	"html"
	"io"
	"os"
	"os/exec"
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

// TestNotice checks that the report, as text, Markdown and HTML, begins with a notice on whether
// the machine was quiet. It must mark the disturbed rows and no others.
func TestNotice(t *testing.T) {
	r := sample()
	for _, id := range []string{"field-mul", "msm-64"} {
		i := slices.IndexFunc(r.Operations, func(o harness.Operation) bool { return o.ID == id })
		r.Operations[i].Disturbance = harness.Disturbance{Others: 1.5, Switches: 20}
	}
	dir := t.TempDir()
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	Text(&text, r)
	forms := map[string]string{"text": text.String()}
	for _, name := range []string{"report.md", "report.html"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		forms[name] = html.UnescapeString(string(b))
	}
	notice := r.Notice()
	if want := "at most 1.50 threads"; !strings.Contains(notice, want) {
		t.Errorf("no %q in the notice: %s", want, notice)
	}
	for name, form := range forms {
		before, after, ok := strings.Cut(form, notice)
		if _, body, isPage := strings.Cut(before, "<body>"); isPage {
			before = body
		}
		if !ok || strings.Count(before, "\n") > 3 {
			t.Errorf("%s: the notice is not at the top, but after %q", name, before)
		}
		// A disturbed operation is marked in the table of its group or family, and in the list of
		// all measurements. In Markdown that list has the operation's title once for each of the
		// three peers.
		want := map[string][2]int{"text": {1, 1}, "report.md": {1 + 3, 1 + 3}, "report.html": {2, 2}}
		marks := [2]int{strings.Count(after, "each from the last"+harness.Mark),
			strings.Count(after, "64"+harness.Mark)}
		if marks != want[name] {
			t.Errorf("%s: %d marks, want %d", name, marks, want[name])
		}
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

// TestPage checks in a browser that report.html shows every table, row, bar and point, and that the
// page logs nothing to the console.
func TestPage(t *testing.T) {
	dir, r := t.TempDir(), sample()
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "report.html")
	source, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	namespaces := strings.NewReplacer("http://www.w3.org/2000/svg", "",
		"http://www.w3.org/1999/xlink", "")
	for _, bad := range []string{"<script", "http://", "https://"} {
		text := namespaces.Replace(string(source))
		if strings.Contains(text, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("without chromium: it opens the page")
	}
	var console strings.Builder
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--enable-logging=stderr",
		"--dump-dom", "file://"+page)
	cmd.Stderr = &console
	dom, err := cmd.Output()
	if err != nil {
		t.Fatal(err, console.String())
	}
	if strings.Contains(console.String(), "CONSOLE") {
		t.Errorf("the console says: %s", console.String())
	}
	for _, o := range r.Operations {
		if !strings.Contains(string(dom), `data-operation="`+o.ID+`"`) {
			t.Errorf("no table of %s", o.ID)
		}
	}
	rows := 0
	for _, x := range tables(r) {
		title := strings.NewReplacer("·", "·", "&", "&amp;").Replace(x.Title)
		if !strings.Contains(string(dom), `data-summary="`+title+`"`) {
			t.Errorf("no table %q", x.Title)
		}
		rows += len(x.Rows)
	}
	if got := strings.Count(string(dom), "data-row="); got != rows || rows < len(r.Operations) {
		t.Errorf("%d rows on the page, %d in %d operations", got, rows, len(r.Operations))
	}
	figures := figuresOf(r)
	if len(figures) != 11 {
		t.Errorf("%d plots, want 11", len(figures))
	}
	// Bars and points are paths that are filled with the colour of a peer.
	mark := regexp.MustCompile(`<path[^>]*style="fill:#[0-9A-Fa-f]{6}"`)
	drawn := strings.Split(string(dom), "<figure")[1:]
	for i, f := range figures {
		if got := len(mark.FindAllString(drawn[i], -1)); f.Marks == 0 || got != f.Marks {
			t.Errorf("%s: %d marks on the page, %d in the data", f.Title, got, f.Marks)
		}
		for _, k := range f.Keys {
			if !strings.Contains(strings.ToLower(drawn[i]), k.Color) {
				t.Errorf("%s: nothing in the colour of %s", f.Title, k.Name)
			}
		}
	}
	if got := strings.Count(string(dom), "<figure"); got != len(figures) {
		t.Errorf("%d figures on the page, want %d", got, len(figures))
	}
}

// TestStandalone checks the SVG file of every figure: it must be well-formed XML, and contain the
// bars or points, the title and the peers' names. All file names must differ.
func TestStandalone(t *testing.T) {
	dir, r := t.TempDir(), sample()
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range figuresOf(r) {
		name := f.fileName()
		if seen[name] {
			t.Errorf("two figures are %s", name)
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
		for _, k := range f.Keys {
			if !strings.Contains(text, k.Name) {
				t.Errorf("%s does not name %s", name, k.Name)
			}
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
