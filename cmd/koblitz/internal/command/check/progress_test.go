package check

import (
	"bytes"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/progress"
)

// TestProgressJSON checks that every line on standard error is a JSON object, that the numbers
// never decrease, and that the field done is true only on the last line.
func TestProgressJSON(t *testing.T) {
	row := commandtest.BIP340Row(t, 1)
	const rows = 5000
	one := write(t, "one", bytes.Repeat(row, rows))
	two := write(t, "two \x1b[2J", bytes.Repeat(row, rows))
	total := int64(2 * rows * len(row))
	for _, more := range [][]string{nil, {"-q"}, {"--json"}} {
		args := append([]string{"check", "--progress", "json", "--format", "packed-bip340"}, more...)
		_, stderr := expect(t, cli.ExitOK, nil, "", append(args, one, two)...)
		var last progress.Advance
		lines, files, offsets := 0, map[string]bool{}, 0
		for line := range strings.Lines(stderr) {
			var a progress.Advance
			clitest.Decode(t, line, &a)
			if a.Rows < last.Rows || a.Bytes < last.Bytes || a.Bytes > total || last.Done ||
				a.Total == nil || *a.Total != total || a.Rate < 0 || a.Left != nil && *a.Left < 0 {
				t.Fatalf("%s after %+v", line, last)
			}
			if lines++; a.Offset != nil {
				offsets++
			}
			files[a.File] = true
			last = a
		}
		if !last.Done || last.Rows != 2*rows || last.Bytes != total || last.Rate == 0 || lines < 10 ||
			offsets < 8 || !files[one] || !files[two] || last.Left == nil || *last.Left != 0 {
			t.Errorf("%d lines, %d offsets, files %v, last %+v", lines, offsets, files, last)
		}
	}
	_, stderr := expect(t, cli.ExitOK, nil, readFile(t, one), "check", "--progress", "json",
		"--format", "packed-bip340", "-")
	if strings.Contains(stderr, "total") || strings.Contains(stderr, "left") {
		t.Errorf("of standard input the size is not known: %s", stderr)
	}
	_, stderr = expect(t, cli.ExitOK, nil, "", "check", "--progress", "none", "--format",
		"packed-bip340", one)
	if stderr != "" {
		t.Errorf("%q", stderr)
	}
}
