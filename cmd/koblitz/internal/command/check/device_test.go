package check

import (
	"bufio"
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/devices"
)

// TestDeviceFailure checks that a device's failure is reported once, on standard error only, and
// does not change the exit status.
func TestDeviceFailure(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		var out, said bytes.Buffer
		a := &devices.Accelerator{Names: []string{"cuda:0 Fake\x1b[2J"}}
		w := bufio.NewWriter(&out)
		r := &report{out: w, err: &said, asJSON: asJSON, device: a}
		r.Progress(new(check.Counts), 0)
		if said.Len() > 0 {
			t.Errorf("before anything failed: %q", said.String())
		}
		a.Fail(errors.Join(errors.New("launch: error 700"), errors.New("and lost")))
		a.Fail(errors.New("another"))
		r.Progress(new(check.Counts), 0)
		a.Fail(errors.New("a third"))
		a.Rows.Store(5)
		if status := r.finish(check.Counts{Valid: 9}, false); status != cli.ExitOK {
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
