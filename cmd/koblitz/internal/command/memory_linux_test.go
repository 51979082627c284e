//go:build linux && !race

package command

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

// A feed writes a bomb.
type feed = clitest.Feed

// A bomb is an input that is small or endless and that makes a careless reader use a lot of memory.
type bomb struct {
	name   string
	format string
	text   func(f *feed)
	status int
	words  string // words expected in the report, separated by |; {12} means size(12)
	args   []string
}

// TestMemoryOfEveryInput checks that the command stays within its memory limit on one bomb (hostile
// input) of each format, or on all bombs if deep returns true.
func TestMemoryOfEveryInput(t *testing.T) {
	format := ""
	for _, b := range bombs {
		if b.format == format && !deep() {
			continue
		}
		format = b.format
		t.Run(b.format+"/"+b.name, b.explode)
	}
}

// explode runs check on a bomb in a process with limited memory. It compares the exit status and
// the report with the expected ones.
func (b *bomb) explode(t *testing.T) {
	clitest.Explode(t, b.text, b.status, b.words, b.command()...)
}

// command returns the arguments of a run of check on the bomb, which is read from standard input.
func (b *bomb) command() []string {
	args := []string{"check"}
	if b.format != "auto" {
		args = append(args, "--format", b.format)
	}
	args = append(args, b.args...)
	if !strings.HasSuffix(args[len(args)-1], ".file") {
		args = append(args, "-")
	}
	return args
}

// BenchmarkBombs measures the time of check on each bomb from standard input, a byte and a row.
func BenchmarkBombs(b *testing.B) {
	for _, bomb := range bombs {
		args := append(bomb.command(), "--workers", "1")
		var text bytes.Buffer
		bomb.text(&feed{W: &text, Short: true})
		b.Run(bomb.format+"/"+bomb.name, func(b *testing.B) {
			var out bytes.Buffer
			for b.Loop() {
				out.Reset()
				status := program.RunTo(b.Context(), args, bytes.NewReader(text.Bytes()), &out, io.Discard)
				if status != bomb.status {
					b.Fatal("status", status)
				}
			}
			time := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(time/float64(text.Len()), "ns/byte")
			if m := rowCount.FindSubmatch(out.Bytes()); m != nil {
				rows, _ := strconv.Atoi(string(m[1]))
				b.ReportMetric(time/float64(rows), "ns/row")
			}
		})
	}
}

var rowCount = regexp.MustCompile(`(?m)^rows +([1-9][0-9]*)$`)
