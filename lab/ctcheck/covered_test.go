package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestBlocksNotRun(t *testing.T) {
	const source = `package group

func (p *Point) Neg() {
	if p == nil {
		f()
	}
	f()
}

func (p *Point) MultVartime() { f() }

//ct:public parses
func (p *Point) SetBytes() { f() }

func (p *Point) Add() {
	f() //ct:unrun why
	//ct:unrun-portable why
	f()
}

//ct:unrun-assembly why
func load() {
	f()
	f()
}

func refusals(b []byte, k int) error {
	if b == nil {
		return fmt.Errorf("%d bytes", len(b))
	}
	if b == nil {
		return fmt.Errorf("%d", k)
	}
	return errLate
}
`
	const at = library + "/group/point.go:"
	zeros := "mode: set\n" +
		at + "3.23,4.14 1 1\n" + at + "4.14,6.3 1 0\n" + at + "7.2,7.5 1 0\n" +
		at + "10.31,10.36 1 0\n" + at + "13.28,13.33 1 0\n" +
		library + "/internal/vartime/wnaf.go:4.14,6.3 1 0\n"
	refusals := at + "28.14,30.3 1 0\n" + at + "31.14,33.3 1 0\n" + at + "34.2,34.15 1 0\n"
	for _, tt := range []struct {
		more     string
		portable bool
		reasons  []string // expected reasons of the blocks
		stale    []string
	}{
		{"", false, []string{"", ""}, []string{":16: //ct:unrun why", ":21: //ct:unrun-assembly why"}},
		{"", true, []string{"", ""}, []string{":16: //ct:unrun why", ":17: //ct:unrun-portable why"}},
		{at + "16.2,16.5 1 0\n" + at + "18.2,18.5 1 0\n", true, []string{"", "", "why", "why"}, nil},
		{at + "16.2,16.5 1 0\n" + at + "18.2,18.5 1 0\n", false, []string{"", "", "why", ""},
			[]string{":21: //ct:unrun-assembly why"}},
		{at + "16.2,16.5 1 0\n" + at + "23.2,23.5 1 0\n" + at + "24.2,24.5 1 0\n", false,
			[]string{"", "", "why", "why", "why"}, nil},
		{at + "16.2,16.5 1 0\n" + at + "18.2,18.5 1 0\n" + refusals, true,
			[]string{"", "", "why", "why", ""}, nil},
	} {
		blocks, stale, err := blocksNotRun(zeros+tt.more, tt.portable,
			func(name string) ([]byte, error) { return []byte(source), nil })
		if err != nil {
			t.Fatal(err)
		}
		var reasons []string
		for _, b := range blocks {
			reasons = append(reasons, b.reason)
		}
		stale = slices.DeleteFunc(stale, func(s string) bool { return strings.Contains(s, "_decl_") })
		for i := range stale {
			stale[i] = strings.TrimPrefix(stale[i], "group/point.go")
		}
		if !slices.Equal(reasons, tt.reasons) || !slices.Equal(stale, tt.stale) ||
			blocks[0].place != "group/point.go:4: Point.Neg: if p == nil {" {
			t.Errorf("%q, portable %t: %q, %q", tt.more, tt.portable, blocks, stale)
		}
	}
	if _, _, err := blocksNotRun("mode: set\n", false, nil); err == nil {
		t.Error("no error for a profile that names nothing")
	}
}

func TestJudgeCoverage(t *testing.T) {
	for _, tt := range []struct {
		blocks []block
		stale  []string
		says   string
	}{
		{[]block{{"a", "why"}, {"b", "why"}}, nil, ""},
		{[]block{{"a", "why"}, {"c", ""}}, nil, "NOT RUN by any case, and no reason given: c"},
		{nil, []string{"a"}, "RUN, though a directive says that it is not: a"},
	} {
		var b bytes.Buffer
		ok := judgeCoverage(&b, tt.blocks, tt.stale)
		if ok != (tt.says == "") || !strings.Contains(b.String(), tt.says) {
			t.Errorf("%q: %v\n%s", tt.blocks, ok, &b)
		}
	}
}

// TestCopyLibrary checks that a file of the overlay replaces the library's file in the copy of the
// library.
func TestCopyLibrary(t *testing.T) {
	p := onePackage(t, "b", "b.go", "package b\n")
	root, dir := p.Dir, t.TempDir()
	p.Dir, p.EmbedFiles = filepath.Join(root, "b"), []string{"t.bin"}
	files := overlay{
		filepath.Join(root, "go.mod"): "module x\n", filepath.Join(root, "go.sum"): "",
		filepath.Join(root, "a.go"): "package a\n", filepath.Join(root, "b", "t.bin"): "1",
		filepath.Join(root, "b", "b.go"): "package c\n",
	}
	whole := goPackage{ImportPath: library, Dir: root, GoFiles: []string{"a.go"}}
	if err := copyLibrary(dir, []goPackage{p, whole}, files); err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		copied := strings.Replace(name, root, dir, 1)
		if text, err := os.ReadFile(copied); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", copied, text, err)
		}
	}
}
