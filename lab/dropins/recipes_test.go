package dropins

import (
	"os/exec"
	"regexp"
	"testing"
)

// TestRecipes runs the programs in the folder recipes, to which docs/drop-in.md links, and checks
// what they print. CI runs the program user and the page's commands.
func TestRecipes(t *testing.T) {
	programs := map[string]string{
		"children": `^1000 children in .*s\n$`,
		"relay":    `^1000 events in .*s\n$`,
		"senders":  `^300 senders in .*s\n$`,
	}
	for name, output := range programs {
		out, err := exec.Command("go", "run", "./recipes/"+name).CombinedOutput()
		if err != nil || !regexp.MustCompile(output).Match(out) {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}
