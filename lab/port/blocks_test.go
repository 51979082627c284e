package port

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var block = regexp.MustCompile("(?s)\\n```go\\n(.*?)\\n```\\n")

// blocks returns the code blocks of a page that contain Go.
func blocks(text string) (all []string) {
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// snippets returns, by file name, the text that follows the package clause in each file of a
// folder.
func snippets(folder string) (map[string]string, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	all := make(map[string]string)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || filepath.Base(name) == "doc.go" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		source := strings.ReplaceAll(string(text), "\r\n", "\n")
		body, ok := strings.CutPrefix(source, "package "+filepath.Base(folder)+"\n\n")
		if !ok {
			return nil, fmt.Errorf("%s does not begin with its package clause", name)
		}
		all[filepath.Base(name)] = strings.TrimSuffix(body, "\n")
	}
	return all, nil
}

// TestBlocks checks that the code blocks of the pages are the files in the folders before and
// after: each file must be a block, and each block a file. A block from before must be directly
// above the block from after with the same name.
func TestBlocks(t *testing.T) {
	before, err := snippets("before")
	if err != nil {
		t.Fatal(err)
	}
	after, err := snippets("after")
	if err != nil {
		t.Fatal(err)
	}
	if len(before) < 8 {
		t.Errorf("only %d snippets", len(before))
	}
	all := blocks(read(t, guide) + read(t, batches))
	used := 0
	for name := range before {
		if after[name] == "" {
			t.Errorf("there is no after/%s", name)
			continue
		}
		i, j := slices.Index(all, before[name]), slices.Index(all, after[name])
		if i < 0 {
			t.Errorf("the pages do not have before/%s", name)
		}
		if j < 0 {
			t.Errorf("the pages do not have after/%s", name)
		}
		if i >= 0 && j >= 0 && j != i+1 {
			t.Errorf("after/%s does not follow before/%[1]s", name)
		}
		used += 2
	}
	if len(after) != len(before) || len(all) != used {
		t.Errorf("%d files before, %d after, %d blocks", len(before), len(after), len(all))
	}
}
