package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"strings"
)

// other is a function that mutants call to swap two arguments, which must have the same type.
const other = "\nfunc mutantOther[T any](_, y T) T { return y }\n"

// A file is a source file and the mutants that sites found in it.
type file struct {
	pkg, path string
	fset      *token.FileSet
	source    []byte
	found     []*mutant
}

// sites returns all mutants of packages.
func sites(packages []string) (all []*mutant, err error) {
	const names = "{{range .GoFiles}}{{$.ImportPath}}\t{{$.Dir}}/{{.}}\n{{end}}"
	args := append([]string{"list", "-f", names, "--"}, packages...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		f := &file{fset: token.NewFileSet()}
		f.pkg, f.path, _ = strings.Cut(strings.TrimSpace(line), "\t")
		if f.path == "" {
			continue // between two packages
		}
		if f.source, err = os.ReadFile(f.path); err != nil {
			return nil, err
		}
		tree, err := parser.ParseFile(f.fset, f.path, f.source, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if ast.IsGenerated(tree) {
			continue
		}
		for _, d := range tree.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				ast.Inspect(d.Body, f.visit)
			}
		}
		all = append(all, f.found...)
	}
	return all, nil
}

func (f *file) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		f.add("negated", n.Cond.Pos(), n.Cond.End(), "!("+f.text(n.Cond)+")")
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.CommClause:
		f.statements(n.Body)
	case *ast.BinaryExpr:
		off := map[token.Token]string{
			token.LSS: " <= ", token.LEQ: " < ", token.GTR: " >= ", token.GEQ: " > ",
		}
		x, y := f.text(n.X), f.text(n.Y)
		if operator := off[n.Op]; operator != "" && !strings.Contains(x+y, "\n") {
			f.add("off by one", n.Pos(), n.End(), x+operator+y)
		}
	case *ast.CallExpr:
		f.swapped(n.Args)
	}
	return true
}

// statements leaves out statements that need no other one in their place.
func (f *file) statements(list []ast.Stmt) {
	for _, n := range list {
		switch s := n.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt:
		default:
			continue
		}
		f.add("left out", n.Pos(), n.End(), "if false { "+f.text(n)+" }")
	}
}

// swapped swaps the first neighbours among the arguments that are names.
func (f *file) swapped(args []ast.Expr) {
	plain := func(e ast.Expr) bool {
		name, ok := e.(*ast.Ident)
		return ok && name.Name != "nil"
	}
	for i := 1; i < len(args); i++ {
		if x, y := args[i-1], args[i]; plain(x) && plain(y) {
			each := fmt.Sprintf("mutantOther(%s, %s), ", f.text(x), f.text(y))
			back := fmt.Sprintf("mutantOther(%s, %s)", f.text(y), f.text(x))
			f.add("swapped", x.Pos(), y.End(), each+back)
			return
		}
	}
}

func (f *file) text(n ast.Node) string {
	return string(f.source[f.fset.Position(n.Pos()).Offset:f.fset.Position(n.End()).Offset])
}

// add adds a mutant with text in place of the source from one position to another.
func (f *file) add(kind string, from, to token.Pos, text string) {
	start, end := f.fset.Position(from), f.fset.Position(to)
	before := string(f.source[start.Offset:end.Offset])
	first, _, _ := strings.Cut(before, "\n")
	f.found = append(f.found, &mutant{
		f.pkg, f.path, start.Line, start.Offset, kind, first, before, text,
	})
}
