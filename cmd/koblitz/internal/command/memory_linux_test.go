//go:build linux && !race

package command

import (
	"slices"
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
	for _, b := range slices.Concat(bombs, textBombs) {
		if b.format == format && !deep() {
			continue
		}
		format = b.format
		t.Run(b.format+"/"+b.name, b.explode)
	}
}

// explode runs check on a bomb from standard input, in a process with limited memory.
// It compares the exit status and the report with the expected ones.
func (b *bomb) explode(t *testing.T) {
	args := []string{"check"}
	if b.format != "auto" {
		args = append(args, "--format", b.format)
	}
	switch {
	case b.format == "bitcoin-block":
		args = append(args, "--network", "regtest")
	case strings.HasPrefix(b.format, "columns-"):
		args = append(args, "--columns", "message,key,signature")
	}
	args = append(args, b.args...)
	if !strings.HasSuffix(args[len(args)-1], ".file") {
		args = append(args, "-")
	}
	clitest.Explode(t, b.text, b.status, b.words, args...)
}

// raw returns the text of a bomb that consists of copies of data.
func raw(times int, data string) func(*feed) {
	return func(f *feed) { f.Times(times, data) }
}
