package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// A report is one error that memcheck reported.
type report struct {
	Kind  string   `xml:"kind"`
	What  string   `xml:"what"`
	XWhat string   `xml:"xwhat>text"`
	Aux   []string `xml:"auxwhat"`

	// Stacks holds the stack of the error, then the stack where the uninitialised value was
	// created. Each has the innermost frame first.
	Stacks []stack `xml:"stack"`
}

type stack struct {
	Frames []frame `xml:"frame"`
}

type frame struct {
	Func string `xml:"fn"`
	Dir  string `xml:"dir"`
	File string `xml:"file"`
	Line int    `xml:"line"`
}

func (f frame) String() string { return fmt.Sprintf("%s (%s:%d)", f.Func, f.File, f.Line) }

// parse returns the errors in the XML output of valgrind's memcheck, except unfreed memory, which
// does not matter.
func parse(r io.Reader) ([]report, error) {
	var doc struct {
		XMLName xml.Name `xml:"valgrindoutput"`
		Tool    string   `xml:"tool"`
		Errors  []report `xml:"error"`
	}
	if err := xml.NewDecoder(r).Decode(&doc); err != nil {
		return nil, fmt.Errorf("valgrind's report: %w", err)
	}
	if doc.Tool != "memcheck" {
		return nil, fmt.Errorf("valgrind's report is one of %q, not of memcheck", doc.Tool)
	}
	return slices.DeleteFunc(doc.Errors, func(r report) bool {
		return strings.HasPrefix(r.Kind, "Leak_")
	}), nil
}

// Names, and prefixes of names, of functions in valgrind's reports.
const (
	library = "github.com/koblitz-go/koblitz" // prefix of the names of all library functions
	marker  = library + "/internal/ct."       // prefix of the functions that mark secrets
	harness = library + "/lab/ctcheck/cases." // prefix of the functions that run cases
	caller  = harness + "Call"                // calls the cases of the subject
	planted = "main.planted"                  // prefix of the name of each planted leak
)

// slowPlanted lists the planted leaks that memcheck does not report.
var slowPlanted = []string{
	"main.plantedDivision", "main.plantedRoot", "main.plantedProduct", "main.plantedConversion",
}

// finder returns the check that must find the leak of a function, or "" if it is not planted.
func finder(function string) check {
	switch {
	case slices.Contains(slowPlanted, function):
		return instructions
	case strings.HasPrefix(function, planted):
		return branches
	}
	return ""
}

// leak reports whether the report is about a branch, an address or a system call that depends on a
// secret. It returns the name of the case that was running, or "" if no case is on the stack.
//
// A report counts if a frame of the library or of the subject is on its stack, wherever the value
// comes from. Memcheck keeps only one origin of a value that was computed from several, and this
// may be the origin of a public operand: for the sum of a secret nonce and a public number,
// memcheck may name the stack frame that held the public number.
//
// A report without such a frame, from the Go runtime, counts if the origin of the value is a
// function that marks secrets.
func (r *report) leak() (name string, ok bool) {
	switch r.Kind {
	case "UninitCondition", "UninitValue", "SyscallParam":
	default:
		return "", false
	}
	if len(r.Stacks) == 0 {
		return "", false
	}
	frames := r.Stacks[0].Frames
	for i, f := range frames {
		if strings.HasPrefix(f.Func, library) && !strings.HasPrefix(f.Func, harness) {
			ok = true
		}
		if f.Func == caller && i > 0 {
			ok, name = true, frames[i-1].Func
		}
	}
	return name, ok || len(r.Stacks) > 1 &&
		slices.ContainsFunc(r.Stacks[1].Frames, func(f frame) bool {
			return strings.HasPrefix(f.Func, marker)
		})
}

// inPlanted reports whether r is a leak in a planted case.
func (r *report) inPlanted() bool {
	name, ok := r.leak()
	return ok && strings.HasPrefix(name, planted)
}

// isInvalid reports whether r is about an access to memory that memcheck considers unallocated.
func (r report) isInvalid() bool { return strings.HasPrefix(r.Kind, "Invalid") }

// isLost reports whether r shows that memcheck lost track of stacks. It then considers a stack
// unallocated, or it takes a switch to another goroutine's stack, which gogo makes, for an
// allocation on the same stack.
func (r report) isLost() bool {
	if len(r.Stacks) > 1 && len(r.Stacks[1].Frames) > 0 &&
		strings.HasSuffix(r.Stacks[1].Frames[0].Func, "gogo") {
		return true
	}
	return r.isInvalid()
}

// A verdict is the evaluation of all reports and faults of a run.
type verdict struct {
	levels []string                  // implementations and CPU features of each level
	clean  int                       // number of cases in which no leak was planted or reported
	found  map[check]map[string]bool // planted leaks by the check that found them
	missed map[check][]string        // planted leaks that this check must find and did not
	wrong  []string                  // planted leaks that another check found than the one that must
	leaks  []finding                 // leaks in cases without planted leaks
	faults []fault                   // those that were not planted
	noise  int                       // number of reports that the runtime alone caused
	lost   []*report                 // accesses to memory that memcheck considers unallocated
}

// A finding is a leak in a case without planted leaks.
type finding struct {
	name string
	*report
}

// judge evaluates memcheck's reports of cases, and the faults of the program.
func judge(cases []string, reports []report, faults []fault) *verdict {
	v := &verdict{found: map[check]map[string]bool{branches: {}, instructions: {}},
		missed: map[check][]string{}}
	find := func(c check, name string) {
		if v.found[c][name] = true; finder(name) != c {
			v.wrong = append(v.wrong, fmt.Sprintf("%s, by %s", name, c))
		}
	}
	for i := range reports {
		r := &reports[i]
		name, ok := r.leak()
		switch {
		case r.isInvalid():
			v.lost = append(v.lost, r)
		case !ok:
			v.noise++
		case strings.HasPrefix(name, planted):
			find(branches, name)
		default:
			v.leaks = append(v.leaks, finding{name, r})
		}
	}
	for _, f := range faults {
		if finder(f.function) == "" {
			v.faults = append(v.faults, f)
		} else {
			find(instructions, f.function)
		}
	}
	for _, name := range cases {
		if !strings.HasPrefix(name, planted) &&
			!slices.ContainsFunc(v.leaks, func(f finding) bool { return f.name == name }) {
			v.clean++
		}
	}
	for _, name := range cases {
		if c := finder(name); c != "" && !v.found[c][name] {
			v.missed[c] = append(v.missed[c], name)
		}
	}
	return v
}

// ok reports whether there is no leak and the result is reliable. If memcheck reports invalid
// accesses, which correct Go code does not make, it has misinterpreted a change of stacks. The data
// on these stacks has then lost its marks, so the result is not reliable.
func (v *verdict) ok() bool {
	return len(v.leaks)+len(v.faults)+len(v.lost)+len(v.missed)+len(v.wrong) == 0 &&
		len(v.found[branches]) > 0 && len(v.found[instructions]) > 0 && v.clean > 0
}

// mostShown is the largest number of leaks of one case that are described in full. A case that
// prints a secret has hundreds of leaks.
const mostShown = 5

func (v *verdict) print(w io.Writer) {
	shown := map[string]int{}
	for _, f := range v.leaks {
		if shown[f.name]++; shown[f.name] <= mostShown {
			fmt.Fprintf(w, "LEAK in %s: %s\n", f.name, f.describe())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		if more := shown[name] - mostShown; more > 0 {
			fmt.Fprintf(w, "LEAK in %s: %d more\n", name, more)
		}
	}
	for _, f := range v.faults {
		fmt.Fprintf(w, "INSTRUCTION with variable time in %v\n", f)
	}
	for _, name := range slices.Concat(v.missed[branches], v.missed[instructions]) {
		fmt.Fprintf(w, "NOT FOUND, though it was planted: %s\n", name)
	}
	for _, name := range v.wrong {
		fmt.Fprintf(w, "FOUND, though another check must find it: %s\n", name)
	}
	if len(v.lost) > 0 {
		fmt.Fprintf(w, "memcheck lost track of the stacks: %d invalid accesses, the first: %s\n",
			len(v.lost), v.lost[0].describe())
	}
	for _, with := range v.levels {
		fmt.Fprintf(w, "in use: %s\n", with)
	}
	fmt.Fprintf(w, "%d cases in which time does not depend on secrets, %d leaks; %d other reports\n",
		v.clean, len(v.leaks)+len(v.faults), v.noise)
	for _, c := range []check{branches, instructions} {
		fmt.Fprintf(w, "%d of %d planted leaks found by %s\n",
			len(v.found[c]), len(v.found[c])+len(v.missed[c]), c)
	}
}

// describe returns the error, and its stack from the innermost frame to the case.
func (r *report) describe() string {
	var b strings.Builder
	b.WriteString(r.What + r.XWhat)
	for _, f := range r.Stacks[0].Frames {
		if f.Func == caller {
			break
		}
		fmt.Fprintf(&b, "\n    at %v", f)
	}
	for i, aux := range r.Aux {
		fmt.Fprintf(&b, "\n  %s", strings.TrimSpace(aux))
		if i == 0 && len(r.Stacks) > 1 {
			for _, f := range r.Stacks[1].Frames {
				if strings.HasPrefix(f.Func, marker) {
					continue
				}
				fmt.Fprintf(&b, " by %v", f)
				break
			}
		}
	}
	return b.String()
}
