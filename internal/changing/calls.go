package changing

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Calls checks calls of functions with arguments that change, and that no argument was left out.
type Calls struct {
	t     testing.TB
	done  map[string]bool // names of arguments
	calls int
}

// NewCalls returns Calls for a test.
func NewCalls(t testing.TB) *Calls { return &Calls{t: t, done: make(map[string]bool)} }

// Check calls f with bytes that change from first to second, and with such that change from second
// or from bytes 0xff to first. What f returns must print like what it returns for a constant copy
// of the bytes at first, which it gets too. The argument has a name such as "schnorr.Verify msg" or
// "dleq.Prove o.Message".
func (c *Calls) Check(name string, first, second []byte, f func(b, constant []byte) any) {
	c.t.Helper()
	c.check(name, first, second, f, false)
}

// CheckOrError is like Check for a function that computes twice, to find faults of the machine: it
// may also return an error.
func (c *Calls) CheckOrError(name string, first, second []byte, f func(b, constant []byte) any) {
	c.t.Helper()
	c.check(name, first, second, f, true)
}

func (c *Calls) check(
	name string, first, second []byte, f func(b, constant []byte) any, orError bool,
) {
	c.t.Helper()
	c.done[name] = true
	result := func(b, constant []byte) (result any) {
		defer func() {
			if r := recover(); r != nil {
				result = fmt.Sprint("panic: ", r)
			}
		}()
		return f(b, constant)
	}
	ff := bytes.Repeat([]byte{0xff}, len(first))
	for _, pair := range [][2][]byte{{first, second}, {second, first}, {ff, first}} {
		if bytes.Equal(pair[0], pair[1]) {
			continue
		}
		c.calls++
		want := result(bytes.Clone(pair[0]), pair[0])
		Each(c.t, pair[0], pair[1], func(b []byte) {
			got := result(b, pair[0])
			if _, ok := got.(error); ok && orError {
				return
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				c.t.Errorf("%s: %.64x becomes %.64x: %v, want %v", name, pair[0], pair[1], got, want)
			}
		})
	}
}

// Complete fails the test if an argument of a package was not checked. The packages are given by
// their names in the folder with the files of the exported names.
func (c *Calls) Complete(folder string, packages ...string) {
	c.t.Helper()
	names := Arguments(c.t, folder, packages...)
	c.t.Logf("%d arguments, %d calls", len(names), c.calls)
	for _, name := range names {
		if !c.done[name] {
			c.t.Errorf("%s is not tested", name)
		}
	}
	for name := range c.done {
		if !slices.Contains(names, name) {
			c.t.Errorf("there is no %s", name)
		}
	}
}

// Arguments returns the names of the arguments of exported functions and methods that hold bytes of
// a caller: slices of bytes or arrays, columns, and such fields of structs. Bytes that a function
// writes or appends to are no such argument.
func Arguments(t testing.TB, folder string, packages ...string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v", folder, err)
	}
	d := declarations{types: make(map[string]ast.Expr)}
	var funcs []*ast.FuncDecl
	var packageOf []string
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if slices.Contains(packages, f.Name.Name) {
					funcs, packageOf = append(funcs, decl), append(packageOf, f.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range decl.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						d.types[f.Name.Name+"."+s.Name.Name] = s.Type
					}
				}
			}
		}
	}
	for i, f := range funcs {
		pkg, name := packageOf[i], packageOf[i]+"."
		var places []string
		if f.Recv != nil {
			typ := f.Recv.List[0].Type
			if p, ok := typ.(*ast.StarExpr); ok {
				typ = p.X
			}
			receiver := typ.(*ast.Ident).Name
			if pkg == "batch" && strings.HasSuffix(receiver, "Rows") {
				continue // package batch lets the columns of rows change
			}
			name += receiver + "."
			if !slices.Contains([]string{"Format", "String", "GoString", "LogValue"}, f.Name.Name) {
				for _, place := range d.places(pkg, typ) {
					places = append(places, strings.TrimPrefix(place, "."))
				}
			}
		}
		for i, field := range f.Type.Params.List {
			for _, p := range field.Names {
				if i == 0 && strings.HasPrefix(f.Name.Name, "Append") || p.Name == "dst" && pkg == "batch" {
					continue
				}
				for _, place := range d.places(pkg, field.Type) {
					places = append(places, p.Name+place)
				}
			}
		}
		for _, place := range places {
			names = append(names, name+f.Name.Name+" "+place)
		}
	}
	return names
}

type declarations struct{ types map[string]ast.Expr } // by names such as "batch.Options"

// opaque are types that hold bytes of a caller without an exported field.
var opaque = []string{"batch.Column", "batch.Keys", "musig2.Input"}

// resolve returns the package, the name and the definition of a type. Without a definition, it
// returns the type itself.
func (d *declarations) resolve(pkg string, typ ast.Expr) (string, string, ast.Expr) {
	name := types.ExprString(typ)
	if s, ok := typ.(*ast.SelectorExpr); ok {
		pkg = s.X.(*ast.Ident).Name
	} else {
		name = pkg + "." + name
	}
	if definition := d.types[name]; definition != nil {
		return pkg, name, definition
	}
	return pkg, name, typ
}

// places returns the places of bytes in a value of a type: "" for the value itself, or the names of
// fields, each with a dot before.
func (d *declarations) places(pkg string, typ ast.Expr) (places []string) {
	switch typ := typ.(type) {
	case *ast.StarExpr:
		return d.places(pkg, typ.X)
	case *ast.Ellipsis:
		return d.places(pkg, &ast.ArrayType{Elt: typ.Elt})
	case *ast.ArrayType:
		_, _, elt := d.resolve(pkg, typ.Elt)
		if array, ok := elt.(*ast.ArrayType); ok && array.Len != nil {
			elt = array.Elt
		}
		if e, ok := elt.(*ast.Ident); ok && e.Name == "byte" && typ.Len == nil {
			return []string{""}
		}
		return d.places(pkg, typ.Elt)
	case *ast.StructType:
		for _, field := range typ.Fields.List {
			for _, name := range field.Names {
				if name.Name == "Results" { // a device writes them
					continue
				}
				for _, place := range d.places(pkg, field.Type) {
					places = append(places, "."+name.Name+place)
				}
			}
		}
	case *ast.Ident, *ast.SelectorExpr:
		in, name, definition := d.resolve(pkg, typ)
		if slices.Contains(opaque, name) {
			return []string{""}
		}
		if definition != typ {
			return d.places(in, definition)
		}
	}
	return places
}
