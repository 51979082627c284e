// Package walks compares the walks of ARCHITECTURE.md with what calls do: it builds programs whose
// kernels record the stacks that reach them, and looks for each walk among those. It is for tests.
package walks

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// MaxHops is the most hops that a call may make. A hop is a step from a function of one package of
// this repository to one of another package, as a stack shows it: what a reader has to open
// next. Packages of others do not count, and neither do the goroutines in between.
const MaxHops = 8

// A Walk is the way of one call through the packages.
type Walk struct {
	Title string
	Stops []Stop
}

// A Stop is what a walk says of one visit to a package: the function that the package is entered
// by, as "package.Function" or "package.Type.Method", and functions that this one leads to, without
// the name of the package.
type Stop []string

// Read returns the walks of a page. They stand in its section "Walks": a heading of the third
// level for each, and below it a numbered list with an item for each stop, which begins with the
// functions' names and a colon.
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
		for _, item := range items(text) {
			m := beginning.FindStringSubmatch(item)
			if m == nil {
				return nil, fmt.Errorf("%s: functions' names and a colon must begin %q", title, item)
			}
			w.Stops = append(w.Stops, strings.Split(strings.Trim(m[1], "`"), "` → `"))
		}
		if len(w.Stops) == 0 {
			return nil, fmt.Errorf("%s: there is no list", title)
		}
		walks = append(walks, w)
	}
	return walks, nil
}

var (
	number    = regexp.MustCompile(`^\d+\. `)
	beginning = regexp.MustCompile("^((?:`[A-Za-z0-9_.]+` → )*`[A-Za-z0-9_.]+`): ")
)

// items returns the items of the numbered lists in a text, each on one line, without their numbers.
func items(text string) (all []string) {
	inside := false
	for line := range strings.Lines(text) {
		n := number.FindString(line)
		switch {
		case n != "":
			all = append(all, strings.TrimSpace(line[len(n):]))
			inside = true
		case inside && strings.HasPrefix(line, "   "):
			all[len(all)-1] += " " + strings.TrimSpace(line)
		default:
			inside = false
		}
	}
	return all
}

// Compare returns an error unless the walk is one of the stacks, of which none may make too many
// hops. Only what stands in them from the walk's first function on counts. The walk must name the
// function by which each package is entered, and end where the stack ends.
func (w *Walk) Compare(stacks []Stack) error {
	var closest Stack
	most, found := -1, false
	for _, s := range stacks {
		s = s.from(w.Stops[0][0])
		if s == nil {
			continue
		}
		if hops := len(s) - 1; hops > MaxHops {
			return fmt.Errorf("%s: %d hops:\n%v", w.Title, hops, s)
		}
		n := w.fits(s)
		found = found || n == len(w.Stops) && n == len(s) && w.ends(s)
		if n > most || n == most && len(s) == len(w.Stops) && len(closest) != len(s) {
			closest, most = s, n
		}
	}
	switch {
	case found:
		return nil
	case closest == nil:
		return fmt.Errorf("%s: no kernel was reached from %s", w.Title, w.Stops[0][0])
	}
	return fmt.Errorf("%s: no call goes this way. The first %d stops are right of:\n%v",
		w.Title, most, closest)
}

// fits returns how many of the walk's stops the stack has, from the first one on.
func (w *Walk) fits(s Stack) (n int) {
	for n < len(w.Stops) && n < len(s) && s[n].fits(w.Stops[n]) {
		n++
	}
	return n
}

// ends returns whether the last function of the walk is the last one of the stack.
func (w *Walk) ends(s Stack) bool {
	stop, v := w.Stops[len(w.Stops)-1], s[len(s)-1]
	if last := len(stop) - 1; last > 0 {
		return stop[last] == v.Functions[len(v.Functions)-1]
	}
	return len(v.Functions) == 1
}

// A Stack is the way of a call to a kernel, the outermost package first.
type Stack []Visit

// A Visit is a part of a stack in one package: the path of that, and the functions in the order
// of their calls, each once. Methods are "Type.Method", closures count as the function that they
// stand in.
type Visit struct {
	Package   string
	Functions []string
}

// parseStack returns the stack with these functions, of which those of other modules are left out.
func parseStack(names []string) (s Stack) {
	for _, name := range names {
		pkg, f := parseName(name)
		if pkg != "main" && pkg != module && !strings.HasPrefix(pkg, module+"/") {
			continue
		}
		if n := len(s); n == 0 || s[n-1].Package != pkg {
			s = append(s, Visit{Package: pkg})
		}
		v := &s[len(s)-1]
		if !slices.Contains(v.Functions, f) {
			v.Functions = append(v.Functions, f)
		}
	}
	return s
}

// parseName returns the package and the function that the runtime calls name, as in Visit.
func parseName(name string) (pkg, function string) {
	name = strings.ReplaceAll(name, "[...]", "") // type arguments
	slash := strings.LastIndexByte(name, '/') + 1
	dot := slash + strings.IndexByte(name[slash:], '.')
	parts := strings.Split(name[dot+1:], ".")
	for i, part := range parts {
		part, _, _ = strings.Cut(part, "-range")
		if inner.MatchString(part) {
			parts = parts[:i]
			break
		}
		parts[i] = strings.Trim(part, "(*)")
	}
	return name[:dot], strings.Join(parts, ".")
}

// inner matches the names that the compiler gives to functions inside of others.
var inner = regexp.MustCompile(`^((func|gowrap|deferwrap)?\d+)$`)

// fits returns whether a stop describes the visit.
func (v *Visit) fits(stop Stop) bool {
	if v.name()+"."+v.Functions[0] != stop[0] {
		return false
	}
	rest := v.Functions[1:]
	for _, name := range stop[1:] {
		i := slices.Index(rest, name)
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}

// name returns the name of the package.
func (v *Visit) name() string { return path.Base(v.Package) }

// from returns the part of the stack that begins with a function, or nil if it is not there.
func (s Stack) from(function string) Stack {
	for i, v := range s {
		pkg, name, _ := strings.Cut(function, ".")
		if k := slices.Index(v.Functions, name); k >= 0 && v.name() == pkg {
			return append(Stack{{v.Package, v.Functions[k:]}}, s[i+1:]...)
		}
	}
	return nil
}

// Until returns the part of the stack that ends with the first function of a package, given by
// its path, or nil if the stack does not come there.
func (s Stack) Until(pkg string) Stack {
	for i, v := range s {
		if v.Package == pkg {
			return append(slices.Clone(s[:i]), Visit{pkg, v.Functions[:1]})
		}
	}
	return nil
}

// String returns the stack as the list of a walk.
func (s Stack) String() string {
	var b strings.Builder
	for i, v := range s {
		fmt.Fprintf(&b, "%d. `%s.%s`\n", i+1, v.name(), strings.Join(v.Functions, "` → `"))
	}
	return b.String()
}
