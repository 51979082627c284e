package check

import (
	"bufio"
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
)

// TestFault checks that a computation fault is reported at once and also in the JSON document. The
// exit status must not be 0.
func TestFault(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		var out, said bytes.Buffer
		w := bufio.NewWriter(&out)
		r := &report{out: w, err: &said, asJSON: asJSON}
		r.Fault(errors.New("row 7 had two verdicts"))
		if got := said.String(); got != "koblitz: row 7 had two verdicts\n" {
			t.Errorf("said %q", got)
		}
		totals := check.Counts{Valid: 3}
		if status := r.finish(totals, false); status != cli.ExitUnreadable {
			t.Errorf("exit status %d", status)
		}
		if asJSON && !strings.Contains(out.String(), `"row 7 had two verdicts"`) {
			t.Errorf("in the document there is only %s", out.String())
		}
	}
}
