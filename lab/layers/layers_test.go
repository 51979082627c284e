// Package layers is a test. It checks the source of the core against its design rules: which
// packages may import which, which functions the files with secrets may use, no global state, no
// init functions, and no package unsafe in a build with purego.
package layers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

func TestCore(t *testing.T) {
	found := reference.Must(check(filepath.Join("..", "..")))
	for _, v := range found {
		t.Error(v)
	}
}

// TestPlanted checks the rules on a tree that breaks each rule at least once. A file of the tree
// lists each violation in it in a "want:" comment, and the rules must report exactly these
// violations. The whole tree is one file of testdata, which the test splits, because the Go
// toolchain leaves out folders that look like modules.
func TestPlanted(t *testing.T) {
	text := reference.Must(os.ReadFile(filepath.Join("testdata", "planted.txt")))
	root := t.TempDir()
	var want []string
	for _, part := range strings.Split(string(text), "\n-- ")[1:] {
		rel, src, ok := strings.Cut(part, " --\n")
		if !ok {
			t.Fatalf("no file name before %q", part)
		}
		name := filepath.Join(root, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(src) {
			if _, w, ok := strings.Cut(line, "// want: "); ok {
				want = append(want, rel+": "+strings.TrimSpace(w))
			}
		}
	}
	if len(want) < 20 {
		t.Errorf("only %d planted violations", len(want))
	}

	found := reference.Must(check(root))
	for _, v := range found {
		i := slices.Index(want, v)
		if i < 0 {
			t.Errorf("not planted: %s", v)
			continue
		}
		want = slices.Delete(want, i, i+1)
	}
	for _, w := range want {
		t.Errorf("not found: %s", w)
	}
}
