package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A leak is a branch on a secret that is put into a copy of the library's own code, where a
// directive says so. The subject is built and run once more with all of them, and each must be
// reported where it stands: that shows that the code around it runs under memcheck, and that
// what it works on there is marked as secret.
//
// Four were not found once: beside a table read that valgrind cannot run, in a function that does
// not speak of private keys, and for messages of 32 bytes alone. In the packages of compat/impl
// there is a leak for each secret that a function takes or computes, from its arguments to the
// last value before the result is public. The others were drawn by lot from the functions of each
// package, before it was known what the check sees of them.
type leak struct {
	pkg      string // the package's path below the module's
	function string // F, or T.M for a method of T or *T
	when     string // the branch's condition
}

func (l *leak) String() string {
	return strings.TrimPrefix(l.pkg+".", ".") + l.function + ": if " + l.when
}

// A place is a line of a file.
type place struct {
	file string // absolute
	line int
}

// lines is more than a file of the library has. The compiler knows a million.
const lines = 5_000

// plantLeaks puts the leaks into o, which may hold files already, and returns where each stands.
func (o overlay) plantLeaks(packages []goPackage) (map[place]*leak, error) {
	places, files := map[place]*leak{}, 0
	for _, p := range packages {
		for _, base := range p.GoFiles {
			name := filepath.Join(p.Dir, base)
			text, ok := o[name]
			if !ok {
				src, err := os.ReadFile(name)
				if err != nil {
					return nil, err
				}
				text = string(src)
			}
			s, err := parseSource([]byte(text))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			// valgrind confuses neighbouring instructions of two files if they have the same line
			// number, so no two files with leaks have common ones.
			first, variable := lines*(files+1), fmt.Sprintf("plantedLeaks%d", files)
			before := len(places)
			for _, d := range s.directives {
				if d.verb != "leak" {
					continue
				}
				s.lines[d.line-1] = fmt.Sprintf("if %s { %s++ }", d.text, variable)
				places[place{name, first + d.line}] = &leak{p.name(), functionName(d.function), d.text}
			}
			if len(places) > before {
				files++
				o[name] = fmt.Sprintf("//line %s:%d\n%s\nvar %s int\n",
					name, first+1, strings.Join(s.lines, "\n"), variable)
			}
		}
	}
	return places, nil
}

// foundLeaks returns the leaks at whose places a report of a leak was made, in a case
// that should have none: one in a planted case is no finding.
func foundLeaks(places map[place]*leak, reports []report) map[*leak]bool {
	found := map[*leak]bool{}
	for i := range reports {
		if name, ok := reports[i].leak(); !ok || strings.HasPrefix(name, planted) {
			continue
		}
		f := reports[i].Stacks[0].Frames[0]
		if l := places[place{filepath.Join(f.Dir, f.File), f.Line}]; l != nil {
			found[l] = true
		}
	}
	return found
}
