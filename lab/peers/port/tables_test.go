// Package port tests docs/port.md. The tables must have exactly the exported names of the packages
// that readers port from. The differences that the page lists are tested in both libraries.
//
// It is a separate module, because it requires those packages.
package port

import (
	"fmt"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	_ "github.com/koblitz-go/koblitz/ethereum" // portedTo names it
	"github.com/koblitz-go/koblitz/internal/reference"
)

const module = "github.com/koblitz-go/koblitz"

// portedFrom lists the packages that readers port from. The names of each of these packages are in
// a table.
var portedFrom = []string{
	"github.com/btcsuite/btcd/btcec/v2",
	"github.com/btcsuite/btcd/btcec/v2/ecdsa",
	"github.com/btcsuite/btcd/btcec/v2/ellswift",
	"github.com/btcsuite/btcd/btcec/v2/schnorr",
	"github.com/btcsuite/btcd/btcec/v2/schnorr/musig2",
	"github.com/decred/dcrd/dcrec/secp256k1/v4",
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa",
	"github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr",
	"github.com/ethereum/go-ethereum/crypto",
}

// portedTo lists the packages of koblitz that readers port to.
var portedTo = []string{
	module, module + "/ecdsa", module + "/schnorr", module + "/ecdh", module + "/batch",
	module + "/group", module + "/msm", module + "/musig2", module + "/ellswift", module + "/ethereum",
}

// load returns the packages with the given paths, by path.
func load(t *testing.T, paths []string) map[string]*packages.Package {
	t.Helper()
	all := make(map[string]*packages.Package)
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedModule,
	}
	loaded := reference.Must(packages.Load(config, paths...))
	for _, p := range loaded {
		for _, err := range p.Errors {
			t.Fatal(err)
		}
		all[p.PkgPath] = p
	}
	if len(all) != len(paths) {
		t.Fatalf("%d packages of %d", len(all), len(paths))
	}
	return all
}

// exported returns the exported names of a package: constants, variables, functions, types, and
// Type.Name for methods and fields. It leaves out the methods and fields of a type for which the
// package only declares an alias.
func exported(p *types.Package) (names []string) {
	add := func(of string, o types.Object) {
		if o.Exported() {
			names = append(names, of+o.Name())
		}
	}
	scope := p.Scope()
	for _, name := range scope.Names() {
		o := scope.Lookup(name)
		add("", o)
		t, ok := o.(*types.TypeName)
		if !ok || t.IsAlias() || !t.Exported() {
			continue
		}
		named := t.Type().(*types.Named)
		for m := range named.Methods() {
			add(name+".", m)
		}
		switch u := named.Underlying().(type) {
		case *types.Struct:
			for f := range u.Fields() {
				add(name+".", f)
			}
		case *types.Interface:
			for m := range u.ExplicitMethods() {
				add(name+".", m)
			}
		}
	}
	return names
}

var code = regexp.MustCompile("`([^`]+)`")

// spans returns the code spans in a line of Markdown. A span that begins with a dot is a method or
// field of the type in the spans before it, as in "`Signature`, `.R`", and is returned with the
// type.
func spans(line string) (all []string) {
	of := ""
	for _, m := range code.FindAllStringSubmatch(line, -1) {
		name := m[1]
		switch dot := strings.LastIndex(name, "."); {
		case dot == 0:
			name = of + name
		case isType(name):
			of = name
		case dot > 0:
			of = name[:dot]
		default:
			of = name
		}
		all = append(all, name)
	}
	return all
}

// isType reports whether a name of koblitz with its package, such as "group.Point", has one element
// after the package.
func isType(name string) bool {
	m := ourName.FindStringSubmatch(name)
	return m != nil && !strings.Contains(m[2], ".")
}

// A row is a row of a table. names holds names of the other packages. A name that ends in "…"
// stands for all names that begin with what is before it. here is the cell with the names of
// koblitz that replace them.
type row struct {
	line  int
	names []string
	here  string
}

// tables returns the rows of the tables in text, by the heading above the table. The heading
// contains paths of packages.
func tables(text string) map[string][]row {
	all := make(map[string][]row)
	current := ""
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "#") {
			current = ""
			if strings.Contains(line, "/") {
				current = line
			}
		}
		cells := strings.Split(line, "|")
		if current == "" || len(cells) != 4 || len(spans(cells[1])) == 0 {
			continue
		}
		all[current] = append(all[current], row{i + 1, spans(cells[1]), cells[2]})
	}
	return all
}

// compare returns what is wrong with a table: differences between its names and names, the exported
// names of its packages, and rows without a replacement.
func compare(rows []row, names []string) (found []string) {
	listed := make(map[string]bool) // whether the name stands for an exported name
	for _, r := range rows {
		for _, name := range r.names {
			if _, again := listed[name]; again {
				found = append(found, fmt.Sprintf("line %d: %s is there twice", r.line, name))
			}
			listed[name] = false
		}
		here := strings.TrimSpace(r.here)
		if !strings.HasPrefix(here, "none: ") && !strings.Contains(here, "drop-in") &&
			len(references(here)) == 0 {
			found = append(found, fmt.Sprintf("line %d: neither a name nor none: %q", r.line, here))
		}
	}
	for _, name := range names {
		entry := name
		for end := len(name); ; end-- {
			if _, ok := listed[entry]; ok {
				listed[entry] = true
				break
			}
			if end < 0 {
				found = append(found, name+" is missing")
				break
			}
			entry = name[:end] + "…"
		}
	}
	for name, exported := range listed {
		if !exported {
			found = append(found, name+" is not exported")
		}
	}
	return found
}

var ourName = regexp.MustCompile(
	`^(koblitz|ecdsa|schnorr|ecdh|batch|group|msm|musig2|ellswift|ethereum)\.([A-Z][\w.]*)`)

// references returns the names of our packages that occur in a Markdown text, such as "ecdsa.Sign".
func references(text string) (all []string) {
	for _, s := range spans(text) {
		if m := ourName.FindStringSubmatch(s); m != nil {
			all = append(all, m[1]+"."+strings.TrimSuffix(m[2], "."))
		}
	}
	return all
}

// page returns docs/port.md.
func page() string {
	text := reference.Must(os.ReadFile("../../../docs/port.md"))
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// TestTables checks that the tables have all exported names of the packages in their headings, and
// no other names.
func TestTables(t *testing.T) {
	loaded := load(t, portedFrom)
	for heading, rows := range tables(page()) {
		var names []string
		for _, path := range spans(heading) {
			p := loaded[path]
			if p == nil {
				t.Fatalf("%s: a package without a table, or with two", path)
			}
			delete(loaded, path)
			for _, name := range exported(p.Types) {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		for _, f := range compare(rows, names) {
			t.Errorf("%s: %s", heading, f)
		}
	}
	for path := range loaded {
		t.Errorf("no table of %s", path)
	}
}

// TestVersions checks that the page names the versions of the packages that this module requires.
func TestVersions(t *testing.T) {
	text := page()
	for _, p := range load(t, portedFrom) {
		module := regexp.QuoteMeta(p.Module.Path)
		line := "`" + module + "(/[a-z]+)?`[^|\n]*\\| " + regexp.QuoteMeta(p.Module.Version) + " \\|\n"
		if !regexp.MustCompile(line).MatchString(text) {
			t.Errorf("the page does not name %s %s", p.Module.Path, p.Module.Version)
		}
	}
}

// TestReferences checks that every name on the page that looks like a name of our packages exists.
// In the prose, ecdsa and schnorr may also be packages that readers port from. In the second column
// of the tables they must be ours.
func TestReferences(t *testing.T) {
	names := func(paths []string) map[string]bool {
		all := make(map[string]bool)
		for _, p := range load(t, paths) {
			for _, name := range exported(p.Types) {
				all[p.Types.Name()+"."+name] = true
			}
		}
		return all
	}
	mine, other := names(portedTo), names(portedFrom)
	found := 0
	for i, line := range strings.Split(page(), "\n") {
		cells := strings.Split(line, "|")
		for _, name := range references(cells[len(cells)/2]) {
			found++
			if !mine[name] && (len(cells) == 4 || !other[name]) {
				t.Errorf("line %d: there is no %s", i+1, name)
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d names", found)
	}
}

// TestCompare checks that compare detects each of several faults in a table.
func TestCompare(t *testing.T) {
	names := []string{"Sign", "Signature", "Signature.R", "Signature.S"}
	const heading = "# Page\n\n### `example.com/ecdsa`\n\n| there | here |\n|---|---|\n"
	const sign, rest = "| `Sign` | `ecdsa.Sign` |\n", "| `Signature`, `.R`, `Signature…` | none: x |\n"
	for _, c := range []struct {
		title, table string
		want         int
	}{
		{"right", sign + rest, 0},
		{"one row for all", "| `…` | the [drop-in](drop-in.md) |\n", 0},
		{"a name is missing", sign + "| `Signature` | none: x |\n", 2},
		{"an unknown name", sign + rest + "| `Verify` | none: x |\n", 1},
		{"unknown names", sign + rest + "| `Verify…` | none: x |\n", 1},
		{"a name twice", sign + sign + rest, 1},
		{"nothing is said", "| `Sign` | |\n" + rest, 1},
		{"no reason", "| `Sign` | none |\n" + rest, 1},
		{"a name that is not ours", "| `Sign` | `rsa.Sign` |\n" + rest, 1},
		{"another heading", "## Other\n" + sign + rest, 4},
	} {
		rows := tables(heading + c.table)["### `example.com/ecdsa`"]
		if found := compare(rows, names); len(found) != c.want {
			t.Errorf("%s: %d found, not %d: %q", c.title, len(found), c.want, found)
		}
	}
}
