package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sample = `package p

import (
	"fmt"
	"testing"
)

import "os"

const (
	a = iota
	b
)

var c, d = 1, 2

var (
	e = 3
	f = 4
)

type g struct {
	h int
}

// i has a comment.
func i() {
	fmt.Println(j)
}

func (x *g) k() int { return x.h }
`

func TestBlank(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p_test.go")
	if err := os.WriteFile(file, []byte(sample), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line          int
		name, blanked string
	}{
		{4, `import "fmt"`, `"fmt"`},
		{8, `import "os"`, `import "os"`},
		{11, "a", "const (\n\ta = iota\n\tb\n)"},
		{15, "c", "var c, d = 1, 2"},
		{19, "f", "f = 4"},
		{23, "g", "type g struct {\n\th int\n}"},
		{28, "i", "func i() {\n\tfmt.Println(j)\n}"},
		{31, "*g.k", "func (x *g) k() int { return x.h }"},
	} {
		s, err := parse(file, "")
		if err != nil {
			t.Fatal(err)
		}
		dropped := map[string]string{}
		if !s.blank(complaint{"p_test.go", c.line, "first"}, dropped) {
			t.Errorf("line %d is in no declaration", c.line)
		}
		if s.blank(complaint{"p_test.go", c.line, "second"}, dropped) {
			t.Errorf("line %d was blanked twice", c.line)
		}
		if len(dropped) != 1 || dropped[c.name] != "first" {
			t.Errorf("line %d: %v, want %s", c.line, dropped, c.name)
		}
		spaces := strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return ' '
		}, c.blanked)
		if want := strings.Replace(sample, c.blanked, spaces, 1); string(s.text) != want {
			t.Errorf("line %d:\n%s", c.line, s.text)
		}
	}
	s, err := parse(file, "")
	if err != nil {
		t.Fatal(err)
	}
	if s.blank(complaint{"p_test.go", 1, "first"}, map[string]string{}) {
		t.Error("a package clause is a declaration")
	}
}

func TestListed(t *testing.T) {
	r := runner{root: t.TempDir()}
	list := map[test]string{{"p", "TestA"}: "undefined: a", {"q", "TestB"}: "undefined: b"}
	if err := os.MkdirAll(filepath.Join(r.root, filepath.Dir(unreachable("s"))), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := r.list("s", list); err != nil {
		t.Fatal(err)
	}
	other := map[test]string{{"p", "TestA"}: "another reason", {"q", "TestB"}: ""}
	if err := r.listed("s", other); err != nil {
		t.Error(err)
	}
	for what, tests := range map[string]map[test]string{
		"it compiles, and":     {{"p", "TestA"}: ""},
		"it compiles nowhere,": {{"p", "TestA"}: "", {"q", "TestB"}: "", {"q", "TestC"}: ""},
	} {
		if err := r.listed("s", tests); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
}

// TestJoin checks that a test that ran in two places counts as passed only if it passed in both.
func TestJoin(t *testing.T) {
	first, second := test{places[dcrec][0].ours, "TestA"}, test{places[dcrec][2].ours, "TestA"}
	for _, c := range [][3]string{
		{"pass", "fail", "fail"}, {"fail", "pass", "fail"}, {"pass", "skip", "skip"},
		{"pass", "", "pass"}, {"", "pass", "pass"},
	} {
		o := &outcomes{ended: map[test]string{first: c[0], second: c[1]}}
		if got := join(o).ended[test{dcrec, "TestA"}]; got != c[2] {
			t.Errorf("%s and %s make %s, want %s", c[0], c[1], got, c[2])
		}
	}
}
