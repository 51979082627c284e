package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMutate plants every error in a small package: the tests find all but the last two, one of
// which is listed.
func TestMutate(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module small\n\ngo 1.25\n",
		"small.go": `package small

func Less(a, b int) bool { return a < b }

func Count(list []int, most int) (n int) {
	for _, x := range list {
		if Less(x, most) {
			n++
			n = n + 0
		}
	}
	return n
}

func Unused() { println() }
`,
		"small_test.go": `package small

import "testing"

func TestCount(t *testing.T) {
	if n := Count([]int{1, 2, 3, 4}, 2); n != 1 {
		t.Fatal(n)
	}
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	known := filepath.Join(t.TempDir(), "known.txt")
	const reason = "small small.go left out: println() // It prints.\n"
	if err := os.WriteFile(known, []byte("# why\n"+reason), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := mutate(&out, []string{"."}, known, 100, 1); err == nil ||
		!strings.HasSuffix(err.Error(), "known.txt does not list 1 errors that survived") {
		t.Error(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	slices.Sort(lines)
	expected := []string{
		"4 of 6 killed",
		"killed   small small.go:3 off by one: a < b",
		"killed   small small.go:7 negated: Less(x, most)",
		"killed   small small.go:7 swapped: x, most",
		"killed   small small.go:8 left out: n++",
		"survived small small.go:15 left out: println()",
		"unlisted small small.go:9 left out: n = n + 0",
	}
	if !slices.Equal(lines, expected) {
		t.Errorf("%s", out.String())
	}
}
