package oracle

import (
	"fmt"
	"go/types"
	"os"
	"path/filepath"
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
	want := exports(t, "-modfile="+filepath.Join(os.Getenv(programsVariable), "released.mod"))
	got := exports(t, "-modfile=replaced.mod")
	text, err := os.ReadFile("testdata/development.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); want[line] {
			t.Errorf("the real module has it: %s", line)
		} else if !strings.HasPrefix(line, "#") {
			want[line] = true
		}
	}
	for line := range want {
		if !got[line] {
			t.Errorf("the replacement lacks: %s", line)
		}
	}
	for line := range got {
		if !want[line] {
			t.Errorf("the replacement has in addition: %s", line)
		}
	}
	if len(want) < 400 {
		t.Errorf("only %d lines", len(want))
	}
}

// exports returns lines that describe everything that the packages in replaced export, in a build
// with the given flags.
func exports(t *testing.T, flags string) map[string]bool {
	loaded, err := packages.Load(&packages.Config{
		Mode:       packages.NeedName | packages.NeedTypes | packages.NeedModule,
		BuildFlags: []string{flags},
		Env:        append(os.Environ(), "GOWORK=off"),
	}, replaced...)
	if err != nil || len(loaded) != len(replaced) || packages.PrintErrors(loaded) != 0 {
		t.Fatal(len(loaded), "packages", err)
	}
	lines := map[string]bool{}
	for _, p := range loaded {
		for _, name := range p.Types.Scope().Names() {
			if o := p.Types.Scope().Lookup(name); o.Exported() {
				describe(o, func(format string, args ...any) {
					lines[fmt.Sprintf(format, args...)] = true
				})
			}
		}
	}
	return lines
}

// describe adds the lines that describe an exported object: of a type, its kind, fields and
// methods.
func describe(o types.Object, add func(format string, args ...any)) {
	name := o.Pkg().Name() + "." + o.Name()
	switch o := o.(type) {
	case *types.Const:
		add("const %s %s = %s", name, text(o.Type()), o.Val().ExactString())
	case *types.Func:
		add("func %s%s", name, signature(o))
	case *types.TypeName:
		t := o.Type()
		kind := "basic " + text(t.Underlying())
		if s, ok := t.Underlying().(*types.Struct); ok {
			kind = "struct"
			for f := range s.Fields() {
				if f.Exported() {
					add("field %s.%s %s %t", name, f.Name(), text(f.Type()), f.Embedded())
				}
			}
		}
		add("type %s %s, comparable %t", name, kind, types.Comparable(t))
		values := types.NewMethodSet(t)
		for method := range types.NewMethodSet(types.NewPointer(t)).Methods() {
			f, star := method.Obj().(*types.Func), "*"
			if values.Lookup(f.Pkg(), f.Name()) != nil {
				star = ""
			}
			if f.Exported() {
				add("method (%s%s) %s%s", star, name, f.Name(), signature(f))
			}
		}
	default:
		add("%T %s", o, name)
	}
}

// signature returns the types of a function's parameters and results, without names of parameters.
func signature(f *types.Func) string {
	s := f.Signature()
	unnamed := func(t *types.Tuple) *types.Tuple {
		var all []*types.Var
		for v := range t.Variables() {
			all = append(all, types.NewParam(v.Pos(), nil, "", v.Type()))
		}
		return types.NewTuple(all...)
	}
	s = types.NewSignatureType(nil, nil, nil, unnamed(s.Params()), unnamed(s.Results()), s.Variadic())
	return strings.TrimPrefix(text(s), "func")
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
