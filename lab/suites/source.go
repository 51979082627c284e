package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
)

// without returns the text of a Go file without the functions that are keys of leftOut, and
// without imports that only these use. Spaces replace them, so that line numbers do not change. A
// method has a name such as "*T.M". without adds the functions that it leaves out to found.
func without(file string, leftOut map[string]string, found map[string]bool) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	blank := func(n ast.Node) {
		for i := set.Position(n.Pos()).Offset; i < set.Position(n.End()).Offset; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	before, after := map[string]bool{}, map[string]bool{} // packages that functions use
	for _, d := range parsed.Decls {
		f, is := d.(*ast.FuncDecl)
		gone := is && leftOut[functionName(f)] != ""
		ast.Inspect(d, func(n ast.Node) bool {
			if s, is := n.(*ast.SelectorExpr); is {
				if x, is := s.X.(*ast.Ident); is {
					before[x.Name] = true
					after[x.Name] = after[x.Name] || !gone
				}
			}
			return true
		})
		if gone {
			found[functionName(f)] = true
			blank(f)
		}
	}
	for _, i := range parsed.Imports {
		name := strings.Trim(i.Path.Value[strings.LastIndexByte(i.Path.Value, '/')+1:], `"`)
		if i.Name != nil {
			name = i.Name.Name
		}
		if before[name] && !after[name] {
			blank(i)
		}
	}
	return text, nil
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return types.ExprString(f.Recv.List[0].Type) + "." + f.Name.Name
}
