package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	gobuild "go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	module  = "github.com/koblitz-go/koblitz"
	subject = module + "/lab/trusted/subject"
)

// The kinds of parts. Outside are the functions and variables of the standard library and of
// golang.org/x/sys that statements of this library name. Their lines are not counted.
const (
	function    = "function"
	assembly    = "assembly"
	declaration = "declaration"
	outside     = "outside"
)

// A part is a function, or a declaration of constants, of variables or of a type.
type part struct {
	pkg, name, kind string
	lines           int    // lines that are neither blank nor comments
	secret          bool   // the function may see a secret, so lab/ctcheck forbids it to leak
	proven          bool   // docs/proofs.md lists the kernel as proven
	checks          string // letters for the checks of the package
	file            string // name of the file in a profile
	node            ast.Node
}

// A build is a subject that was built with counters, and the parts of its packages.
type build struct {
	program string
	fset    *token.FileSet
	info    types.Info
	parts   map[types.Object]*part
	ours    map[string]*types.Package
	others  types.Importer
	secret  string   // the list of packages that secrets reach, in lab/ctcheck
	proven  []string // kernels, in docs/proofs.md
}

// A goPackage is the description of a package that go list prints.
type goPackage struct {
	ImportPath, Dir string
	GoFiles, SFiles []string
}

// newBuild builds the subject, and reads the sources of its packages.
func newBuild(program, tags string) (*build, error) {
	out, err := output(nil, "go", "env", "GOROOT", "GOMOD")
	if err != nil {
		return nil, err
	}
	where := strings.Split(string(out), "\n")
	gobuild.Default.GOROOT = where[0] // for the importer; -trimpath removes it from this program
	folder := filepath.Dir(where[1])
	b := &build{program: program, fset: token.NewFileSet(),
		info:  types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}},
		parts: map[types.Object]*part{}, ours: map[string]*types.Package{}}
	b.others = importer.ForCompiler(b.fset, "source", nil)
	b.secret, err = between(folder+"/lab/ctcheck/surface.go", "var secretPackages = []string{", "}")
	if err != nil {
		return nil, err
	}
	kernels, err := between(folder+"/docs/proofs.md", "<!-- kernels -->", "\nnot proven:")
	if err != nil {
		return nil, err
	}
	b.proven = strings.Fields(kernels)
	list, err := output(nil, "go", "list", "-deps", "-tags", tags,
		"-json=ImportPath,Dir,GoFiles,SFiles", subject)
	if err != nil {
		return nil, err
	}
	covered := subject
	for dec := json.NewDecoder(bytes.NewReader(list)); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			return nil, err
		}
		if ours(p.ImportPath) && p.ImportPath != subject {
			covered += "," + p.ImportPath
			if err := b.read(&p); err != nil {
				return nil, err
			}
		}
	}
	_, err = output(nil, "go", "build", "-tags", tags, "-cover", "-covermode=atomic",
		"-coverpkg="+covered, "-o", program, subject)
	return b, err
}

// ours reports whether a package is one of the core.
func ours(path string) bool { return strings.HasPrefix(path+"/", module+"/") }

// between returns the part of a file between two texts.
func between(name, from, to string) (string, error) {
	text, err := os.ReadFile(name)
	_, rest, _ := strings.Cut(string(text), from)
	found, _, ok := strings.Cut(rest, to)
	if err == nil && !ok {
		err = fmt.Errorf("%s does not have %q and %q", name, from, to)
	}
	return found, err
}

// output runs a command and returns its standard output. An error contains its error output.
func output(env []string, name string, args ...string) ([]byte, error) {
	var complaints bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Stderr = append(append(os.Environ(), "CGO_ENABLED=0"), env...), &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, &complaints)
	}
	return out, nil
}

// Import returns a package that was read before, or another.
func (b *build) Import(name string) (*types.Package, error) {
	if p := b.ours[name]; p != nil {
		return p, nil
	}
	return b.others.Import(name)
}

// read parses and checks the files of a package, and adds its parts.
func (b *build) read(p *goPackage) (err error) {
	text := func(names ...string) (all string) {
		for _, name := range names {
			src, e := os.ReadFile(filepath.Join(p.Dir, filepath.Base(name)))
			err, all = errors.Join(err, e), all+string(src)
		}
		return all
	}
	tests, err := filepath.Glob(filepath.Join(p.Dir, "*_test.go"))
	if err != nil {
		return err
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(b.fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	config := types.Config{Importer: b, Sizes: types.SizesFor("gc", "amd64")}
	if b.ours[p.ImportPath], err = config.Check(p.ImportPath, b.fset, files, &b.info); err != nil {
		return err
	}
	below := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
	secret := strings.Contains(b.secret, strconv.Quote(below))
	checks, ofTests := "", text(tests...)
	if secret {
		checks += "C"
	}
	if strings.Contains(ofTests, module+"/internal/reference") {
		checks += "O"
	}
	if strings.Contains(ofTests, "\nfunc Fuzz") {
		checks += "F"
	}
	kernels := map[string]int{}
	for _, body := range strings.Split(text(p.SFiles...), "\nTEXT ·")[1:] {
		name, _, _ := strings.Cut(body, "(")
		kernels[name] = countLines(body)
	}
	for i, f := range files {
		lines := strings.Split(text(p.GoFiles[i]), "\n")
		source := func(from, to token.Pos) string {
			return strings.Join(lines[b.fset.Position(from).Line-1:b.fset.Position(to).Line], "\n")
		}
		add := func(kind string, n ast.Node, names ...*ast.Ident) *part {
			q := &part{pkg: path.Join("koblitz", below), name: names[0].Name, kind: kind, node: n,
				lines: countLines(source(n.Pos(), n.End())), checks: checks,
				file: p.ImportPath + "/" + p.GoFiles[i]}
			for _, id := range names {
				b.parts[b.info.Defs[id]] = q
			}
			return q
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				q := add(function, d, d.Name)
				directives := source(f.FileStart, f.Package)
				if d.Doc != nil {
					directives += source(d.Doc.Pos(), d.Doc.End())
				}
				q.secret = secret && !strings.Contains(q.name, "Vartime") &&
					!strings.Contains(directives, "//ct:public ")
				if d.Recv != nil {
					q.name = strings.Trim(types.ExprString(d.Recv.List[0].Type), "*") + "." + q.name
				}
				if d.Body == nil {
					q.kind, q.lines = assembly, kernels[q.name]
					if q.lines == 0 {
						return fmt.Errorf("%s: the function %s has no code", p.ImportPath, q.name)
					}
					q.proven = slices.Contains(b.proven, path.Base(below)+"."+q.name)
				}
				continue
			}
			for _, s := range d.(*ast.GenDecl).Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(declaration, s, s.Name)
				case *ast.ValueSpec:
					add(declaration, s, s.Names...)
				}
			}
		}
	}
	return err
}

// countLines returns the number of lines that are neither blank nor comments.
func countLines(text string) (n int) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			n++
		}
	}
	return n
}
