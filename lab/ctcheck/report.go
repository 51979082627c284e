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

// parse returns the errors in the XML output of valgrind's memcheck.
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
	return doc.Errors, nil
}

// Names, and prefixes of names, of functions in valgrind's reports.
const (
	library = "github.com/koblitz-go/koblitz" // prefix of the names of all library functions
	marker  = library + "/internal/ct."       // prefix of the functions that mark secrets
	caller  = "main.runCase"                  // calls the cases of the subject
	planted = "main.planted"                  // prefix of the name of each planted leak
)

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
		if strings.HasPrefix(f.Func, library) {
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

// A verdict is the evaluation of all reports of a run.
type verdict struct {
	levels []string          // implementations and CPU features of each level
	clean  int               // number of cases in which no leak was planted or reported
	found  map[string]bool   // planted leaks that were reported
	missed []string          // planted leaks that were not reported
	leaks  []finding         // leaks in cases without planted leaks
	noise  int               // number of reports that the runtime alone caused
	lost   []*report         // accesses to memory that memcheck considers unallocated
	divide map[string]string // functions with a division, including the planted one
}

// A finding is a leak in a case without planted leaks.
type finding struct {
	name string
	*report
}

func judge(cases []string, reports []report) *verdict {
	v := &verdict{found: map[string]bool{}}
	for i := range reports {
		r := &reports[i]
		name, ok := r.leak()
		switch {
		case strings.HasPrefix(r.Kind, "Leak_"): // unfreed memory does not matter
		case r.isInvalid():
			v.lost = append(v.lost, r)
		case !ok:
			v.noise++
		case strings.HasPrefix(name, planted):
			v.found[name] = true
		default:
			v.leaks = append(v.leaks, finding{name, r})
		}
	}
	for _, name := range cases {
		switch {
		case name == plantedDivision: // memcheck does not report divisions
		case !strings.HasPrefix(name, planted):
			if !slices.ContainsFunc(v.leaks, func(f finding) bool { return f.name == name }) {
				v.clean++
			}
		case !v.found[name]:
			v.missed = append(v.missed, name)
		}
	}
	return v
}

// ok reports whether there is no leak and the result is reliable. If memcheck reports invalid
// accesses, which correct Go code does not make, it has misinterpreted a change of stacks. The data
// on these stacks has then lost its marks, so the result is not reliable.
func (v *verdict) ok() bool {
	return len(v.divide) == 1 && v.divide[plantedDivision] != "" &&
		len(v.leaks) == 0 && len(v.lost) == 0 && len(v.missed) == 0 && len(v.found) > 0 && v.clean > 0
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
	for name, where := range v.divide {
		if name != plantedDivision {
			fmt.Fprintf(w, "DIVISION in %s (%s)\n", name, where)
		}
	}
	if v.divide[plantedDivision] == "" {
		fmt.Fprintln(w, "NOT FOUND, though it was planted: "+plantedDivision)
	}
	for _, name := range v.missed {
		fmt.Fprintf(w, "NOT FOUND, though it was planted: %s\n", name)
	}
	if len(v.lost) > 0 {
		fmt.Fprintf(w, "memcheck lost track of the stacks: %d invalid accesses, the first: %s\n",
			len(v.lost), v.lost[0].describe())
	}
	for _, with := range v.levels {
		fmt.Fprintf(w, "in use: %s\n", with)
	}
	fmt.Fprintf(w, "%d cases in which time does not depend on secrets, %d leaks; "+
		"%d of %d planted leaks found; %d other reports\n",
		v.clean, len(v.leaks), len(v.found), len(v.found)+len(v.missed), v.noise)
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
