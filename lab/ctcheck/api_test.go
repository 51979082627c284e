package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryPackage checks that every package of the core, except those in lab and test helpers, is
// in secretPackages or in publicPackages.
func TestEveryPackage(t *testing.T) {
	all := map[string]bool{}
	eachSource(t, func(pkg, _ string, s *source) {
		if s.file.Name.Name != "main" && !strings.HasPrefix(pkg, "lab/") &&
			path.Base(pkg) != path.Base(path.Dir(pkg))+"test" {
			all[pkg] = true
		}
	})
	for name := range all {
		secret, public := slices.Contains(secretPackages, name), publicPackages[name] != ""
		if secret == public {
			t.Errorf("package %q: secret %v, public %v: it belongs to one of the two lists",
				name, secret, public)
		}
	}
	for _, name := range slices.Concat(secretPackages, slices.Collect(maps.Keys(publicPackages))) {
		if !all[name] {
			t.Errorf("package %q is on a list and not in the core", name)
		}
	}
}

// TestEveryFunction checks that the subject calls every exported function and method of the
// packages that secrets reach, except those with a name that permits leaks and those with the
// directive //ct:public. A call of a method counts only for the type on which it is called, not for
// other types with a method of the same name. Methods that print or encode a value count as called
// if the subject passes a value of the type to show, which calls all of them.
func TestEveryFunction(t *testing.T) {
	s, public := loadSubject(t), publicFunctions(t)
	count, without := 0, 0
	for _, f := range s.api(t) {
		name := f.short()
		if public[name] {
			without++
			continue
		}
		count++
		called := s.used[f.FullName()] || printing[f.Name()] && s.shown[f.receiver()]
		if !called {
			t.Errorf("no case calls %s, and no directive //ct:public says why", name)
		}
	}
	t.Logf("%d functions with cases, %d that need none", count, without)
	if count < 250 {
		t.Errorf("only %d functions", count)
	}
}

// TestEveryLength checks that the subject calls each function that takes byte strings of any length
// with every length in messageLengths. Branches on a length are allowed because lengths are public,
// and memcheck checks only the branch that is taken.
func TestEveryLength(t *testing.T) {
	s, public := loadSubject(t), publicFunctions(t)
	count := 0
	for _, f := range s.api(t) {
		signature := f.Signature()
		for i := range signature.Params().Len() {
			p := signature.Params().At(i)
			if p.Type().String() != "[]byte" || public[f.short()] {
				continue
			}
			fixed, known := byteParameters[p.Name()]
			if !known {
				t.Errorf("%s: parameter %s: byteParameters does not say whether its length is fixed",
					f.short(), p.Name())
				continue
			}
			if fixed {
				continue
			}
			count++
			everyLength := func(call *ast.CallExpr) bool { return s.everyLength(call.Args[i]) }
			if !s.listed[f.FullName()] && !slices.ContainsFunc(s.calls[f.FullName()], everyLength) {
				t.Errorf("%s: no case calls it with %s of every length", f.short(), p.Name())
			}
		}
	}
	if count < 10 {
		t.Errorf("only %d functions take bytes of any length", count)
	}
}

// publicFunctions returns the functions with the directive //ct:public, by the name that
// apiFunc.short returns.
func publicFunctions(t *testing.T) map[string]bool {
	t.Helper()
	public := map[string]bool{}
	eachSource(t, func(pkg, name string, s *source) {
		if pkg == "" {
			pkg = path.Base(library)
		}
		for _, fn := range s.functions {
			if s.public(fn) {
				public[pkg+"."+functionName(fn)] = true
			}
		}
	})
	return public
}

// byteParameters maps the name of each []byte parameter to whether its length is fixed. If it is,
// any other length is an error, or the parameter is a buffer for the result.
var byteParameters = map[string]bool{
	"msg": false, "hash": false, "extra": false, "entropy": false,
	"digest": false, "bytes": false, "k": false, "version": false,
	"privKey": false, "privKeyBytes": false, "pk": false, "message": true, "scriptRoot": true,
	"merkleRoot": true, "root": false,
	"b": true, "dst": true, "tweak": true, "aux": true, "der": true, "text": true,
	"out": true, "random": true, "ours": true, "theirs": true,
}

// printing holds the methods through which package fmt and encoders print or encode a value.
var printing = map[string]bool{
	"Format": true, "String": true, "GoString": true, "LogValue": true,
	"MarshalJSON": true, "MarshalText": true, "MarshalBinary": true, "MarshalXML": true,
	"GobEncode": true, "AppendText": true, "AppendBinary": true,
}

// A subjectSource is the type-checked source of the subject and of the operations that it runs.
type subjectSource struct {
	info      types.Info
	imports   map[string]*types.Package
	used      map[string]bool            // full names of functions that are called or passed on
	calls     map[string][]*ast.CallExpr // calls, by the full name of the called function
	shown     map[string]bool            // types of the values that are passed to show
	listed    map[string]bool            // full names of functions in the subject's lists
	inSubject bool                       // visit visits the subject
	lengths   map[types.Object]bool      // variables that take every length
}

func loadSubject(t *testing.T) *subjectSource {
	t.Helper()
	packages, err := listPackages(subjectPackage, "", "-export")
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
	}
	s := &subjectSource{
		info: types.Info{
			Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
			Types: map[ast.Expr]types.TypeAndValue{},
		},
		imports: map[string]*types.Package{}, used: map[string]bool{},
		calls: map[string][]*ast.CallExpr{}, shown: map[string]bool{}, listed: map[string]bool{},
		lengths: map[types.Object]bool{},
	}
	fset := token.NewFileSet()
	config := types.Config{Importer: importer.ForCompiler(fset, "gc",
		func(name string) (io.ReadCloser, error) { return os.Open(exports[name]) })}
	for _, q := range packages {
		if q.ImportPath != subjectPackage && q.ImportPath != operationsPackage {
			continue
		}
		var files []*ast.File
		for _, name := range q.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(q.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		p, err := config.Check(q.ImportPath, fset, files, &s.info)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range p.Imports() {
			s.imports[q.Path()] = q
		}
		s.inSubject = q.ImportPath == subjectPackage
		for _, f := range files {
			for _, decl := range f.Decls {
				if d, ok := decl.(*ast.FuncDecl); !ok || !strings.HasPrefix(d.Name.Name, "planted") {
					ast.Inspect(decl, s.visit)
				}
			}
		}
	}
	return s
}

func (s *subjectSource) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident:
		if f, ok := s.info.Uses[n].(*types.Func); ok {
			s.used[f.Origin().FullName()] = true
		}
	case *ast.CallExpr:
		name := n.Fun
		if x, ok := name.(*ast.IndexExpr); ok {
			name = x.X
		}
		var id *ast.Ident
		switch x := name.(type) {
		case *ast.Ident:
			id = x
		case *ast.SelectorExpr:
			id = x.Sel
		default:
			return true
		}
		f, ok := s.info.Uses[id].(*types.Func)
		if !ok {
			return true
		}
		f = f.Origin()
		s.calls[f.FullName()] = append(s.calls[f.FullName()], n)
		if f.Pkg().Path() == subjectPackage && f.Name() == "show" {
			for _, arg := range n.Args {
				s.shown[strings.TrimPrefix(s.info.Types[arg].Type.String(), "*")] = true
			}
		}
	case *ast.CompositeLit:
		// The subject calls the functions in a list of type []any with every length of bytes. The
		// functions are the library's, the subject's own, or literals.
		if !s.inSubject || s.info.TypeOf(n).String() != "[]any" {
			return true
		}
		for _, e := range n.Elts {
			if selected, ok := e.(*ast.SelectorExpr); ok {
				s.listed[s.info.Uses[selected.Sel].(*types.Func).FullName()] = true
			} else if signature, ok := s.info.TypeOf(e).(*types.Signature); ok {
				for p := range signature.Params().Variables() {
					s.lengths[p] = true
				}
			}
		}
	case *ast.RangeStmt:
		// The loop must be over the results of messages, secretMessages or digests. digests has
		// every length that ECDSA accepts.
		call, ok := n.X.(*ast.CallExpr)
		if !ok {
			return true
		}
		every := []string{"messages", "digests", "secretMessages"}
		if id, ok := call.Fun.(*ast.Ident); ok && slices.Contains(every, id.Name) {
			s.lengths[s.info.Defs[n.Value.(*ast.Ident)]] = true
		}
	}
	return true
}

// everyLength reports whether e is a variable that takes every length in messageLengths, or an
// operand of operations that does so in their variations.
func (s *subjectSource) everyLength(e ast.Expr) bool {
	if x, ok := e.(*ast.SelectorExpr); ok && s.info.TypeOf(x.X) != nil {
		return s.info.TypeOf(x.X).String() == "*"+operationsPackage+".Operands" &&
			slices.Contains([]string{"D", "Hash", "Random"}, x.Sel.Name)
	}
	id, ok := e.(*ast.Ident)
	return ok && s.lengths[s.info.Uses[id]]
}

// An apiFunc is an exported function, or an exported method of an exported type.
type apiFunc struct{ *types.Func }

// api returns the exported functions and methods of the secret packages, except those with a
// name that permits leaks.
func (s *subjectSource) api(t *testing.T) (all []apiFunc) {
	t.Helper()
	add := func(f *types.Func) {
		if f.Exported() && !mayLeak(f.Name()) {
			all = append(all, apiFunc{f})
		}
	}
	for _, name := range secretPackages {
		p := s.imports[strings.TrimSuffix(library+"/"+name, "/")]
		if p == nil {
			t.Errorf("the subject does not import %q", name)
			continue
		}
		for _, name := range p.Scope().Names() {
			switch o := p.Scope().Lookup(name).(type) {
			case *types.Func:
				add(o)
			case *types.TypeName:
				if !o.Exported() {
					continue
				}
				methods := types.NewMethodSet(types.NewPointer(o.Type()))
				for i := range methods.Len() {
					add(methods.At(i).Obj().(*types.Func))
				}
			}
		}
	}
	return all
}

// receiver returns the full name of the type whose method f is, or "" for a function.
func (f apiFunc) receiver() string {
	if f.Signature().Recv() == nil {
		return ""
	}
	return strings.TrimPrefix(f.Signature().Recv().Type().String(), "*")
}

// short returns the function's name with its package relative to the module, as in group.Scalar.Add
// and internal/hash.Nonce.
func (f apiFunc) short() string {
	name := f.receiver()
	if name == "" {
		name = f.Pkg().Path()
	}
	name = strings.TrimPrefix(name, path.Dir(library)+"/")
	return strings.TrimPrefix(name, path.Base(library)+"/") + "." + f.Name()
}
