package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// testPackages returns the library's packages in the build with these tags.
func testPackages(t *testing.T, tags string) []goPackage {
	t.Helper()
	packages, err := libraryPackages(tags)
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// TestLeaksHavePlaces: every leak has a place in the library as it is now, and every
// package that secrets reach has some.
func TestLeaksHavePlaces(t *testing.T) {
	for _, tags := range []string{"valgrind", "valgrind,purego"} {
		places, err := overlay{}.plantLeaks(testPackages(t, tags), leaks)
		if err != nil {
			t.Fatalf("%s: %v", tags, err)
		}
		planted := slices.Collect(maps.Values(places))
		count := map[string]int{}
		for i := range leaks {
			l := &leaks[i]
			count[l.pkg]++
			if (tags == "valgrind" || !l.assembly) != slices.Contains(planted, l) {
				t.Errorf("%s: %v: planted is %v", tags, l, slices.Contains(planted, l))
			}
		}
		for _, name := range secretPackages {
			if count[name] < 3 {
				t.Errorf("only %d leaks in package %q", count[name], name)
			}
		}
	}
}

// onePackage returns a package of one file, as go list would.
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
	p := onePackage(t, "group", "group.go", `package group

type T int

func (v *T) F(x int) {
	g()
	h()
}

func F(x int) { g() }
`)
	name := filepath.Join(p.Dir, "group.go")
	few := []leak{
		{"group", "T.F", "g()", "x == 1", false},
		{"group", "F", "", "x == 2", false},
		{"group", "F", "vector()", "x == 3", true},
		{"group", "Vector", "", "x == 4", true},
	}
	o := overlay{}
	places, err := o.plantLeaks([]goPackage{p}, few)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(o[name], "\n")
	if len(places) != 2 {
		t.Errorf("%d places in\n%s", len(places), o[name])
	}
	for at, l := range places {
		if at.file != name || !strings.HasPrefix(lines[at.line-1], "if "+l.when+" {") {
			t.Errorf("%v is said to be in line %d of %s:\n%s", l, at.line, at.file, o[name])
		}
	}
	for _, bad := range [][]leak{
		{{"group", "G", "", "true", false}},
		{{"group", "T.F", "i()", "true", false}},
		{{"ecdh", "F", "", "true", false}},
		{few[1], few[1]},
	} {
		if _, err := (overlay{}).plantLeaks([]goPackage{p}, bad); err == nil {
			t.Errorf("no error for %v", bad)
		}
	}
}

func TestFoundLeaks(t *testing.T) {
	l, other := &leak{pkg: "group", function: "F"}, &leak{pkg: "group", function: "G"}
	places := map[place]*leak{{"d/f.go", 7}: l, {"d/f.go", 8}: other, {"e/f.go", 7}: other}
	for _, tt := range []struct {
		kind   string
		origin []string
		want   bool
	}{
		{"UninitCondition", mark, true}, {"UninitValue", mark, true},
		{"UninitCondition", alloc, true}, {"InvalidRead", mark, false},
	} {
		frames := append([]string{library + "/group.F", "main.one"}, below...)
		doc := document(xmlReport(tt.kind, frames, tt.origin))
		reports, err := parse(strings.NewReader(doc))
		if err != nil {
			t.Fatal(err)
		}
		if found := foundLeaks(places, reports); found[l] != tt.want || found[other] {
			t.Errorf("%s: %v", tt.kind, found)
		}
	}
}

// TestFoundLeaksOfCases: a leak in the library counts where a case that should have none meets
// it, and not where a planted case does.
func TestFoundLeaksOfCases(t *testing.T) {
	l := new(leak)
	places := map[place]*leak{{"d/f.go", 7}: l}
	for name, want := range map[string]bool{"main.one": true, "main.plantedOne": false} {
		reports, err := parse(strings.NewReader(document(
			xmlReport("UninitCondition", append([]string{library + "/group.f", name}, below...), mark))))
		if err != nil {
			t.Fatal(err)
		}
		if got := foundLeaks(places, reports)[l]; got != want {
			t.Errorf("in %s: found %v", name, got)
		}
	}
}
