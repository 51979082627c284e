package dropins

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRecipes checks that the programs in docs/drop-in.md are those in the folder recipes. It runs
// them, and checks that they print what the page says.
func TestRecipes(t *testing.T) {
	page, err := os.ReadFile("../../docs/drop-in.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(page), "\r\n", "\n")
	programs := map[string]string{
		"senders": `^300 senders in .*s\n$`,
		"relay":   `^1000 events in .*s\n$`,
	}
	for name, output := range programs {
		source, err := os.ReadFile(filepath.Join("recipes", name, "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		code := strings.ReplaceAll(string(source), "\r\n", "\n")
		if !strings.Contains(text, "```go\n"+code+"```\n") {
			t.Errorf("docs/drop-in.md does not have recipes/%s/main.go", name)
		}
		out, err := exec.Command("go", "run", "./recipes/"+name).CombinedOutput()
		if err != nil || !regexp.MustCompile(output).Match(out) {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
	if n := strings.Count(text, "```go\n"); n != len(programs) {
		t.Errorf("%d programs on the page, want %d", n, len(programs))
	}
}
