package main

import (
	"encoding/json"
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

	"github.com/koblitz-go/koblitz/internal/reference"
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
func newBuild(program, tags string) *build {
	where := strings.Split(output(nil, "go", "env", "GOROOT", "GOMOD"), "\n")
	gobuild.Default.GOROOT = where[0] // for the importer; -trimpath removes it from this program
	folder := filepath.Dir(where[1])
	b := &build{program: program, fset: token.NewFileSet(),
		info:  types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}},
		parts: map[types.Object]*part{}, ours: map[string]*types.Package{},
		secret: between(folder+"/lab/ctcheck/surface.go", "var secretPackages = []string{", "}"),
		proven: strings.Fields(between(folder+"/docs/proofs.md", "<!-- kernels -->", "\nnot proven:"))}
	b.others = importer.ForCompiler(b.fset, "source", nil)
	list := output(nil, "go", "list", "-deps", "-tags", tags, "-json=ImportPath,Dir,GoFiles,SFiles",
		subject)
	covered := subject
	for dec := json.NewDecoder(strings.NewReader(list)); dec.More(); {
		var p goPackage
		reference.Must(0, dec.Decode(&p))
		if ours(p.ImportPath) && p.ImportPath != subject {
			covered += "," + p.ImportPath
			b.read(&p)
		}
	}
	output(nil, "go", "build", "-tags", tags, "-cover", "-covermode=atomic", "-coverpkg="+covered,
		"-o", program, subject)
	return b
}

// ours reports whether a package is one of the core.
func ours(path string) bool { return strings.HasPrefix(path+"/", module+"/") }

// between returns the part of a file between two texts.
func between(name, from, to string) string {
	_, rest, _ := strings.Cut(string(reference.Must(os.ReadFile(name))), from)
	found, _, ok := strings.Cut(rest, to)
	if !ok {
		panic(fmt.Sprintf("%s does not have %q and %q", name, from, to))
	}
	return found
}

// output runs a command and returns its standard output. It panics with its error output.
func output(env []string, name string, args ...string) string {
	var complaints strings.Builder
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Stderr = append(append(os.Environ(), "CGO_ENABLED=0"), env...), &complaints
	out, err := cmd.Output()
	if err != nil {
		panic(fmt.Sprintf("%v: %v\n%s", cmd, err, &complaints))
	}
	return string(out)
}

// Import returns a package that was read before, or another.
func (b *build) Import(name string) (*types.Package, error) {
	if p := b.ours[name]; p != nil {
		return p, nil
	}
	return b.others.Import(name)
}

// read parses and checks the files of a package, and adds its parts.
func (b *build) read(p *goPackage) {
	text := func(names ...string) (all string) {
		for _, name := range names {
			all += string(reference.Must(os.ReadFile(filepath.Join(p.Dir, filepath.Base(name)))))
		}
		return all
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		files = append(files, reference.Must(parser.ParseFile(b.fset, filepath.Join(p.Dir, name), nil,
			parser.ParseComments)))
	}
	config := types.Config{Importer: b, Sizes: types.SizesFor("gc", "amd64")}
	b.ours[p.ImportPath] = reference.Must(config.Check(p.ImportPath, b.fset, files, &b.info))

	below := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
	all := part{pkg: path.Join("koblitz", below),
		secret: strings.Contains(b.secret, strconv.Quote(below))}
	tests := text(reference.Must(filepath.Glob(filepath.Join(p.Dir, "*_test.go")))...)
	if all.secret {
		all.checks += "C"
	}
	if strings.Contains(tests, module+"/internal/reference") {
		all.checks += "O"
	}
	if strings.Contains(tests, "\nfunc Fuzz") {
		all.checks += "F"
	}
	kernels := map[string]int{}
	for _, body := range strings.Split(text(p.SFiles...), "\nTEXT ·")[1:] {
		name, _, _ := strings.Cut(body, "(")
		kernels[name] = countLines(body)
	}
	for i, f := range files {
		all.file = p.ImportPath + "/" + p.GoFiles[i]
		code := text(p.GoFiles[i])
		source := func(from, to token.Pos) string {
			return code[b.fset.Position(from).Offset:b.fset.Position(to).Offset]
		}
		add := func(kind string, n ast.Node, names ...*ast.Ident) *part {
			q := all
			q.name, q.kind, q.node = names[0].Name, kind, n
			q.lines = countLines(source(n.Pos(), n.End()))
			q.secret = q.secret && kind == function
			for _, id := range names {
				b.parts[b.info.Defs[id]] = &q
			}
			return &q
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			default:
				return true
			case *ast.TypeSpec:
				add(declaration, n, n.Name)
			case *ast.ValueSpec:
				add(declaration, n, n.Names...)
			case *ast.FuncDecl:
				q := add(function, n, n.Name)
				begin := n.Pos()
				if n.Doc != nil {
					begin = n.Doc.Pos()
				}
				q.secret = q.secret && !strings.Contains(q.name, "Vartime") &&
					!strings.Contains(source(f.FileStart, f.Package)+source(begin, n.Pos()), "//ct:public ")
				if n.Recv != nil {
					q.name = strings.Trim(types.ExprString(n.Recv.List[0].Type), "*") + "." + q.name
				}
				if n.Body == nil {
					q.kind, q.lines = assembly, kernels[q.name]
					if q.lines == 0 {
						panic(fmt.Sprintf("%s: the function %s has no code", p.ImportPath, q.name))
					}
					q.proven = slices.Contains(b.proven, path.Base(below)+"."+q.name)
				}
			}
			return false
		})
	}
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
