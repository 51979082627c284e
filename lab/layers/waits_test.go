package layers

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// A test must not depend on how fast the machine is, and a loaded machine is slow. So a test waits
// for an event or a state instead of a time, and has no time limit other than that of go test.
// Package testing/synctest simulates the clock.

// waiting holds the functions that wait for a time, or limit it, with the index of the argument
// that is the time.
var waiting = map[string]int{
	"time.Sleep": 0, "time.After": 0, "time.AfterFunc": 0, "time.Tick": 0, "time.NewTimer": 0,
	"time.NewTicker":      0,
	"context.WithTimeout": 1, "context.WithTimeoutCause": 1,
	"context.WithDeadline": 1, "context.WithDeadlineCause": 1,
}

// clocks holds the functions that read the clock.
var clocks = []string{"time.Now", "time.Since", "time.Until"}

// realTime holds the folders and files that the rule on waits does not apply to, because their
// tests use fake devices that take time, or measure times.
var realTime = []string{"gpu/", "lab/ctcheck/timing_test.go"}

// waits reports the waits and time limits of less than a minute in a file of tests, and comparisons
// with such a time. It allows them in the argument of synctest.Test, in benchmarks, and if a loop
// pauses before it looks at a state again:
//
//	for ; !ready(); time.Sleep(time.Millisecond) {
//	}
func (c *checker) waits(rel string, f *ast.File) {
	if !strings.HasSuffix(rel, "_test.go") && !testHelper(path.Dir(rel)) ||
		slices.ContainsFunc(realTime, func(p string) bool { return strings.HasPrefix(rel, p) }) {
		return
	}
	simulated := map[string]bool{} // functions that synctest.Test calls
	clock := map[string]bool{}     // variables that are set to readings of a clock
	readsClock := func(e ast.Expr) (found bool) {
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				found = found || slices.Contains(clocks, qualified(n.Fun))
			case *ast.Ident:
				found = found || clock[n.Name]
			}
			return true
		})
		return found
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if qualified(n.Fun) == "synctest.Test" {
				if id, ok := n.Args[1].(*ast.Ident); ok {
					simulated[id.Name] = true
				}
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && readsClock(n.Rhs[i]) {
					clock[id.Name] = true
				}
			}
		}
		return true
	})
	compared := func(n ast.Node, x ast.Expr, y ...ast.Expr) {
		if len(y) == 1 && (readsClock(x) && !aMinute(y[0]) || readsClock(y[0]) && !aMinute(x)) &&
			c.allowed(n) == "" {
			c.report(rel, "compares how long something took")
		}
	}
	paused := map[ast.Node]bool{} // pauses of loops
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return !simulated[n.Name.Name] && !strings.HasPrefix(n.Name.Name, "Benchmark")
		case *ast.ForStmt:
			paused[n.Post] = true
		case *ast.ExprStmt:
			return !paused[n]
		case *ast.CallExpr:
			name := qualified(n.Fun)
			i, ok := waiting[name]
			if ok && i < len(n.Args) && !aMinute(n.Args[i]) && c.allowed(n) == "" {
				c.report(rel, name+" of less than a minute: wait for an event, or use testing/synctest")
			}
			if name == "synctest.Test" {
				return false
			}
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if ok && (sel.Sel.Name == "Before" || sel.Sel.Name == "After") {
				compared(n, sel.X, n.Args...)
			}
		case *ast.BinaryExpr:
			if slices.Contains([]token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ}, n.Op) {
				compared(n, n.X, n.Y)
			}
		}
		return true
	})
}

// qualified returns the name of a function of an imported package, as in time.Sleep, or "".
func qualified(e ast.Expr) string {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok {
			return id.Name + "." + sel.Sel.Name
		}
	}
	return ""
}

// aMinute reports whether e is time.Minute, time.Hour, or a literal number of them.
func aMinute(e ast.Expr) bool {
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.MUL {
		number, ok := b.X.(*ast.BasicLit)
		return ok && number.Kind == token.INT && number.Value != "0" && aMinute(b.Y)
	}
	name := qualified(e)
	return name == "time.Minute" || name == "time.Hour"
}
