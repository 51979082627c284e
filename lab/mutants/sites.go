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

// variable is the environment variable that chooses an error. Zero is none.
const variable = "KOBLITZ_MUTANT"

// helpers is what the errors call.
const helpers = `package %s

import (
	"os"
	"strconv"
)

var mutant = func() int { n, _ := strconv.Atoi(os.Getenv("` + variable + `")); return n }()

func mutated(n int) bool { return n == mutant }

type mutantInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

func mutantMore[T mutantInteger](n int, x T) T {
	if mutated(n) {
		x++
	}
	return x
}

func mutantOther[T any](n int, x, y T) T {
	if mutated(n) {
		return y
	}
	return x
}
`

// A mutant is an error that can be planted. Its edits insert text and leave all lines where they are.
type mutant struct {
	number       int
	path, copied string
	first, last  int // lines
	ends         int // of the function, for a return
	kind         string
	edits        []edit
}

// An edit inserts text at an offset in bytes. In text %d stands for the number of the error. Of
// several at one offset, those that end something come first, of the smallest node at first.
type edit struct {
	offset int
	text   string
	rank   int
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d %s", relative(m.path), m.first, m.kind)
}

func relative(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if r, err := filepath.Rel(here, path); err == nil {
		return r
	}
	return path
}

var message = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: (.*)$`)

// without returns the errors that messages of the compiler do not blame. A missing return is blamed
// on the last return of its function that was left out.
func without(mutants []*mutant, messages []byte) []*mutant {
	blamed := map[*mutant]bool{}
	for _, found := range message.FindAllSubmatch(messages, -1) {
		line, _ := strconv.Atoi(string(found[2]))
		var last *mutant
		for _, m := range mutants {
			switch {
			case filepath.Base(string(found[1])) != filepath.Base(m.copied):
			case string(found[3]) != "missing return":
				blamed[m] = blamed[m] || m.first <= line && line <= m.last
			case m.ends == line && (last == nil || m.first > last.first):
				last = m
			}
		}
		blamed[last] = true
	}
	return slices.DeleteFunc(slices.Clone(mutants), func(m *mutant) bool { return blamed[m] })
}

// sites returns all errors that can be planted in a file.
func sites(path string) ([]*mutant, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	s := &site{path: path, fset: fset, source: source}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			s.function(f.Body)
		}
	}
	return s.found, nil
}

type site struct {
	path   string
	fset   *token.FileSet
	source []byte
	ends   int // the last line of the function
	found  []*mutant
}

func (s *site) function(body *ast.BlockStmt) {
	outer := s.ends
	s.ends = s.fset.Position(body.End()).Line
	ast.Inspect(body, s.visit)
	s.ends = outer
}

func (s *site) text(n ast.Node) string {
	return string(s.source[s.fset.Position(n.Pos()).Offset:s.fset.Position(n.End()).Offset])
}

// around adds an error that puts text before and behind a node.
func (s *site) around(n ast.Node, kind, before, behind string) {
	s.replace(kind, n, n, before, behind)
}

// replace adds an error that puts text before first and behind last.
func (s *site) replace(kind string, first, last ast.Node, before, behind string) {
	from, to := s.fset.Position(first.Pos()), s.fset.Position(last.End())
	length := to.Offset - from.Offset
	line, _, _ := strings.Cut(string(s.source[from.Offset:to.Offset]), "\n")
	m := &mutant{path: s.path, first: from.Line, last: to.Line, kind: kind + ": " + line}
	m.edits = []edit{{from.Offset, before, 1<<40 - length}, {to.Offset, behind, length}}
	s.found = append(s.found, m)
}

func (s *site) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		s.function(n.Body)
		return false
	case *ast.IfStmt:
		s.around(n.Cond, "negated", "mutated(%d) != (", ")")
	case *ast.ForStmt:
		if n.Cond != nil {
			s.around(n.Cond, "negated", "mutated(%d) != (", ")")
		}
	case *ast.BlockStmt:
		s.statements(n.List)
	case *ast.CaseClause:
		s.statements(n.Body)
	case *ast.CommClause:
		s.statements(n.Body)
	case *ast.BinaryExpr:
		s.binary(n)
	case *ast.CallExpr:
		s.swapped(n)
	}
	return true
}

func (s *site) statements(list []ast.Stmt) {
	for _, n := range list {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				continue
			}
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.ReturnStmt, *ast.BranchStmt, *ast.DeferStmt:
		default:
			continue
		}
		s.around(n, "left out", "if !mutated(%d) { ", " }")
		if _, ok := n.(*ast.ReturnStmt); ok {
			s.found[len(s.found)-1].ends = s.ends
		}
	}
}

func (s *site) binary(n *ast.BinaryExpr) {
	switch n.Op {
	case token.LSS, token.GTR, token.LEQ, token.GEQ:
		equal := s.text(n.X) + " == " + s.text(n.Y)
		if strings.Contains(equal, "\n") {
			return
		}
		if n.Op == token.LSS || n.Op == token.GTR {
			s.around(n, "off by one", "(", " || mutated(%d) && "+equal+")")
		} else {
			s.around(n, "off by one", "(", " && !(mutated(%d) && "+equal+"))")
		}
	case token.ADD, token.SUB:
		for _, side := range []ast.Expr{n.X, n.Y} {
			if l, ok := side.(*ast.BasicLit); ok && l.Kind != token.INT {
				return
			}
		}
		s.around(n, "off by one", "mutantMore(%d, ", ")")
	}
}

// swapped swaps the first pair of neighbours among the arguments that are plain.
func (s *site) swapped(n *ast.CallExpr) {
	plain := func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.Ident:
			return e.Name != "nil"
		case *ast.SelectorExpr:
			return true
		}
		return false
	}
	for i := 1; i < len(n.Args); i++ {
		x, y := n.Args[i-1], n.Args[i]
		if !plain(x) || !plain(y) || n.Ellipsis.IsValid() && i == len(n.Args)-1 {
			continue
		}
		a, b := s.text(x), s.text(y)
		s.replace("swapped", x, y, "mutantOther(%d, "+b+", "+a+")", "")
		m := s.found[len(s.found)-1]
		first, second := s.fset.Position(x.Pos()).Offset, s.fset.Position(y.Pos()).Offset
		m.edits = []edit{
			{first, "mutantOther(%d, ", 1<<40 - len(a)}, {first + len(a), ", " + b + ")", len(a)},
			{second, "mutantOther(%d, ", 1<<40 - len(b)}, {second + len(b), ", " + a + ")", len(b)},
		}
		return
	}
}

// write writes the source files with all errors, and returns the path of the overlay.
func write(dir string, subjects []listed, mutants []*mutant) (string, error) {
	replaced := map[string]string{}
	create := func(path, text string) error {
		copied := filepath.Join(dir, strconv.Itoa(len(replaced))+".go")
		replaced[path] = copied
		return os.WriteFile(copied, []byte(text), 0o600)
	}
	edits := map[string][]edit{}
	files := map[string][]*mutant{}
	for _, m := range mutants {
		files[m.path] = append(files[m.path], m)
		for _, e := range m.edits {
			e.text = strings.ReplaceAll(e.text, "%d", strconv.Itoa(m.number))
			edits[m.path] = append(edits[m.path], e)
		}
	}
	for path, es := range edits {
		source, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		slices.SortStableFunc(es, func(a, b edit) int {
			if a.offset != b.offset {
				return a.offset - b.offset
			}
			return a.rank - b.rank
		})
		var text strings.Builder
		from := 0
		for _, e := range es {
			text.Write(source[from:e.offset])
			text.WriteString(e.text)
			from = e.offset
		}
		text.Write(source[from:])
		if err := create(path, text.String()); err != nil {
			return "", err
		}
		for _, m := range files[path] {
			m.copied = replaced[path]
		}
	}
	for _, p := range subjects {
		if err := create(filepath.Join(p.Dir, "mutants_helpers.go"), fmt.Sprintf(helpers, p.Name)); err != nil {
			return "", err
		}
	}
	overlay := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	if err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, text, 0o600)
}
