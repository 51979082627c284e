package oracle

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// Import paths of the modules that the drop-ins replace.
const (
	dcrec  = "github.com/decred/dcrd/dcrec/secp256k1/v4"
	btcec  = "github.com/btcsuite/btcd/btcec/v2"
	erigon = "github.com/erigontech/secp256k1"
)

// replaced lists the packages whose exported names are compared, those of dcrec before those of
// btcec.
var replaced = []string{
	dcrec, dcrec + "/ecdsa", dcrec + "/schnorr",
	btcec, btcec + "/ecdsa", btcec + "/ellswift", btcec + "/schnorr", btcec + "/schnorr/musig2",
	erigon,
}

// TestAPI compares what the packages of the real modules and of the replacements export: names,
// values and types of constants, signatures of functions and methods, fields, kinds of types, and
// whether types are comparable. A replacement must export what the real module exports and what
// testdata/development.txt lists, and nothing else.
func TestAPI(t *testing.T) {
	want := surface(t, "-modfile="+filepath.Join(os.Getenv(twinVariable), "released.mod"))
	for _, line := range development(t) {
		if slices.Contains(want, line) {
			t.Errorf("the real module has it: %s", line)
		}
		want = append(want, line)
	}
	got := surface(t, "-modfile=replaced.mod")
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("the replacement lacks: %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("the replacement has in addition: %s", line)
		}
	}
	if len(want) < 400 {
		t.Errorf("only %d lines", len(want))
	}
}

// field64 matches the type *FieldVal64 in a signature. In the replacement, FieldVal64 is an alias
// of FieldVal.
var field64 = regexp.MustCompile(`\*secp256k1\.FieldVal64\b`)

// development returns what dcrec's development branch exports in addition to the released version.
// It has the form of the lines in which the function called surface describes the replacement.
func development(t *testing.T) (lines []string) {
	text, err := os.ReadFile("testdata/development.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		receiver, signature, found := strings.Cut(line, ") ")
		if found {
			line = receiver + ") " + field64.ReplaceAllString(signature, "*secp256k1.FieldVal")
		}
		if line == "method (*secp256k1.FieldVal64) Normalize()" {
			line += " *secp256k1.FieldVal"
		}
		lines = append(lines, line)
		if rest, found := strings.CutPrefix(line, "method (*secp256k1.FieldVal) "); found {
			lines = append(lines, "method (*btcec.FieldVal) "+rest) // btcec.FieldVal is an alias
		}
	}
	return lines
}

// surface returns lines that describe everything that the packages in replaced export, in a build
// with the given flags.
func surface(t *testing.T, flags string) []string {
	loaded, err := packages.Load(&packages.Config{
		Mode:       packages.NeedName | packages.NeedTypes | packages.NeedModule,
		BuildFlags: []string{flags},
		Env:        append(os.Environ(), "GOWORK=off"),
	}, replaced...)
	if err != nil || len(loaded) != len(replaced) || packages.PrintErrors(loaded) != 0 {
		t.Fatal(len(loaded), "packages", err)
	}
	var lines []string
	for _, p := range loaded {
		for _, name := range p.Types.Scope().Names() {
			if o := p.Types.Scope().Lookup(name); o.Exported() {
				lines = append(lines, object(o)...)
			}
		}
	}
	return lines
}

// object returns the lines that describe an exported object, for the result of the function called
// surface.
func object(o types.Object) []string {
	name := o.Pkg().Name() + "." + o.Name()
	switch o := o.(type) {
	case *types.Const:
		return []string{fmt.Sprintf("const %s %s = %s", name, text(o.Type()), o.Val().ExactString())}
	case *types.Func:
		return []string{"func " + name + signature(o)}
	case *types.TypeName:
		return typeLines(name, o.Type())
	}
	return []string{fmt.Sprintf("%T %s", o, name)}
}

// typeLines returns the lines that describe a type, for the result of the function called surface:
// the type's kind, fields and methods.
func typeLines(name string, t types.Type) []string {
	kind := "basic " + text(t.Underlying())
	var lines []string
	if s, ok := t.Underlying().(*types.Struct); ok {
		kind = "struct"
		for i := range s.NumFields() {
			if f := s.Field(i); f.Exported() {
				lines = append(lines, fmt.Sprintf("field %s.%s %s %t", name, f.Name(),
					text(f.Type()), f.Embedded()))
			}
		}
	}
	lines = append(lines, fmt.Sprintf("type %s %s, comparable %t", name, kind, types.Comparable(t)))
	methods := map[string]string{}
	// The method set of the pointer includes the methods of the value. The value comes second, so
	// that the lines for its methods replace those for the pointer.
	for _, receiver := range []types.Type{types.NewPointer(t), t} {
		star := ""
		if _, pointer := receiver.(*types.Pointer); pointer {
			star = "*"
		}
		for method := range types.NewMethodSet(receiver).Methods() {
			if f := method.Obj().(*types.Func); f.Exported() {
				methods[f.Name()] = "method (" + star + name + ") " + f.Name() + signature(f)
			}
		}
	}
	return append(lines, slices.Collect(maps.Values(methods))...)
}

// signature returns the types of a function's parameters and results, without names of parameters.
func signature(f *types.Func) string {
	s := f.Type().(*types.Signature)
	variadic := ""
	if s.Variadic() {
		variadic = "..."
	}
	results := tuple(s.Results())
	switch {
	case s.Results().Len() == 1:
		results = " " + results
	case s.Results().Len() > 1:
		results = " (" + results + ")"
	}
	return "(" + tuple(s.Params()) + variadic + ")" + results
}

func tuple(t *types.Tuple) string {
	var list []string
	for v := range t.Variables() {
		list = append(list, text(v.Type()))
	}
	return strings.Join(list, ", ")
}

// text returns the name of a type with its package. A package of koblitz gets the name of the
// package that it replaces. The types of btcec are aliases of dcrec's types, so package btcec gets
// the name of dcrec's package. All other packages get their paths.
func text(t types.Type) string {
	return types.TypeString(types.Unalias(t), func(p *types.Package) string {
		if p.Name() == "btcec" {
			return "secp256k1"
		}
		if slices.Contains(replaced, p.Path()) ||
			strings.HasPrefix(p.Path(), "github.com/koblitz-go/koblitz/compat/impl/") {
			return p.Name()
		}
		return p.Path()
	})
}
