package check

import (
	"bufio"
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/devices"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// TestFailuresShareNoMemory checks that a listed failure keeps no more memory than it needs,
// although the ids of a batch of events are parts of one string.
func TestFailuresShareNoMemory(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	r := &report{asJSON: true, most: -1, keeper: new(keeper)}
	before := heap()
	const n = 200
	for range n {
		ids := strings.Repeat("0", 1<<20)
		r.list(&verify.Row{Where: reading.Where{Event: ids[:64]}})
	}
	if after := heap(); after > before+n*reading.RowSize {
		t.Errorf("%d failures keep %d bytes", n, after-before)
	}
	runtime.KeepAlive(r)
}

// TestFault checks that a computation fault is reported at once and also in the JSON document. The
// exit status must not be 0.
func TestFault(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		var out, said bytes.Buffer
		w := bufio.NewWriter(&out)
		r := &report{out: w, err: &said, asJSON: asJSON, keeper: new(keeper)}
		r.Fault(errors.New("row 7 had two verdicts"))
		if got := said.String(); got != "koblitz: row 7 had two verdicts\n" {
			t.Errorf("said %q", got)
		}
		totals := verify.Counts{Rows: 3, Valid: 3}
		if status := r.finish(totals, false); status != cli.ExitUnreadable {
			t.Errorf("exit status %d", status)
		}
		if asJSON && !strings.Contains(out.String(), `"row 7 had two verdicts"`) {
			t.Errorf("in the document there is only %s", out.String())
		}
	}
}

// TestDeviceFailure checks that a device's failure is reported once, on standard error only, and
// does not change the exit status.
func TestDeviceFailure(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		var out, said bytes.Buffer
		a := &devices.Accelerator{Names: []string{"cuda:0 Fake\x1b[2J"}}
		w := bufio.NewWriter(&out)
		r := &report{out: w, err: &said, asJSON: asJSON, device: a, keeper: new(keeper)}
		r.Progress(new(verify.Counts), 0)
		if said.Len() > 0 {
			t.Errorf("before anything failed: %q", said.String())
		}
		a.Fail(errors.Join(errors.New("launch: error 700"), errors.New("and lost")))
		a.Fail(errors.New("another"))
		r.Progress(new(verify.Counts), 0)
		a.Fail(errors.New("a third"))
		a.Rows.Store(5)
		if status := r.finish(verify.Counts{Rows: 9, Valid: 9}, false); status != cli.ExitOK {
			t.Errorf("exit status %d", status)
		}
		const want = `koblitz: device cuda:0 Fake\x1b[2J: launch: error 700; and lost: ` +
			"what it was to do is done without it\n"
		if said.String() != want {
			t.Errorf("said %q, want %q", said.String(), want)
		}
		share := `device         5 rows by cuda:0 Fake\x1b[2J` + "\n"
		if asJSON {
			share = `"rows": 5` + "\n"
		}
		if !strings.Contains(out.String(), share) || strings.Contains(out.String(), "\x1b") {
			t.Errorf("no %q in %q", share, out.String())
		}
	}
}
