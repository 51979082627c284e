package command

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/lab/layers/walks"
)

// TestWalk compares the walk (sequence of function calls) through koblitz check that
// ARCHITECTURE.md describes with the calls that the command makes for its sample. The walk ends at
// package batch, where other walks begin.
func TestWalk(t *testing.T) {
	deepOnly(t, "it builds a program and follows its calls")
	page, err := os.ReadFile(filepath.Join(commandtest.Module, "..", "..", "ARCHITECTURE.md"))
	if folder, _ := os.Getwd(); errors.Is(err, fs.ErrNotExist) && strings.Contains(folder, "@v") {
		return // in the module cache, this module lacks ARCHITECTURE.md
	}
	if err != nil {
		t.Fatal(err)
	}
	all := clitest.Must(walks.Read(string(page)))
	i := slices.IndexFunc(all, func(w walks.Walk) bool { return w.Title == "One `koblitz check`" })
	if i < 0 {
		t.Fatal("the page has no such walk")
	}
	program := clitest.Must(walks.Build(t.TempDir(), "github.com/koblitz-go/koblitz/cmd/koblitz",
		walks.Single))
	recorded := clitest.Must(walks.Record(program, "check", "--sample", "--workers", "1"))
	var stacks []walks.Stack
	for _, s := range recorded {
		// Readers call package batch too, for hashes.
		if slices.Contains(s, "github.com/koblitz-go/koblitz/internal/engine") {
			stacks = append(stacks, s.Until("github.com/koblitz-go/koblitz/batch"))
		}
	}
	if err := all[i].Compare(stacks); err != nil {
		t.Error(err)
	}
}
