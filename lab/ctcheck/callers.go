package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// A function may contain instructions with variable time if it may leak its arguments: if its name
// ends in Vartime, by the directive //ct:public, or because of its package. Such a function is
// judged by its callers, and so are functions that may leak and mention such a function. If another
// function mentions one of them, a directive //ct:public on that line says why the arguments are
// public.

// A function is a function or a function literal of the library or of a subject, or a function of
// the standard library that contains an instruction with variable time.
type function struct {
	name     string // as the linker writes it, without type arguments
	exempt   string // why the function may leak its arguments, or ""
	varies   string // its first instruction with variable time, or ""
	literal  bool
	mentions []mention
}

// A mention is the use of a function in a line of a file. Its target is a function's name or, for
// all methods that a call of an interface's method can be, what method returns.
type mention struct {
	target string
	value  *types.Signature // of a function value that is called, without a target
	place
	reason *directive // says why the arguments are public, or nil
}

// A value is the use of a target as a function value.
type value struct {
	*types.Signature
	target string
}

// A program is a subject in the form of its source.
type program struct {
	packages  []goPackage // all, including those of the standard library
	functions []*function
	public    []*directive           // the directives //ct:public in functions
	lines     map[place][]*function  // a function and the literals in it by their lines
	targets   map[string][]*function // functions that a mention of the target can be
	values    []value
	listed    map[string]bool // functions of the standard library that the list excuses
}

// readProgram reads and type-checks the packages of the library that a subject depends on. list is
// the file that lists the overlay for go build. The subject was built with it, so Go's cache has
// the exported types of all packages.
func readProgram(subject, tags, list string, files overlay) (*program, error) {
	cmd := exec.Command("go", "list", "-trimpath", "-export", "-deps", "-tags", tags, "-overlay", list,
		"-json=ImportPath,Export,Dir,GoFiles,SFiles", subject)
	cmd.Env, cmd.Stderr = environment(), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	p := &program{lines: map[place][]*function{}, targets: map[string][]*function{},
		listed: map[string]bool{}}
	exports := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var q struct {
			goPackage
			Export string
		}
		if err := dec.Decode(&q); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		p.packages, exports[q.ImportPath] = append(p.packages, q.goPackage), q.Export
	}
	r := reader{program: p, set: token.NewFileSet(), ours: map[string]*types.Package{}}
	r.standard = importer.ForCompiler(r.set, "gc", func(name string) (io.ReadCloser, error) {
		return os.Open(exports[name])
	})
	for _, q := range p.packages {
		if strings.HasPrefix(q.ImportPath, library) {
			if err := r.readPackage(&q, files); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// names returns the names of all functions.
func (p *program) names() (all []string) {
	for _, f := range p.functions {
		all = append(all, f.name)
	}
	return all
}

// stale returns the directives //ct:public in functions that are the reason of no mention.
func (p *program) stale() (all []string) {
	for _, d := range p.public {
		if !d.used {
			all = append(all, fmt.Sprintf("line %d: %v", d.line, d))
		}
	}
	return all
}

// print prints how many functions may leak, without those of the subject.
func (p *program) print(w io.Writer) {
	may, slow := map[string]int{}, 0
	for _, f := range p.functions {
		if f.literal || strings.HasPrefix(f.name, plantedPackage) {
			continue
		}
		if may[f.exempt]++; f.exempt != "" && f.varies != "" {
			slow++
		}
	}
	fmt.Fprintf(w, "functions that may leak: %d by name, %d by directive, %d by package\n"+
		"instructions with variable time: in or called by %d of these functions, "+
		"which others call or name for %d reasons, and in %d functions of the standard library\n",
		may["name"], may["directive"], may["package"], slow, len(p.public), len(p.listed))
}

// slow returns a function that m can be and that may leak and has instructions with variable time,
// or nil.
func (p *program) slow(m mention) *function {
	for _, f := range p.targets[m.target] {
		if f.exempt != "" && f.varies != "" {
			return f
		}
	}
	if m.value != nil {
		for _, v := range p.values {
			if alike(v.Params(), m.value.Params()) && alike(v.Results(), m.value.Results()) {
				if f := p.slow(mention{target: v.target}); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// A reader reads the functions of the packages of a program.
type reader struct {
	*program
	set      *token.FileSet
	standard types.Importer
	ours     map[string]*types.Package // packages of the library, which come after those they import

	// These fields are of the package and of the file that is being read.
	info   *types.Info
	public []*directive // directives //ct:public in functions
}

// Import returns a package that another one imports.
func (r *reader) Import(name string) (*types.Package, error) {
	if p := r.ours[name]; p != nil {
		return p, nil
	}
	return r.standard.Import(name)
}

// misleading matches directives that move the code of a function to other lines or other names.
var misleading = regexp.MustCompile(`(?m)^//(line|go:linkname) |/\*line `)

func (r *reader) readPackage(q *goPackage, files overlay) error {
	var sources []*source
	var parsed []*ast.File
	for _, base := range q.GoFiles {
		text, err := files.read(filepath.Join(q.Dir, base))
		if err != nil {
			return err
		}
		if m := misleading.FindString(text); m != "" && files[filepath.Join(q.Dir, base)] == "" {
			return fmt.Errorf("%s/%s: the search for instructions ignores %q", q.ImportPath, base, m)
		}
		s, err := parseFile(r.set, q.ImportPath+"/"+base, text)
		if err != nil {
			return err
		}
		sources, parsed = append(sources, s), append(parsed, s.file)
	}
	r.info = &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: r}
	p, err := config.Check(q.ImportPath, r.set, parsed, r.info)
	if err != nil {
		return err
	}
	r.ours[q.ImportPath] = p
	for _, s := range sources {
		r.public = nil
		for _, d := range s.directives {
			if d.verb == "public" && !d.doc && !d.file {
				r.public = append(r.public, d)
			}
		}
		r.program.public = append(r.program.public, r.public...)
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if o, ok := r.info.Defs[d.Name].(*types.Func); ok { // nil for a function named _
					r.declaration(q, s, d, o)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						// Whatever computes variables runs before there are secrets. This reads the
						// function values and literals there.
						r.mentions(&function{name: q.ImportPath + "." + v.Names[0].Name}, v)
					}
				}
			}
		}
	}
	return nil
}

// declaration reads the function o, which d declares.
func (r *reader) declaration(q *goPackage, s *source, d *ast.FuncDecl, o *types.Func) {
	f := &function{name: linkerName(o)}
	switch {
	case publicPackages[q.name()] != "":
		f.exempt = "package"
	case mayLeak(o.Name()):
		f.exempt = "name"
	case s.public(d):
		f.exempt = "directive"
	}
	r.targets[f.name] = append(r.targets[f.name], f)
	if d.Recv != nil {
		r.targets[method(o)] = append(r.targets[method(o)], f)
	}
	r.read(f, d)
}

// read reads the body of a function or of a function literal.
func (r *reader) read(f *function, declared ast.Node) {
	r.functions = append(r.functions, f)
	at, end := r.set.Position(declared.Pos()), r.set.Position(declared.End())
	for p := (place{at.Filename, at.Line}); p.line <= end.Line; p.line++ {
		r.lines[p] = append(r.lines[p], f)
	}
	r.mentions(f, declared)
}

// mentions adds to f what it mentions in n, and reads the literals there.
func (r *reader) mentions(f *function, declared ast.Node) {
	called := map[*ast.Ident]bool{}       // functions that are called, not used as values
	typeOf := map[*ast.Ident]types.Type{} // types of x.M and T.M, by M
	ast.Inspect(declared, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if n == declared {
				break
			}
			g := &function{name: f.name, exempt: f.exempt, literal: true}
			r.read(g, n)
			f.mentions = append(f.mentions, g.mentions...)
			target := r.set.Position(n.Pos()).String()
			r.targets[target] = []*function{g}
			r.values = append(r.values, value{signature(r.info.TypeOf(n)), target})
			return false
		case *ast.CallExpr:
			if id := identifier(n.Fun); r.isFunction(id) {
				called[id] = true
				r.arguments(f, n, r.info.Uses[id].(*types.Func))
			} else if t := r.info.Types[n.Fun]; t.IsValue() {
				r.mention(f, n, "", signature(t.Type))
			}
		case *ast.RangeStmt:
			if s := signature(r.info.TypeOf(n.X)); s != nil {
				r.mention(f, n, "", s)
			}
		case *ast.SelectorExpr:
			typeOf[n.Sel] = r.info.TypeOf(n)
		case *ast.Ident:
			if !r.isFunction(n) {
				break
			}
			o := r.info.Uses[n].(*types.Func)
			target := linkerName(o)
			if recv := o.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
				target = method(o)
			}
			r.mention(f, n, target, nil)
			if !called[n] {
				t := cmp.Or(typeOf[n], r.info.TypeOf(n))
				r.values = append(r.values, value{signature(t), target})
			}
		}
		return true
	})
}

// mention adds to f the use of a target, or a call of a function value, at n.
func (r *reader) mention(f *function, n ast.Node, target string, value *types.Signature) {
	at := r.set.Position(n.Pos())
	m := mention{target: target, value: value, place: place{at.Filename, at.Line}}
	line := r.set.PositionFor(n.Pos(), false).Line
	for _, d := range r.public {
		if d.line == line || d.alone && d.line == line-1 {
			m.reason = d
		}
	}
	f.mentions = append(f.mentions, m)
}

// arguments adds to f the function values that f gives to the function o, and the methods of values
// that f gives to it, which a function of the standard library can call.
func (r *reader) arguments(f *function, call *ast.CallExpr, o *types.Func) {
	for _, arg := range call.Args {
		t := r.info.TypeOf(arg)
		_, literal := ast.Unparen(arg).(*ast.FuncLit)
		if s := signature(t); s != nil && !literal && !r.isFunction(identifier(arg)) {
			r.mention(f, arg, "", s)
		}
		if strings.HasPrefix(o.Pkg().Path(), library) {
			continue
		}
		for m := range types.NewMethodSet(t).Methods() {
			o := m.Obj().(*types.Func)
			if types.IsInterface(t) {
				r.mention(f, arg, method(o), nil)
			} else {
				r.mention(f, arg, linkerName(o), nil)
			}
		}
	}
}

// isFunction reports whether an identifier names a function or a method.
func (r *reader) isFunction(id *ast.Ident) bool {
	_, ok := r.info.Uses[id].(*types.Func)
	return ok
}

// identifier returns the identifier of a function that is called, with or without type arguments,
// or nil.
func identifier(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return identifier(e.X)
	case *ast.IndexListExpr:
		return identifier(e.X)
	}
	return nil
}

// linkerName returns the name of a function as the linker writes it, without type arguments.
func linkerName(f *types.Func) string {
	f = f.Origin()
	name := f.Name()
	if recv := f.Signature().Recv(); recv != nil {
		t, format := recv.Type(), "%s.%s"
		if p, ok := t.(*types.Pointer); ok {
			t, format = p.Elem(), "(*%s).%s"
		}
		if n, ok := t.(*types.Named); ok {
			name = fmt.Sprintf(format, n.Obj().Name(), name)
		}
	}
	switch {
	case f.Pkg() == nil:
		return name
	case f.Pkg().Name() == "main":
		return "main." + name
	}
	return f.Pkg().Path() + "." + name
}

// method returns the target that stands for all methods with the name of f and as many parameters
// and results.
func method(f *types.Func) string {
	s := f.Signature()
	return fmt.Sprintf("%s/%d/%d", f.Name(), s.Params().Len(), s.Results().Len())
}

// signature returns the function type that t is, under another name or as a type parameter, or nil.
func signature(t types.Type) *types.Signature {
	switch t := t.Underlying().(type) {
	case *types.Signature:
		return t
	case *types.Union:
		return signature(t.Term(0).Type())
	case *types.Interface:
		for e := range t.EmbeddedTypes() {
			if s := signature(e); s != nil {
				return s
			}
		}
	}
	return nil
}

// typeParameter matches a type parameter in the text of a type. Other names that begin with a
// capital letter come after the path of their package.
var typeParameter = regexp.MustCompile(`(^|[^.\w])[A-Z]`)

// alike reports whether a value of a function with the parameters or the results a can be called
// with b. Types with type parameters may be any types.
func alike(a, b *types.Tuple) bool {
	for i := range min(a.Len(), b.Len()) {
		s, t := a.At(i).Type(), b.At(i).Type()
		if !types.Identical(s, t) && !typeParameter.MatchString(s.String()+" "+t.String()) {
			return false
		}
	}
	return a.Len() == b.Len()
}

// mayLeak reports whether a function's name says that its time may depend on its arguments.
func mayLeak(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, "Generic"), "Vartime")
}
