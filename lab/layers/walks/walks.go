// Package walks is for tests. A walk is a list in ARCHITECTURE.md of the packages through which a
// call passes. Package walks builds programs in which kernels, the lowest arithmetic functions,
// record the stacks of their callers, and searches these stacks for each walk.
package walks

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// MaxHops is the largest number of hops that a call may have. A hop is a step in a stack from a
// function to a function of another package of this repository, which a reader of the code must
// open next. Packages of other modules, and goroutines, do not count.
const MaxHops = 8

// A Walk lists the names of the packages through which a call passes, the outermost first.
type Walk struct {
	Title    string
	Packages []string
}

// Read returns the walks in a page's section "Walks". A walk is a heading of the third level and
// below it a numbered list, with an item for each visit to a package. An item begins with the
// package's name and a colon.
func Read(page string) (walks []Walk, err error) {
	_, section, ok := strings.Cut(page, "\n## Walks\n")
	if !ok {
		return nil, fmt.Errorf("there is no section Walks")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	parts := strings.Split(section, "\n### ")
	for _, part := range parts[1:] {
		title, text, _ := strings.Cut(part, "\n")
		w := Walk{Title: title}
		for _, item := range number.FindAllString(text, -1) {
			m := beginning.FindStringSubmatch(item)
			if m == nil {
				return nil, fmt.Errorf("%s: a package's name and a colon must begin %q", title, item)
			}
			w.Packages = append(w.Packages, m[1])
		}
		if len(w.Packages) == 0 {
			return nil, fmt.Errorf("%s: there is no list", title)
		}
		walks = append(walks, w)
	}
	return walks, nil
}

var (
	number    = regexp.MustCompile(`(?m)^\d+\. .*$`)
	beginning = regexp.MustCompile("^\\d+\\. `([a-z0-9]+)`: ")
)

// Compare returns an error unless one of the stacks equals the walk. It compares a stack from the
// walk's first package on. A stack that has too many hops from there on is also an error.
func (w *Walk) Compare(stacks []Stack) error {
	var closest Stack
	most, found := -1, false
	for _, s := range stacks {
		names := s.names()
		from := slices.Index(names, w.Packages[0])
		if from < 0 {
			continue
		}
		s, names = s[from:], names[from:]
		if hops := len(s) - 1; hops > MaxHops {
			return fmt.Errorf("%s: %d hops:\n%v", w.Title, hops, s)
		}
		n := 0
		for n < len(names) && n < len(w.Packages) && names[n] == w.Packages[n] {
			n++
		}
		found = found || n == len(names) && n == len(w.Packages)
		if n > most {
			closest, most = s, n
		}
	}
	switch {
	case found:
		return nil
	case closest == nil:
		return fmt.Errorf("%s: no kernel was reached from %s", w.Title, w.Packages[0])
	}
	return fmt.Errorf("%s: no call goes this way. The first %d packages are right of:\n%v",
		w.Title, most, closest)
}

// A Stack holds the import paths of the packages on the stack of a call to a kernel, the outermost
// first.
type Stack []string

// parseStack returns the stack for the given names of functions, the outermost first. It leaves out
// functions of other modules.
func parseStack(names []string) (s Stack) {
	for _, name := range names {
		pkg := packageOf(name)
		ours := pkg == "main" || strings.HasPrefix(pkg+"/", module+"/")
		if ours && (len(s) == 0 || s[len(s)-1] != pkg) {
			s = append(s, pkg)
		}
	}
	return s
}

// packageOf returns the import path of a function's package, which is a part of the name that the
// runtime gives to the function.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name
}

// names returns the names of the packages on the stack, which are the last elements of their paths.
func (s Stack) names() []string {
	names := make([]string, len(s))
	for i, pkg := range s {
		names[i] = path.Base(pkg)
	}
	return names
}

// Until returns the part of the stack that ends with package pkg, or nil if the stack does not
// contain pkg.
func (s Stack) Until(pkg string) Stack {
	return slices.Clone(s[:slices.Index(s, pkg)+1])
}

// String returns the stack as a numbered list, in the form of a walk.
func (s Stack) String() string {
	var b strings.Builder
	for i, name := range s.names() {
		fmt.Fprintf(&b, "%d. `%s`\n", i+1, name)
	}
	return b.String()
}
