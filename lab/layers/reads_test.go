package layers

import (
	"go/ast"
)

// reads reports calls of a method Read that ignore the number of bytes. A reader may fill only a
// part of its argument, and a nonce from one random byte repeats. Read of crypto/rand fills its
// argument or ends the program.
func (c *checker) reads(rel string, f *ast.File) {
	system := ""
	for _, spec := range f.Imports {
		if spec.Path.Value == `"crypto/rand"` {
			if system = "rand"; spec.Name != nil {
				system = spec.Name.Name
			}
		}
	}
	ignoring := func(e ast.Expr) {
		call, ok := e.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Read" {
			return
		}
		if id, ok := sel.X.(*ast.Ident); !ok || id.Name != system {
			c.report(rel, "ignores how many bytes Read has read: use io.ReadFull")
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			ignoring(n.X)
		case *ast.AssignStmt:
			if id, ok := n.Lhs[0].(*ast.Ident); ok && id.Name == "_" {
				ignoring(n.Rhs[0])
			}
		}
		return true
	})
}
