package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/bench/internal/harness"
	"github.com/koblitz-go/koblitz/bench/internal/peer"
)

// sample is a run of every operation by made-up peers.
func sample() *harness.Run {
	r := &harness.Run{Peers: []harness.PeerInfo{{Name: peer.Koblitz}, {Name: "libsecp256k1"}, {Name: "dcrec"}},
		LeftOut: []harness.LeftOut{{Name: "rust", Reason: "no cargo <here>"}}}
	for i, o := range peer.Operations() {
		op := harness.Operation{ID: o.ID, Title: o.Title, Group: o.Group, Family: o.Family, Size: o.Size}
		for j, p := range r.Peers {
			t := float64(100 + 10*i*(j+1))
			op.Results = append(op.Results, harness.Result{Peer: p.Name, Rounds: []float64{t, t * 1.1, t * 0.9}})
		}
		r.Operations = append(r.Operations, op)
	}
	return r
}

// TestPage loads the page in a real browser: every table and every mark is
// there, and the console is silent.
func TestPage(t *testing.T) {
	dir, r := t.TempDir(), sample()
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "report.html")
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "http://", "https://"} {
		text := strings.NewReplacer("http://www.w3.org/2000/svg", "", "http://www.w3.org/1999/xlink", "").Replace(string(html))
		if strings.Contains(text, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium")
	}
	var console strings.Builder
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+filepath.Join(dir, "profile"), "--enable-logging=stderr", "--dump-dom", "file://"+page)
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
	for _, p := range profiles(r) {
		if !strings.Contains(string(dom), p.title) {
			t.Errorf("no published table %q", p.title)
		}
	}
	rows := 0
	for _, x := range tables(r) {
		if !strings.Contains(string(dom), `data-summary="`+strings.NewReplacer("·", "·", "&", "&amp;").Replace(x.Title)+`"`) {
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
	// Bars and points are the paths that are filled with a peer's colour.
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

// TestStandalone: every figure is a well-formed file with its marks, title and
// names, and no two have one name.
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
