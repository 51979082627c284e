package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// A leak is a branch on a secret and a division, which ctcheck inserts into a copy of the library
// at a directive //ct:secret. The subject is built and run again with all leaks, and memcheck must
// report each branch at its line. That shows that memcheck checks the code around the leak, and
// that the operands there are marked as secret. The search for instructions must find each
// division.
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
	file string // path of the package and name of the file, as //line gives it to the compiler
	line int
}

// lines is greater than the number of lines of any file of the library. Go's compiler allows line
// numbers up to a million.
const lines = 5_000

// executions is how often the branch of a leak is executed at most.
const executions = 1000

// plantLeaks adds to the overlay o copies of the packages' files in which leaks are planted. The
// overlay may contain other changes. plantLeaks leaves out leaks in code that no case runs in a
// build with the given tags. It returns the leaks by place, and an error for a leak in a function
// that may leak its arguments, where the search for instructions finds no division.
func (o overlay) plantLeaks(packages []goPackage, tags string) (map[place]*leak, error) {
	places, files := map[place]*leak{}, 0
	sources, err := readSources(packages, o)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		s := sources[name]
		// Valgrind confuses adjacent instructions of two files if they have the same line number, so
		// each file with leaks gets a range of line numbers of its own.
		first, variable := lines*(files+1), fmt.Sprintf("plantedLeaks%d", files)
		file := "/" + name // whether the build has -trimpath or not
		before := len(places)
		for _, d := range s.directives {
			if d.verb != "secret" || s.unrun(d.line, portable(tags)) != nil {
				continue
			}
			if s.mayLeak(d.function) {
				return nil, fmt.Errorf("%s:%d: %v is in a function that may leak", name, d.line, d)
			}
			// Memcheck takes long for a report, even for a repeated one, so later calls leave the
			// branch out.
			count := fmt.Sprintf("%s[%d]", variable, len(places)-before+1)
			s.lines[d.line-1] = fmt.Sprintf("if %s++; %s < %d && (%s) { %s[0] = 1000 / %s }",
				count, count, executions, d.text, variable, count)
			places[place{file, first + d.line}] = &leak{s.pkg, functionName(d.function), d.text}
		}
		if len(places) > before {
			files++
			o[s.path] = fmt.Sprintf("//line %s:%d\n%s\nvar %s [%d]int\n",
				file, first+1, strings.Join(s.lines, "\n"), variable, len(places)-before+1)
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

// foundDivisions returns the leaks with a division beside them that the search for instructions
// found.
func foundDivisions(places map[place]*leak, all []instruction) map[*leak]bool {
	found := map[*leak]bool{}
	for _, i := range all {
		if l := places[i.place]; l != nil {
			found[l] = true
		}
	}
	return found
}
