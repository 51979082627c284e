package layers

import (
	"go/ast"
	"slices"
)

// A test that cannot run on a machine must call Skip, because CI checks the reason of every skipped
// test. If the test returned instead, or left out a subtest, it would count as passed.

// conditions holds the names of functions and variables that tell a test about the machine, or
// about the way it is run. Each is mapped to the names that may stand before it, with a dot between
// them; nil allows any name.
var conditions = map[string][]string{
	"Has":       {"cpu"},
	"Available": nil, "haveKernels": nil,
	"Short":  {"testing"},
	"GOOS":   {"runtime"},
	"GOARCH": {"runtime"},
	"Getenv": {"os"}, "LookupEnv": {"os"},
	"LookPath": {"exec"},
}

// skips reports the if statements in a test file that test one of the conditions, and then return
// from the test or leave out a subtest instead of skipping it.
func (c *checker) skips(rel string, f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		branch, ok := n.(*ast.IfStmt)
		if !ok || !asksMachine(branch.Cond) && (branch.Init == nil || !asksMachine(branch.Init)) {
			return true
		}
		list := branch.Body.List
		if len(list) == 0 {
			return true
		}
		r, ok := list[len(list)-1].(*ast.ReturnStmt)
		if ok && len(r.Results) == 0 && !callsMethod(branch.Body,
			"Skip", "Skipf", "SkipNow", "Fatal", "Fatalf", "Error", "Errorf") {
			c.report(rel, "a test returns where it should be skipped")
		}
		if branch.Else == nil && callsMethod(branch.Body, "Run") {
			c.report(rel, "a subtest is left out where it should be skipped")
		}
		return true
	})
}

// asksMachine reports whether the syntax tree n contains one of the names in conditions.
func asksMachine(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			of, ok := conditions[n.Name]
			found = found || ok && of == nil
		case *ast.SelectorExpr:
			of, ok := conditions[n.Sel.Name]
			id, isIdent := n.X.(*ast.Ident)
			found = found || ok && (of == nil || isIdent && slices.Contains(of, id.Name))
		}
		return true
	})
	return found
}

// callsMethod reports whether the syntax tree n contains a call of a method with one of the given
// names.
func callsMethod(n ast.Node, names ...string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			sel, ok := call.Fun.(*ast.SelectorExpr)
			found = found || ok && slices.Contains(names, sel.Sel.Name)
		}
		return true
	})
	return found
}
