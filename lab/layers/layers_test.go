// Package layers is a test. It checks the source of the core against its design rules: which
// packages may import which, which functions the files with secrets may use, no global state, no
// init functions, and no package unsafe in a build with purego.
package layers

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestCore(t *testing.T) {
	found, err := check(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

// TestVariablesExist checks that every variable in variables exists.
func TestVariablesExist(t *testing.T) {
	for name := range variables {
		pkg := path.Dir(name) + "/" + strings.Split(path.Base(name), ".")[0]
		variable := name[strings.LastIndex(name, ".")+1:]
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pkg), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(f string) bool {
			src, err := os.ReadFile(f)
			return err == nil && strings.Contains(string(src), variable)
		}) {
			t.Errorf("%s is on the list and not in the code", name)
		}
	}
}

// TestExceptionsExist checks that every panic in panics exists.
func TestExceptionsExist(t *testing.T) {
	var sources strings.Builder
	for _, dir := range order {
		for _, pkg := range dir {
			files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pkg), "*.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				src, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				sources.Write(src)
			}
		}
	}
	for text := range panics {
		if !strings.Contains(sources.String(), "panic("+strconv.Quote(text)+")") {
			t.Errorf("the panic %q is on the list and not in the code", text)
		}
	}
}

// TestZerosExist checks that every constant in zeros exists.
func TestZerosExist(t *testing.T) {
	for name := range zeros {
		base, constant, _ := strings.Cut(path.Base(name), ".")
		folder := filepath.Join("..", "..", filepath.FromSlash(path.Dir(name)), base)
		if _, err := os.Stat(filepath.Join("..", "..", strings.Split(name, "/")[0])); err != nil {
			continue // the constant's module is not present
		}
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(f string) bool {
			src, err := os.ReadFile(f)
			return err == nil && strings.Contains(string(src), constant)
		}) {
			t.Errorf("%s is on the list and not in the code", name)
		}
	}
}

// TestPlanted applies the rules to a tree that breaks each rule at least once. A file of the tree
// lists each violation in it in a "want:" comment. Files without such a comment must pass. The
// whole tree is one file of testdata, which the test splits, because the Go toolchain leaves out
// folders that look like modules.
func TestPlanted(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "planted.txt"))
	if err != nil {
		t.Fatal(err)
	}
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

	found, err := check(root)
	if err != nil {
		t.Fatal(err)
	}
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
