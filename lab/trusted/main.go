// Command trusted lists the code that a call trusts: the functions that run, Go and assembly, and
// the declarations that they use. It updates the table of docs/trusted-base.md, which needs a CPU
// with all levels, or prints each function of one call:
//
//	go run ./lab/trusted -page docs/trusted-base.md
//	go run ./lab/trusted -call ecdsa.Sign -level ADX
//
// It builds the program in the folder subject with counters, runs each call at each level of the
// CPU, and reads which statements ran. A kernel ran if a statement that calls it ran.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/internal/reference"
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
	if *page != "" {
		text := recordAll(levels, calls).update(string(reference.Must(os.ReadFile(*page))))
		reference.Must(0, os.WriteFile(*page, []byte(text), 0o666))
		return
	}
	i := slices.IndexFunc(levels, func(l level) bool { return l.name == *name })
	if i < 0 || !slices.Contains(calls, *call) {
		log.Fatalf("trusted: there is no call %s, or no level %s", *call, *name)
	}
	parts := recordAll(levels[i:i+1], []string{*call})[*name][*call]
	fmt.Println("lines kind        secret proven name")
	for _, p := range slices.SortedFunc(maps.Keys(parts), func(p, q *part) int {
		return cmp.Or(cmp.Compare(p.pkg, q.pkg), cmp.Compare(p.kind, q.kind), cmp.Compare(p.name, q.name))
	}) {
		fmt.Printf("%5d %-11s %-6t %-6t %s.%s\n", p.lines, p.kind, p.secret, p.proven, p.pkg, p.name)
	}
}

// recordAll records calls at levels. It panics if this CPU lacks one of the levels.
func recordAll(levels []level, calls []string) records {
	dir := reference.Must(os.MkdirTemp("", "trusted"))
	defer os.RemoveAll(dir)
	all := records{}
	for _, l := range levels {
		b := newBuild(filepath.Join(dir, l.name), l.tags)
		all[l.name] = map[string]record{}
		for _, call := range calls {
			all[l.name][call] = b.record(filepath.Join(dir, l.name+call), call, l)
		}
	}
	return all
}

// update returns the page with the table in place of its own.
func (all records) update(page string) string {
	first := strings.Index(page, "\n| ") + 1
	last := strings.LastIndex(page, "\n| ") + 1
	_, rest, _ := strings.Cut(page[last:], "\n")
	return page[:first] + all.table() + rest
}

// table returns the page's table: a row for each package, one for what is outside of the library,
// and some for each level.
func (all records) table() string {
	text := "| package | " + strings.Join(calls, " | ") + " | checks |\n" +
		strings.Repeat("|---", len(calls)+2) + "|\n"
	row := func(level, name, checks string, cell func(r record) string) {
		line := "| " + name + " | "
		for _, call := range calls {
			line += cell(all[level][call]) + " | "
		}
		line = strings.TrimSuffix(line+checks+" |", "  |") // without an empty cell at the end
		text += strings.ReplaceAll(line, "  ", " ") + "\n"
	}
	lines := func(level, name, checks string, count func(p *part) bool) {
		row(level, name, checks, func(r record) string { return r.lines(count) })
	}
	checks := map[string]string{}
	for _, r := range all[shown] {
		for p := range r {
			if p.kind != outside {
				checks[p.pkg] = p.checks
			}
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(checks)) {
		lines(shown, "`"+pkg+"`", checks[pkg], func(p *part) bool { return p.pkg == pkg })
	}
	row(shown, "others", "", record.outside)
	for _, l := range levels {
		row(l.name, l.name+": functions", "", record.functions)
		lines(l.name, l.name+": lines", "", func(*part) bool { return true })
		lines(l.name, l.name+": secret", "", func(p *part) bool { return p.secret })
		if l.name != "portable" { // which has no assembly
			lines(l.name, l.name+": unproven", "", func(p *part) bool {
				return p.kind == assembly && !p.proven
			})
		}
	}
	return text
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
