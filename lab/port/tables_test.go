// Package port tests docs/port.md, docs/port-batches.md and docs/port-names.md. The code blocks of
// these pages are files in the folders before and after, whose tests compare their results. The
// tables must list exactly the exported names of the packages that readers port from. The
// differences that port.md lists are tested in both libraries.
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

	"github.com/koblitz-go/koblitz/internal/reference"
)

// The pages in docs: the guide for porting, the code for batches, and the tables of names.
const guide, batches, lists = "port.md", "port-batches.md", "port-names.md"

const module = "github.com/koblitz-go/koblitz"

// portedFrom lists the packages that readers of the guide port from. Each of these packages has a
// table.
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

// portedTo lists the packages of koblitz that readers of the guide port to.
var portedTo = []string{
	module, module + "/ecdsa", module + "/schnorr", module + "/ecdh", module + "/batch",
	module + "/group", module + "/msm", module + "/musig2",
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

// spans returns the code spans in a line of Markdown.
func spans(line string) (all []string) {
	for _, m := range code.FindAllStringSubmatch(line, -1) {
		all = append(all, m[1])
	}
	return all
}

// A row is a row of a table. names holds names of the other package, and here is the cell with the
// names of koblitz that replace them.
type row struct {
	line  int
	names []string
	here  string
}

// tables returns the rows of the tables in text, by package. The heading above a table contains the
// package's path.
func tables(text string) map[string][]row {
	all := make(map[string][]row)
	current := ""
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "#") {
			current = ""
			if s := spans(line); len(s) == 1 && strings.Contains(s[0], "/") {
				current = s[0]
			}
		}
		cells := strings.Split(line, "|")
		if current == "" || len(cells) != 5 || len(spans(cells[1])) == 0 {
			continue
		}
		all[current] = append(all[current], row{i + 1, spans(cells[1]), cells[2]})
	}
	return all
}

// compare returns what is wrong with a table: differences between its names and names, the exported
// names of a package, and rows without a replacement.
func compare(rows []row, names []string) (found []string) {
	seen := make(map[string]bool)
	for _, r := range rows {
		for _, name := range r.names {
			switch {
			case seen[name]:
				found = append(found, fmt.Sprintf("line %d: %s is there twice", r.line, name))
			case !slices.Contains(names, name):
				found = append(found, fmt.Sprintf("line %d: %s is not exported", r.line, name))
			}
			seen[name] = true
		}
		if here := strings.TrimSpace(r.here); !strings.HasPrefix(here, "none") &&
			!strings.HasPrefix(here, "as ") && len(references(here)) == 0 {
			found = append(found, fmt.Sprintf("line %d: neither a name nor none: %q", r.line, here))
		}
	}
	for _, name := range names {
		if !seen[name] {
			found = append(found, name+" is missing")
		}
	}
	return found
}

var ourName = regexp.MustCompile(
	`^(koblitz|ecdsa|schnorr|ecdh|batch|group|msm|musig2)\.([A-Z][\w.]*)`)

// references returns the names of our packages that occur in a Markdown text, such as "ecdsa.Sign".
func references(text string) (all []string) {
	for _, s := range spans(text) {
		if m := ourName.FindStringSubmatch(s); m != nil {
			all = append(all, m[1]+"."+strings.TrimSuffix(m[2], "."))
		}
	}
	return all
}

func read(t *testing.T, page string) string {
	t.Helper()
	text := reference.Must(os.ReadFile("../../docs/" + page))
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// TestTables checks that the table of each package has all exported names of that package, and no
// other names.
func TestTables(t *testing.T) {
	all := tables(read(t, lists))
	for name, p := range load(t, portedFrom) {
		rows := all[name]
		delete(all, name)
		for _, f := range compare(rows, exported(p.Types)) {
			t.Errorf("%s: %s", name, f)
		}
	}
	for name := range all {
		t.Errorf("a table of %s, which is not one of the packages", name)
	}
}

// TestVersions checks that the guide names the versions of the packages that this module requires.
func TestVersions(t *testing.T) {
	text := read(t, guide)
	for _, p := range load(t, portedFrom) {
		module := regexp.QuoteMeta(p.Module.Path)
		line := "`" + module + "(/[a-z]+)?`[^|\n]*\\| " + regexp.QuoteMeta(p.Module.Version) + " \\|\n"
		if !regexp.MustCompile(line).MatchString(text) {
			t.Errorf("the page does not name %s %s", p.Module.Path, p.Module.Version)
		}
	}
}

// TestReferences checks that every name on the pages that looks like a name of our packages exists.
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
	for _, page := range []string{guide, batches, lists} {
		for i, line := range strings.Split(read(t, page), "\n") {
			for _, name := range references(line) {
				found++
				if !mine[name] && !other[name] {
					t.Errorf("%s:%d: there is no %s", page, i+1, name)
				}
			}
		}
	}
	for _, rows := range tables(read(t, lists)) {
		for _, r := range rows {
			for _, name := range references(r.here) {
				if !mine[name] {
					t.Errorf("line %d: koblitz has no %s", r.line, name)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d names", found)
	}
}

// TestCompare checks that compare detects each of several faults in a table.
func TestCompare(t *testing.T) {
	names := []string{"Sign", "Signature", "Signature.R"}
	const heading = "# Page\n\n### `example.com/ecdsa`\n\n| there | here | mind |\n|---|---|---|\n"
	const sign, rest = "| `Sign` | `ecdsa.Sign` | |\n", "| `Signature`, `Signature.R` | none | |\n"
	for _, c := range []struct {
		title, table string
		want         int
	}{
		{"right", sign + rest, 0},
		{"a name is missing", sign, 2},
		{"an unknown name", sign + rest + "| `Verify` | none | |\n", 1},
		{"a name twice", sign + sign + rest, 1},
		{"nothing is said", "| `Sign` | | |\n" + rest, 1},
		{"a name that is not ours", "| `Sign` | `rsa.Sign` | |\n" + rest, 1},
		{"another heading", "## Other\n" + sign + rest, 3},
	} {
		rows := tables(heading + c.table)["example.com/ecdsa"]
		if found := compare(rows, names); len(found) != c.want {
			t.Errorf("%s: %d found, not %d: %q", c.title, len(found), c.want, found)
		}
	}
}
