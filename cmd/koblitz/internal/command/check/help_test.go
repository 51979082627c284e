package check

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// TestPage checks that docs/check.md contains each help topic about check, apart from its options,
// in a block of its own.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(commandtest.Module, "..", "..", "docs", "check.md"))
	if folder, _ := os.Getwd(); errors.Is(err, fs.ErrNotExist) && strings.Contains(folder, "@v") {
		return // in the module cache, where this module has no pages beside it
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range checkTopics() {
		stdout, _ := expect(t, cli.ExitOK, nil, "", "help", topic.name)
		if block := "\n```\n" + stdout + "```\n"; !strings.Contains(string(page), block) {
			t.Errorf("docs/check.md has no block with the output of 'koblitz help %s'", topic.name)
		}
	}
}
