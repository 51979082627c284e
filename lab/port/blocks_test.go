package port

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestBlocks compiles the pages' blocks of Go and runs the tests in the folder after, which call
// them. An overlay puts the first block of each pair in a package before, and the second one in a
// package after.
func TestBlocks(t *testing.T) {
	module := reference.Must(os.Getwd())
	block := regexp.MustCompile("(?s)(Before|After):\n\n```go\n(.*?)\n```\n")
	page := read(t, guide) + read(t, batches)
	dir, files, last := t.TempDir(), map[string]string{}, "After"
	for i, m := range block.FindAllStringSubmatch(page, -1) {
		if m[1] == last {
			t.Fatalf("two blocks %s", last)
		}
		last = m[1]
		folder := strings.ToLower(last)
		name := fmt.Sprintf("%s%d.go", folder, i)
		text := fmt.Sprintf("package %s\n\n%s\n", folder, m[2])
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files[filepath.Join(module, folder, name)] = filepath.Join(dir, name)
	}
	if len(files) != strings.Count(page, "```go\n") || len(files) < 16 {
		t.Errorf("%d blocks", len(files))
	}
	overlay := filepath.Join(dir, "overlay.json")
	text := reference.Must(json.Marshal(map[string]any{"Replace": files}))
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	flags := []string{"-overlay", overlay, "-tags", "blocks", "./before", "./after"}
	for _, command := range []string{"vet", "test"} {
		cmd := exec.Command("go", append([]string{command}, flags...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", cmd, err, out)
		}
	}
}
