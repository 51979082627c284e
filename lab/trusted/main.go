// Command trusted lists the code that a call trusts: the functions that run, Go and assembly, and
// the declarations that they use. It updates the table of docs/trusted-base.md, or prints each
// function of one call:
//
//	go run ./lab/trusted -page docs/trusted-base.md
//	go run ./lab/trusted -call ecdsa.Sign -level ADX
//
// It builds the program in the folder subject with counters, runs each call at each level of the
// CPU, and reads which statements ran. A kernel ran if a statement that calls it ran.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// calls lists the calls of the subject. The first is the initialisation of packages, before main.
var calls = []string{"start", "ecdsa.Sign", "schnorr.Sign", "koblitz.GenerateKey", "ecdh.SharedX",
	"musig2.Session.Sign", "ecdsa.Verify"}

// A level is a build, the features of the CPU that are turned off, and those that must be left.
type level struct{ name, tags, off, features string }

var levels = []level{
	{"portable", "purego", "", ""},
	{"ADX", "none", "AVX2,SHA-NI", "BMI2 ADX"},
	{"lanes", "none", "FMA,AVX-IFMA",
		"BMI2 ADX AVX2 AVX512F AVX512DQ AVX512VL AVX512VBMI2 AVX512IFMA SHA-NI"},
}

// shown is the level of the table's rows for packages.
const shown = "ADX"

// records maps the names of a level and a call to what ran.
type records map[string]map[string]record

func main() {
	page := flag.String("page", "", "`name` of the page whose table is updated")
	call := flag.String("call", "ecdsa.Sign", "`name` of the call whose functions are printed")
	name := flag.String("level", shown, "`level` of that call: portable, ADX or lanes")
	flag.Parse()
	if err := run(*page, *call, *name); err != nil {
		fmt.Fprintln(os.Stderr, "trusted:", err)
		os.Exit(1)
	}
}

func run(page, call, name string) error {
	if page != "" {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		all, err := recordAll(levels, calls)
		if err != nil {
			return err
		}
		return os.WriteFile(page, []byte(all.update(string(text))), 0o666)
	}
	others := func(l level) bool { return l.name != name }
	all, err := recordAll(slices.DeleteFunc(slices.Clone(levels), others), []string{call})
	if err != nil {
		return err
	}
	if all[name] == nil {
		return fmt.Errorf("there is no level %s, or this CPU lacks it", name)
	}
	fmt.Println("lines kind        secret proven name")
	for _, p := range slices.SortedFunc(maps.Keys(all[name][call]), func(p, q *part) int {
		return cmp.Or(cmp.Compare(p.pkg, q.pkg), cmp.Compare(p.kind, q.kind), cmp.Compare(p.name, q.name))
	}) {
		fmt.Printf("%5d %-11s %-6t %-6t %s.%s\n", p.lines, p.kind, p.secret, p.proven, p.pkg, p.name)
	}
	return nil
}

// recordAll records calls at those of the levels that this CPU has.
func recordAll(levels []level, calls []string) (records, error) {
	dir, err := os.MkdirTemp("", "trusted")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	all := records{}
	for _, l := range levels {
		b, err := newBuild(filepath.Join(dir, l.name), l.tags)
		if err != nil {
			return nil, err
		}
		of := map[string]record{}
		for _, call := range calls {
			if of[call], err = b.record(filepath.Join(dir, l.name+call), call, l); err != nil {
				break
			}
		}
		if err == nil {
			all[l.name] = of
		} else if !errors.Is(err, errLevel) {
			return nil, err
		}
	}
	return all, nil
}

// table returns the lines of the page's table: a row for each package, one for what is outside of
// the library, and some for each level that this CPU has.
func (all records) table() (lines []string) {
	row := func(level, name string, cell func(r record) string, last string) {
		line := "| " + name + " | "
		for _, call := range calls {
			line += cell(all[level][call]) + " | "
		}
		line = strings.TrimSuffix(line+last+" |", "  |") // without an empty cell at the end
		lines = append(lines, strings.ReplaceAll(line, "  ", " "))
	}
	lines = []string{"| package | " + strings.Join(calls, " | ") + " | checks |",
		strings.Repeat("|---", len(calls)+2) + "|"}
	checks := map[string]string{}
	for _, r := range all[shown] {
		for p := range r {
			if p.kind != outside {
				checks[p.pkg] = p.checks
			}
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(checks)) {
		row(shown, "`"+pkg+"`", func(r record) string {
			return r.lines(func(p *part) bool { return p.pkg == pkg })
		}, checks[pkg])
	}
	row(shown, "others", record.outside, "")
	for _, l := range levels {
		if all[l.name] == nil {
			continue
		}
		row(l.name, l.name+": functions", record.functions, "")
		row(l.name, l.name+": lines", func(r record) string {
			return r.lines(func(*part) bool { return true })
		}, "")
		row(l.name, l.name+": secret", func(r record) string {
			return r.lines(func(p *part) bool { return p.secret })
		}, "")
		if l.name == "portable" {
			continue // it has no assembly
		}
		row(l.name, l.name+": unproven", func(r record) string {
			return r.lines(func(p *part) bool { return p.kind == assembly && !p.proven })
		}, "")
	}
	return lines
}

// outside returns the paths of the packages outside of the library.
func (r record) outside() string {
	paths := map[string]bool{}
	for p := range r {
		if p.kind == outside {
			paths[p.pkg] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(paths)), " ")
}

// functions returns the number of functions in Go and in assembly.
func (r record) functions() string {
	n := 0
	for p := range r {
		if p.kind == function || p.kind == assembly {
			n++
		}
	}
	return fmt.Sprint(n)
}

// lines returns the number of lines of those parts that count accepts: Go+assembly.
func (r record) lines(count func(p *part) bool) string {
	n := map[bool]int{}
	for p := range r {
		if count(p) {
			n[p.kind == assembly] += p.lines
		}
	}
	switch {
	case n[true] > 0:
		return fmt.Sprintf("%d+%d", n[false], n[true])
	case n[false] > 0:
		return fmt.Sprint(n[false])
	}
	return ""
}

// update returns the page with the table in place of its own, whose rows it keeps for levels that
// this CPU lacks.
func (all records) update(page string) string {
	var kept, table []string
	at := 0
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "|") {
			kept = append(kept, line)
			continue
		}
		at = len(kept)
		if level, _, ok := strings.Cut(line, ": "); ok && all[level[2:]] == nil {
			table = append(table, line)
		}
	}
	return strings.Join(slices.Insert(kept, at, append(all.table(), table...)...), "\n") + "\n"
}
