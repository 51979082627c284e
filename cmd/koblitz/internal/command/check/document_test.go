package check

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// TestLists checks that the lists of a JSON report hold every element in order, also with several
// inputs and in lists of no element and of one.
func TestLists(t *testing.T) {
	valid := string(commandtest.BIP340Row(t, 1))
	for _, n := range []int{0, 1, 2, 3000} {
		good := write(t, "good", []byte(strings.Repeat(valid, 5)))
		bad := write(t, "bad", []byte(valid+strings.Repeat("\xff", 128*n)))
		args := []string{"--format", "packed-bip340", "--max-failures", "10000", good, bad, good}
		r := checkJSON(t, "", args...)
		if len(r.Failures) != n || len(r.Inputs) != 3 || r.Unlisted != 0 || r.Rows != int64(n+11) {
			t.Errorf("%d failures: %d, %+v, %+v", n, len(r.Failures), r.Inputs, r.summary)
		}
		for i, f := range r.Failures {
			if f.Verdict != "malformed" || f.File != bad || *f.Row != int64(i+1) {
				t.Fatalf("failure %d: %+v", i, f)
			}
		}
		_, stdout, _ := invoke(t, "", append([]string{"check", "--json"}, args...)...)
		if lines := strings.Count(stdout, "\n    {\""); lines != n+3 || !json.Valid([]byte(stdout)) {
			t.Errorf("%d failures: %d lines with an element", n, lines)
		}
	}
}

// TestFailuresShareNoMemory checks that a listed failure keeps no more memory than it needs,
// although the ids of a batch of events are parts of one string.
func TestFailuresShareNoMemory(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var d document
	before := heap()
	const n = 200
	for range n {
		ids := strings.Repeat("0", 1<<20)
		d.add(&check.Row{Where: rows.Where{Event: ids[:64]}})
	}
	if after := heap(); after > before+n*rows.RowSize {
		t.Errorf("%d failures keep %d bytes", n, after-before)
	}
	runtime.KeepAlive(&d)
}
