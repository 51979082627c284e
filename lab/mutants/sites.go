package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// variable is the environment variable that chooses a mutant. Zero is none.
const variable = "KOBLITZ_MUTANT"

// helpers is what mutants call.
const helpers = `package %s

import (
	"os"
	"strconv"
)

var mutant = func() int { n, _ := strconv.Atoi(os.Getenv("` + variable + `")); return n }()

func mutated(n int) bool { return n == mutant }

func mutantOther[T any](n int, x, y T) T {
	if mutated(n) {
		return y
	}
	return x
}
`

// A mutant is an error that can be planted. Its edits leave all lines where they are.
type mutant struct {
	number       int
	path, copied string
	first, last  int // lines
	text         string
	edits        []edit
}

// An edit inserts text at an offset in bytes; in text, %d stands for the number of the mutant. Of
// edits at one offset, that of the least rank comes first: what ends the smallest node, and at last
// what begins the smallest.
type edit struct {
	offset int
	text   string
	rank   int
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d %s", filepath.Base(m.path), m.first, m.text)
}

var message = regexp.MustCompile(`(?m)([^ ]+\.go):(\d+):\d+: `)

// without returns the mutants that are on none of the lines of messages of the compiler.
func without(mutants []*mutant, messages []byte) []*mutant {
	blamed := map[string][]int{}
	for _, found := range message.FindAllStringSubmatch(string(messages), -1) {
		line, _ := strconv.Atoi(found[2])
		name := filepath.Base(found[1])
		blamed[name] = append(blamed[name], line)
	}
	return slices.DeleteFunc(slices.Clone(mutants), func(m *mutant) bool {
		return slices.ContainsFunc(blamed[filepath.Base(m.copied)], func(line int) bool {
			return m.first <= line && line <= m.last
		})
	})
}

// A file is a source file in which mutants are looked for.
type file struct {
	path   string
	fset   *token.FileSet
	source []byte
	found  []*mutant
}

// sites returns all mutants of a file.
func sites(path string) ([]*mutant, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &file{path: path, fset: token.NewFileSet(), source: source}
	tree, err := parser.ParseFile(f.fset, path, source, parser.ParseComments)
	if err != nil || ast.IsGenerated(tree) {
		return nil, err
	}
	for _, d := range tree.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			ast.Inspect(d.Body, f.visit)
		}
	}
	return f.found, nil
}

func (f *file) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		f.add("negated", f.around(n.Cond, "mutated(%d) != (", ")"))
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.CommClause:
		f.statements(n.Body)
	case *ast.BinaryExpr:
		equal := "mutated(%d) && " + f.text(n.X) + " == " + f.text(n.Y)
		switch n.Op {
		case token.LSS, token.GTR:
			f.add("off by one", f.around(n, "(", " || "+equal+")"))
		case token.LEQ, token.GEQ:
			f.add("off by one", f.around(n, "(", " && !("+equal+"))"))
		}
	case *ast.CallExpr:
		f.swapped(n.Args)
	}
	return true
}

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
		f.add("left out", f.around(n, "if !mutated(%d) { ", " }"))
	}
}

// swapped swaps the first neighbours among the arguments that are names.
func (f *file) swapped(args []ast.Expr) {
	plain := func(e ast.Expr) bool {
		name, ok := e.(*ast.Ident)
		return ok && name.Name != "nil"
	}
	for i := 1; i < len(args); i++ {
		x, y := args[i-1], args[i]
		if plain(x) && plain(y) {
			f.add("swapped", append(f.around(x, "mutantOther(%d, ", ", "+f.text(y)+")"),
				f.around(y, "mutantOther(%d, ", ", "+f.text(x)+")")...))
			return
		}
	}
}

func (f *file) text(n ast.Node) string {
	return string(f.source[f.fset.Position(n.Pos()).Offset:f.fset.Position(n.End()).Offset])
}

// around returns edits that put text before and behind a node.
func (f *file) around(n ast.Node, before, behind string) []edit {
	from, to := f.fset.Position(n.Pos()).Offset, f.fset.Position(n.End()).Offset
	return []edit{{from, before, len(f.source) + from - to}, {to, behind, to - from}}
}

// add adds a mutant, unless it would add lines.
func (f *file) add(kind string, edits []edit) {
	from, to := edits[0].offset, edits[len(edits)-1].offset
	text := string(f.source[from:to])
	first := 1 + strings.Count(string(f.source[:from]), "\n")
	m := &mutant{path: f.path, first: first, last: first + strings.Count(text, "\n"), edits: edits}
	text, _, _ = strings.Cut(text, "\n")
	m.text = kind + ": " + text
	if !slices.ContainsFunc(edits, func(e edit) bool { return strings.Contains(e.text, "\n") }) {
		f.found = append(f.found, m)
	}
}

// write writes the source files with all mutants, and returns the path of the overlay.
func write(dir string, subjects []listed, mutants []*mutant) (string, error) {
	replaced := map[string]string{}
	create := func(path, text string) error {
		replaced[path] = filepath.Join(dir, strconv.Itoa(len(replaced))+".go")
		return os.WriteFile(replaced[path], []byte(text), 0o600)
	}
	for _, p := range subjects {
		err := create(filepath.Join(p.Dir, "mutants_helpers.go"), fmt.Sprintf(helpers, p.Name))
		if err != nil {
			return "", err
		}
		for _, name := range p.GoFiles {
			path := filepath.Join(p.Dir, name)
			text, err := os.ReadFile(path)
			if err != nil {
				return "", err
			}
			var edits []edit
			for _, m := range mutants {
				if m.path != path {
					continue
				}
				m.copied = strconv.Itoa(len(replaced)) + ".go"
				for _, e := range m.edits {
					e.text = strings.ReplaceAll(e.text, "%d", strconv.Itoa(m.number))
					edits = append(edits, e)
				}
			}
			slices.SortStableFunc(edits, func(a, b edit) int { // the last comes first
				if a.offset != b.offset {
					return b.offset - a.offset
				}
				return b.rank - a.rank
			})
			for _, e := range edits {
				text = slices.Insert(text, e.offset, []byte(e.text)...)
			}
			if err := create(path, string(text)); err != nil {
				return "", err
			}
		}
	}
	overlay := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	if err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, text, 0o600)
}
