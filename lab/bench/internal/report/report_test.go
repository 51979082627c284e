package report

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// TestText checks that the report has a row in the summary and one for each result in the last
// table for every operation, and that the notice and the marks name the disturbed rows and no
// others.
func TestText(t *testing.T) {
	r := &harness.Run{
		Peers:   []harness.PeerInfo{{Name: peer.Koblitz}, {Name: "libsecp256k1"}, {Name: "dcrec"}},
		LeftOut: []harness.LeftOut{{Name: "rust", Reason: "no cargo <here>"}},
	}
	for i, o := range peer.Operations() {
		op := harness.Operation{Operation: o}
		for j, p := range r.Peers {
			x := float64(100 + 10*i*(j+1))
			rounds := []float64{x, x * 1.04, x * 0.96}
			op.Results = append(op.Results, harness.Result{Peer: p.Name, Rounds: rounds})
		}
		r.Operations = append(r.Operations, op)
	}
	for _, disturbed := range []string{"", "field-mul", "msm-64"} {
		for i, o := range r.Operations {
			if o.ID == disturbed {
				r.Operations[i].Results[1].Rounds[2] *= 1.2
			}
		}
		var text strings.Builder
		Text(&text, r)
		if quiet := strings.HasPrefix(text.String(), "No row was"); quiet != (disturbed == "") {
			t.Errorf("%q: the report begins with %.80q", disturbed, text.String())
		}
		summaries, all, _ := strings.Cut(text.String(), "\n## Everything measured\n\n")
		if !strings.Contains(summaries, "\n- rust: left out: no cargo <here>\n") {
			t.Errorf("no line on the peer that is left out in %.900s", summaries)
		}
		if n := strings.Count(summaries, "\n| ") - 1; n != len(r.Operations) {
			t.Errorf("%d rows in the summary of %d operations", n, len(r.Operations))
		}
		if n := strings.Count(all, "\n| "); n != 3*len(r.Operations) {
			t.Errorf("%d rows for %d results", n, 3*len(r.Operations))
		}
		marks := regexp.MustCompile(`(?m)^\| (.*?) \* +\|`).FindAllStringSubmatch(text.String(), -1)
		want := map[string]int{"": 0, "field-mul": 4, "msm-64": 8}[disturbed]
		if len(marks) != want {
			t.Errorf("%q: %d marks, want %d: %q", disturbed, len(marks), want, marks)
		}
	}
}

var update = flag.Bool("update", false, "write the tables of docs/performance.md")

// TestPage checks that docs/performance.md has the tables that page makes from the runs in
// docs/runs. The line before a table names its run.
func TestPage(t *testing.T) {
	const docs = "../../../../docs/"
	have, err := os.ReadFile(docs + "performance.md")
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	section := regexp.MustCompile(`(?s)(<!-- run: (\w+) -->\n).*?(<!-- end -->\n)`)
	want := section.ReplaceAllFunc(have, func(part []byte) []byte {
		m := section.FindSubmatch(part)
		var r harness.Run
		raw, err := os.ReadFile(docs + "runs/" + string(m[2]) + ".json")
		if err == nil {
			err = json.Unmarshal(raw, &r)
		}
		if err != nil {
			t.Fatal(err)
		}
		runs++
		return []byte(string(m[1]) + page(&r) + string(m[3]))
	})
	if files, err := os.ReadDir(docs + "runs"); err != nil || len(files) != runs {
		t.Errorf("%d tables of %d runs, %v", runs, len(files), err)
	}
	if *update {
		if err := os.WriteFile(docs+"performance.md", want, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(have) != string(want) {
		t.Error("the tables differ from the runs: go test ./internal/report -run Page -update")
	}
}
