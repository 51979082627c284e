package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A leak is a branch on a secret, which ctcheck inserts into a copy of the library at a directive
// //ct:leak. The subject is built and run again with all leaks, and memcheck must report each of
// them at its line. That shows that memcheck checks the code around the leak, and that the operands
// there are marked as secret.
//
// The first version of ctcheck missed four leaks: beside a table read that valgrind cannot run, in
// a function that does not mention private keys, and for messages of 32 bytes alone. In the
// packages of compat/impl there is a leak for each secret that a function takes or computes, from
// its arguments to the last value before the result is public. In other packages, the functions
// with a leak were chosen at random, before it was known which functions the check covers.
type leak struct {
	pkg      string // path of the package below the module's path
	function string // F, or T.M for a method of T or *T
	when     string // condition of the planted branch
}

func (l *leak) String() string {
	return strings.TrimPrefix(l.pkg+".", ".") + l.function + ": if " + l.when
}

// A place is a line of a file, where a leak is planted.
type place struct {
	file string // absolute name of the file
	line int
}

// lines is greater than the number of lines of any file of the library. Go's compiler allows line
// numbers up to a million.
const lines = 5_000

// plantLeaks adds to the overlay o copies of the packages' files in which leaks are planted. The
// overlay may contain other changes. plantLeaks leaves out leaks in code that no case runs in a
// build with the given tags. It returns the leaks by place.
func (o overlay) plantLeaks(packages []goPackage, tags string) (map[place]*leak, error) {
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
			// Valgrind confuses adjacent instructions of two files if they have the same line
			// number, so each file with leaks gets a range of line numbers of its own.
			first, variable := lines*(files+1), fmt.Sprintf("plantedLeaks%d", files)
			before := len(places)
			for _, d := range s.directives {
				if d.verb != "leak" || s.unrun(d.line, portable(tags)) != nil {
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

// foundLeaks returns the leaks that memcheck reported at their places while the subject ran a case
// that was not planted. A report during a planted case does not count.
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
