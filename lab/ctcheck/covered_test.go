package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestListsOfCode: what the lists name is in the library, so that they do not outlive
// it.
func TestListsOfCode(t *testing.T) {
	functions := map[string]string{} // the text of each
	for _, p := range testPackages(t, "valgrind") {
		pkg := p.name()
		if pkg == "" {
			pkg = "koblitz"
		}
		for _, base := range p.GoFiles {
			src, err := os.ReadFile(filepath.Join(p.Dir, base))
			if err != nil {
				t.Fatal(err)
			}
			s, err := parseSource(src)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range s.functions {
				first, last := s.fset.Position(d.Pos()).Line, s.fset.Position(d.End()).Line
				functions[pkg+"."+functionName(d)] = strings.Join(s.lines[first-1:last], "\n")
			}
		}
	}
	for _, names := range publicInside {
		for _, name := range strings.Fields(names) {
			if functions[name] == "" {
				t.Errorf("%s is on the list publicInside and not in the library", name)
			}
		}
	}
	for _, list := range []map[string]string{unrun, unrunPortable, unrunAssembly} {
		for block := range list {
			name, line, _ := strings.Cut(block, ": ")
			if line == "*" && functions[name] == "" ||
				line != "*" && !strings.Contains(functions[name], "\t"+line) {
				t.Errorf("%s does not contain %q", name, line)
			}
		}
	}
}

func TestBlocksNotRun(t *testing.T) {
	const source = `package group

func (p *Point) Neg() {
	if p == nil {
		return
	}
	f()
}

func (p *Point) MultVartime() { f() }

func (p *Point) SetBytes() { f() }
`
	const at = library + "/group/point.go:"
	profile := "mode: set\n" +
		at + "3.23,4.14 1 1\n" + at + "4.14,6.3 1 0\n" + at + "7.2,7.5 1 0\n" +
		at + "10.31,10.36 1 0\n" + at + "12.28,12.33 1 0\n" +
		library + "/internal/vartime/wnaf.go:4.14,6.3 1 0\n" +
		library + "/group/x_decl_amd64.go:4.14,6.3 1 0\n"
	got, err := blocksNotRun(profile, func(name string) ([]byte, error) { return []byte(source), nil })
	want := []string{"group.Point.Neg: if p == nil {", "group.Point.Neg: f()"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := blocksNotRun("mode: set\n", nil); err == nil {
		t.Error("no error for a profile that names nothing")
	}
}

func TestJudgeCoverage(t *testing.T) {
	allowed := map[string]string{"a": "why", "b": "why", "f: *": "why"}
	for _, tt := range []struct {
		blocks []string
		says   string
	}{
		{[]string{"a", "b", "f: x", "f: y"}, ""},
		{[]string{"a", "b", "f: x", "c"}, "NOT RUN by any case, and no reason given: c"},
		{[]string{"a", "b", "f: x", "f.g: x"}, "NOT RUN by any case, and no reason given: f.g: x"},
		{[]string{"b", "f: x"}, "run or gone: a"}, {[]string{"f: x"}, "run or gone: b"},
		{[]string{"a", "b"}, "run or gone: f: *"},
	} {
		var b bytes.Buffer
		ok := judgeCoverage(&b, tt.blocks, allowed)
		if ok != (tt.says == "") || !strings.Contains(b.String(), tt.says) {
			t.Errorf("%q: %v\n%s", tt.blocks, ok, &b)
		}
	}
}

// TestCopyLibrary: files of the overlay stand in the copy in place of the library's.
func TestCopyLibrary(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module x\n", "go.sum": "",
		"a.go": "package a\n", "b/b.go": "package b\n", "b/t.bin": "1",
	} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	packages := []goPackage{
		{
			ImportPath: library + "/b", Dir: filepath.Join(root, "b"),
			GoFiles: []string{"b.go"}, EmbedFiles: []string{"t.bin"},
		},
		{ImportPath: library, Dir: root, GoFiles: []string{"a.go"}},
	}
	changed := overlay{filepath.Join(root, "b", "b.go"): "package c\n"}
	if err := copyLibrary(dir, packages, changed); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, name := range []string{"go.mod", "go.sum", "a.go", "b/b.go", "b/t.bin"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		}
		got[name] = string(b)
	}
	want := map[string]string{
		"go.mod": "module x\n", "go.sum": "",
		"a.go": "package a\n", "b/b.go": "package c\n", "b/t.bin": "1",
	}
	if !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
