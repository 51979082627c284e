package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testPackages returns the packages that a build of the subject with the given tags contains.
func testPackages(t *testing.T, tags string) []goPackage {
	t.Helper()
	packages, err := listPackages(subjectPackage, tags)
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// TestLeaksHavePlaces checks that every package that secrets reach has a directive //ct:secret.
func TestLeaksHavePlaces(t *testing.T) {
	for _, tags := range []string{"valgrind", "valgrind,purego"} {
		places, err := overlay{}.plantLeaks(testPackages(t, tags), tags)
		if err != nil {
			t.Fatalf("%s: %v", tags, err)
		}
		count := map[string]int{}
		for _, l := range places {
			count[l.pkg]++
		}
		for _, name := range secretPackages {
			if count[name] < 3 {
				t.Errorf("only %d leaks in package %q", count[name], name)
			}
		}
		if len(places) < 175 {
			t.Errorf("%s: only %d leaks", tags, len(places))
		}
	}
}

// onePackage writes a package with a single file, and returns the package's description as go list
// gives it.
func onePackage(t *testing.T, name, base, source string) goPackage {
	t.Helper()
	p := goPackage{ImportPath: library + "/" + name, Dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(p.Dir, base), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(base, ".go") {
		p.GoFiles = []string{base}
	} else {
		p.SFiles = []string{base}
	}
	return p
}

func TestPlantLeaks(t *testing.T) {
	const source = `package group

type T int

func (v *T) F(x int) {
	g()
	//ct:secret x == 1
	h() //ct:unrun why
}

// F has two leaks.
func F(x int) {
	//ct:secret x == 2
	//ct:secret x == 3
	g()
}
`
	p := onePackage(t, "group", "group.go", source)
	other := onePackage(t, "batch", "b.go", "package batch\n")
	name, file := filepath.Join(p.Dir, "group.go"), "/"+p.ImportPath+"/group.go"
	o := overlay{}
	places, err := o.plantLeaks([]goPackage{other, p}, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(places) != 3 || len(o) != 1 {
		t.Errorf("%d places in %v", len(places), o)
	}
	text := strings.Split(o[name], "\n")
	if want := fmt.Sprintf("//line %s:%d", file, lines+1); text[0] != want {
		t.Errorf("the first line is %q, want %q", text[0], want)
	}
	for line, want := range map[int]string{
		7: "group.T.F: if x == 1", 13: "group.F: if x == 2", 14: "group.F: if x == 3",
	} {
		l := places[place{file, lines + line}]
		if l == nil || l.String() != want || !strings.Contains(text[line], "&& ("+l.when+") {") {
			t.Errorf("line %d has %v, want %s:\n%s", line, l, want, o[name])
		}
	}
	// No leak is planted in a build in which, by a directive, no case runs the code.
	const unrun = "//ct:unrun-portable why\n\npackage group\n\nfunc F() {\n\t//ct:secret true\n}\n"
	for tags, want := range map[string]int{"": 1, "valgrind,purego": 0} {
		places, err := overlay{name: unrun}.plantLeaks([]goPackage{p}, tags)
		if err != nil || len(places) != want {
			t.Errorf("tags %q: %d places, want %d, %v", tags, len(places), want, err)
		}
	}
	o = overlay{name: "package group\n\nfunc FVartime() {\n\t//ct:secret true\n}\n"}
	if _, err := o.plantLeaks([]goPackage{p}, ""); err == nil {
		t.Error("no error for a leak in a function that may leak")
	}
	// If the overlay already replaces a file, this replacement must keep its other changes.
	o = overlay{name: "package group\n\nfunc F() {\n\t//ct:secret true\n}\n"}
	if places, err := o.plantLeaks([]goPackage{p}, ""); err != nil || len(places) != 1 {
		t.Errorf("%d places in %v, %v", len(places), o, err)
	}
}

// TestFoundLeaks checks which reports count for a leak that was planted in the library. A report
// during a planted case does not.
func TestFoundLeaks(t *testing.T) {
	l, other := &leak{pkg: "group", function: "F"}, &leak{pkg: "group", function: "G"}
	places := map[place]*leak{{"d/f.go", 7}: l, {"d/f.go", 8}: other, {"e/f.go", 7}: other}
	for _, tt := range []struct {
		kind, inCase string
		origin       []string
		want         bool
	}{
		{"UninitCondition", "main.one", mark, true}, {"UninitValue", "main.one", mark, true},
		{"UninitCondition", "main.one", alloc, true}, {"InvalidRead", "main.one", mark, false},
		{"UninitCondition", "main.plantedOne", mark, false},
	} {
		frames := append([]string{library + "/group.F", tt.inCase}, below...)
		doc := document(xmlReport(tt.kind, frames, tt.origin))
		reports, err := parse(strings.NewReader(doc))
		if err != nil {
			t.Fatal(err)
		}
		if found := foundLeaks(places, reports); found[l] != tt.want || found[other] {
			t.Errorf("%s in %s: %v", tt.kind, tt.inCase, found)
		}
	}
}
