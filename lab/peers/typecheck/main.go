// Command typecheck checks the types of packages and their tests for other machines, without a
// compilation:
//
//	typecheck windows/386 [-tags TAGS] PACKAGE…
//
// It takes seconds where go vet first compiles all dependencies, which takes minutes for each
// machine. It does not find what the checks of go vet, the assembler and the linker find.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: typecheck SYSTEM/CPU [-tags TAGS] PACKAGE…")
		os.Exit(2)
	}
	machine, flags, patterns := os.Args[1], []string(nil), os.Args[2:]
	if patterns[0] == "-tags" {
		flags, patterns = patterns[:2], patterns[2:]
	}
	n, err := check(machine, flags, patterns)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", machine, err)
		os.Exit(1)
	}
	fmt.Printf("%s: the types of %d packages are right\n", machine, n)
}

// check type-checks packages, their tests and all imported packages, with the files that a compiler
// for the given machine uses without cgo. It returns how many packages match the patterns, and
// counts each test as a package.
func check(machine string, flags, patterns []string) (matched int, err error) {
	system, arch, _ := strings.Cut(machine, "/")
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return 0, fmt.Errorf("go env GOROOT: %w", err)
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "src") + string(filepath.Separator)
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
			packages.NeedImports | packages.NeedDeps | packages.NeedModule |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesSizes,
		Env:        append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0"),
		BuildFlags: flags,
		Tests:      true,
		ParseFile: func(set *token.FileSet, name string, src []byte) (*ast.File, error) {
			f, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
			if f != nil && strings.HasPrefix(name, library) {
				dropBodies(f)
			}
			return f, err
		},
	}, patterns...)
	if err != nil {
		return 0, fmt.Errorf("go list: %w", err)
	}
	var failures []error
	for _, p := range loaded {
		if strings.HasSuffix(p.ID, ".test") { // go writes that one
			continue
		}
		matched++
		for _, e := range p.Errors {
			failures = append(failures, e)
		}
		for _, fn := range functions(p.Syntax) {
			if fn.Body == nil && len(p.OtherFiles) == 0 { // which have the bodies in assembly
				failures = append(failures,
					fmt.Errorf("%v: missing function body", p.Fset.Position(fn.Pos())))
			}
		}
	}
	if matched == 0 {
		failures = append(failures, errors.New("no package matches"))
	}
	return matched, errors.Join(failures...)
}

// dropBodies removes the bodies of functions, which saves time. An importer needs none.
func dropBodies(f *ast.File) {
	for _, fn := range functions([]*ast.File{f}) {
		fn.Body = nil
	}
}

// functions returns the functions and methods of files.
func functions(files []*ast.File) (all []*ast.FuncDecl) {
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				all = append(all, fn)
			}
		}
	}
	return all
}
