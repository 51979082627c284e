// Command typecheck checks the types of packages and their tests for other machines, without a
// compilation:
//
//	go run ./lab/layers/typecheck windows/386 [-tags TAGS] PACKAGE…
//
// It takes seven seconds where go vet first compiles all dependencies, which takes minutes for each
// machine. It does not find what the checks of go vet, the assembler and the linker find.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: typecheck SYSTEM/CPU [-tags TAGS] PACKAGE…")
		os.Exit(2)
	}
	machine := os.Args[1]
	n, err := check(machine, os.Args[2:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", machine, err)
		os.Exit(1)
	}
	fmt.Printf("%s: the types of %d packages are right\n", machine, n)
}

// A pkg is a package as go list -json describes it. A package that is compiled again for a test has
// an import path such as "p [p.test]".
type pkg struct {
	ImportPath, Dir string
	GoFiles, SFiles []string
	ImportMap       map[string]string
	DepOnly         bool
	Error           *struct{ Err string }
	Module          *struct{ GoVersion string }
}

// check type-checks packages, their tests and all imported packages, with the files that a compiler
// for the given machine uses without cgo. The packages are arguments of go list, and flags may come
// before them. check returns how many packages match, and counts each test as a package.
func check(machine string, packages []string) (matched int, err error) {
	system, arch, _ := strings.Cut(machine, "/")
	args := append([]string{"list", "-e", "-deps", "-test",
		"-json=ImportPath,Dir,GoFiles,SFiles,ImportMap,DepOnly,Error,Module"}, packages...)
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("go list: %w", err)
	}
	c := checker{sizes: types.SizesFor("gc", arch), files: token.NewFileSet(),
		packages: map[string]*pkg{}, parsed: map[string]*ast.File{},
		done: map[string]*types.Package{"unsafe": types.Unsafe}}
	if c.sizes == nil {
		return 0, fmt.Errorf("there is no machine %s", machine)
	}
	var matching []*pkg
	for list := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := new(pkg)
		if err := list.Decode(p); err == io.EOF {
			break
		} else if err != nil {
			return 0, fmt.Errorf("go list: %w", err)
		}
		c.packages[p.ImportPath] = p
		if !p.DepOnly && !strings.HasSuffix(p.ImportPath, ".test") { // go writes that one
			matching = append(matching, p)
		}
	}
	if len(matching) == 0 {
		return 0, errors.New("no package matches")
	}
	for _, p := range matching {
		c.check(p)
	}
	return len(matching), errors.Join(c.failures...)
}

// A checker checks each package once, after the packages that the package imports.
type checker struct {
	sizes    types.Sizes
	packages map[string]*pkg // by import path
	files    *token.FileSet
	parsed   map[string]*ast.File // by file name
	done     map[string]*types.Package
	failures []error
}

// check type-checks a package and returns it. In a package that is only imported it ignores the
// bodies of functions, and errors: an importer reports what it lacks.
func (c *checker) check(p *pkg) *types.Package {
	if done := c.done[p.ImportPath]; done != nil {
		return done
	}
	fail := func(err error) {
		if !p.DepOnly {
			c.failures = append(c.failures, err)
		}
	}
	if p.Error != nil {
		fail(fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err))
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		if c.parsed[name] == nil {
			f, err := parser.ParseFile(c.files, name, nil, parser.SkipObjectResolution)
			if err != nil {
				fail(err)
				continue
			}
			c.parsed[name] = f
		}
		files = append(files, c.parsed[name])
	}
	conf := types.Config{
		Importer: importer(func(path string) (*types.Package, error) {
			if mapped := p.ImportMap[path]; mapped != "" {
				path = mapped
			}
			if imported := c.packages[path]; imported != nil {
				return c.check(imported), nil
			}
			return nil, errors.New("there is no such package")
		}),
		IgnoreFuncBodies: p.DepOnly,
		Sizes:            c.sizes,
		Error:            fail,
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	c.done[p.ImportPath], _ = conf.Check(path, c.files, files, nil) // fail gets the errors
	if len(p.SFiles) == 0 {
		for _, f := range files {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body == nil {
					fail(fmt.Errorf("%s: missing function body", c.files.Position(fn.Pos())))
				}
			}
		}
	}
	return c.done[p.ImportPath]
}

// An importer finds imported packages.
type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
