package vectors

import (
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A goRow is one element of a table in another module's test. It maps field names to values of type
// string, []byte, int, bool, nil or goName.
type goRow map[string]any

// A goName is an identifier in the source, such as the name of an error.
type goName string

func (r goRow) text(t *testing.T, field string) string {
	t.Helper()
	s, ok := r[field].(string)
	if !ok && r[field] != nil {
		t.Fatalf("field %s is %v, not a string", field, r[field])
	}
	return s
}

// goTable returns the rows of a table in a source file of a module that go.mod requires. name is
// the name of a variable at the top level of the file, or FUNCTION.VARIABLE for a variable in a
// function. The table is the first composite literal that is assigned to that variable.
func goTable(t *testing.T, module, file, name string) []goRow {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	dir := strings.TrimSpace(string(out))
	if err == nil && dir == "" {
		out, err = exec.Command("go", "mod", "download", module).CombinedOutput()
		if err == nil {
			out, err = exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
			dir = strings.TrimSpace(string(out))
		}
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", module, err, out)
	}
	path := filepath.Join(dir, filepath.FromSlash(file))
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	table := goTables{structs: map[string][]string{}, consts: map[string]ast.Expr{}}
	rows, err := table.read(f, name)
	if err != nil {
		t.Fatalf("%s: %s: %v", path, name, err)
	}
	return rows
}

// goTables holds the declarations of a source file that its tables refer to.
type goTables struct {
	structs map[string][]string // field names of each struct type
	consts  map[string]ast.Expr
}

func (g *goTables) read(f *ast.File, name string) ([]goRow, error) {
	function, variable, inside := strings.Cut(name, ".")
	if !inside {
		function, variable = "", name
	}
	var found *ast.CompositeLit
	search := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if id, ok := n.Lhs[0].(*ast.Ident); ok && id.Name == variable && found == nil {
				found, _ = n.Rhs[0].(*ast.CompositeLit)
			}
		case *ast.ValueSpec:
			if n.Names[0].Name == variable && len(n.Values) == 1 && found == nil {
				found, _ = n.Values[0].(*ast.CompositeLit)
			}
		}
		return found == nil
	}
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if inside && decl.Name.Name == function {
				ast.Inspect(decl.Body, search)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if s, ok := spec.Type.(*ast.StructType); ok {
						g.structs[spec.Name.Name] = fieldNames(s)
					}
				case *ast.ValueSpec:
					if decl.Tok == token.CONST && len(spec.Values) == 1 {
						g.consts[spec.Names[0].Name] = spec.Values[0]
					}
				}
			}
			if !inside {
				ast.Inspect(decl, search)
			}
		}
	}
	if found == nil {
		return nil, fmt.Errorf("table not found")
	}
	array, ok := found.Type.(*ast.ArrayType)
	if !ok {
		return nil, fmt.Errorf("not a slice")
	}
	var fields []string
	switch elem := array.Elt.(type) {
	case *ast.StructType:
		fields = fieldNames(elem)
	case *ast.Ident:
		fields = g.structs[elem.Name]
	}
	if fields == nil {
		return nil, fmt.Errorf("not a slice of structs")
	}
	var rows []goRow
	for i, e := range found.Elts {
		lit, ok := e.(*ast.CompositeLit)
		if !ok {
			return nil, fmt.Errorf("row %d is not a literal", i)
		}
		row := goRow{}
		for j, e := range lit.Elts {
			field := ""
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				field, e = kv.Key.(*ast.Ident).Name, kv.Value
			} else {
				field = fields[j]
			}
			v, err := g.value(e)
			if err != nil {
				return nil, fmt.Errorf("row %d: %s: %v", i, field, err)
			}
			row[field] = v
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func fieldNames(s *ast.StructType) []string {
	var names []string
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

func (g *goTables) value(e ast.Expr) (any, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		switch e.Kind {
		case token.STRING:
			return strconv.Unquote(e.Value)
		case token.INT:
			n, err := strconv.ParseInt(e.Value, 0, 64)
			return int(n), err
		}
	case *ast.Ident:
		switch e.Name {
		case "true":
			return true, nil
		case "false":
			return false, nil
		case "nil":
			return nil, nil
		}
		if c, ok := g.consts[e.Name]; ok {
			return g.value(c)
		}
		return goName(e.Name), nil
	case *ast.SelectorExpr:
		return goName(e.Sel.Name), nil
	case *ast.ParenExpr:
		return g.value(e.X)
	case *ast.BinaryExpr:
		x, err := g.value(e.X)
		if err != nil {
			return nil, err
		}
		y, err := g.value(e.Y)
		if err != nil {
			return nil, err
		}
		xs, xText := x.(string)
		ys, yText := y.(string)
		if xText && yText && e.Op == token.ADD {
			return xs + ys, nil
		}
		return goName(fmt.Sprintf("%v%v%v", x, e.Op, y)), nil
	case *ast.CallExpr: // the only calls in these tables decode hexadecimal digits
		if len(e.Args) == 1 {
			v, err := g.value(e.Args[0])
			if s, ok := v.(string); ok && err == nil {
				return hex.DecodeString(s)
			}
		}
	case *ast.CompositeLit:
		b := []byte{}
		for _, e := range e.Elts {
			v, err := g.value(e)
			n, ok := v.(int)
			if err != nil || !ok || n < 0 || n > 255 {
				return nil, fmt.Errorf("not a slice of bytes")
			}
			b = append(b, byte(n))
		}
		return b, nil
	}
	return nil, fmt.Errorf("a %T is not supported", e)
}

const (
	dcrec = "github.com/decred/dcrd/dcrec/secp256k1/v4"
	btcec = "github.com/btcsuite/btcd/btcec/v2"
)
