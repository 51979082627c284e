package layers

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// A dispatch function is one that chooses between implementations: it calls a kernel, which is a
// function in assembly, or queries the CPU's features. It must contain nothing but tests of
// features and, in each branch, one call or one result, because a test covers the code for one kind
// of CPU only on such a CPU. Other handwritten code belongs outside of dispatch functions, where it
// runs on every machine. There it also runs in the check for constant time, which replaces kernels
// by portable versions. Functions with a name that permits leaks are exempt, and so are packages
// without secrets.

// generatedDispatch checks packages with kernels. The functions that choose their kernels are
// generated, from a list of the sets of CPU instructions. No other file may be built for one
// architecture only, and no other function may name a kernel.
func (c *checker) generatedDispatch(pkg string, functions []function) {
	kernels := map[string]bool{}
	for _, f := range functions {
		if f.decl.Body == nil {
			kernels[f.decl.Name.Name] = true
		}
	}
	if len(kernels) == 0 || pkg == "internal/ct" || pkg == "internal/cpu" {
		return
	}
	last := ""
	for _, f := range functions { // functions of the same file follow each other
		base := path.Base(f.rel)
		lines, generated := dispatchLines[base]
		switch {
		case f.rel == last:
		case generated && !slices.Contains(lines, c.lines[f.rel]):
			c.report(f.rel, "is built by another line than "+strings.Join(lines, " or "))
		case !generated && oneArchitecture(base, c.lines[f.rel]):
			c.report(f.rel, "is built for one architecture alone and is in no generated dispatch file")
		}
		if last = f.rel; generated || f.decl.Body == nil {
			continue
		}
		ast.Inspect(f.decl.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && kernels[id.Name] {
				c.report(f.rel, f.decl.Name.Name+" names the kernel "+id.Name+" outside of dispatch")
			}
			return true
		})
	}
}

// dispatchLines maps the names of the generated files that choose kernels to the build lines that
// these files may have.
var dispatchLines = map[string][]string{
	"kernels_amd64.go":        {"//go:build !purego"},
	"kernels_decl_amd64.go":   {"//go:build !purego"},
	"kernels_arm64.go":        {"//go:build !purego"},
	"kernels_decl_arm64.go":   {"//go:build !purego"},
	"kernels_riscv64.go":      {"//go:build !purego"},
	"kernels_decl_riscv64.go": {"//go:build !purego"},
	"kernels_none.go": {
		"//go:build !amd64 || purego", "//go:build (!amd64 && !arm64) || purego",
		"//go:build (!amd64 && !arm64 && !riscv64) || purego",
	},
}

// oneArchitecture reports whether the name base of a file, or its build line, names an architecture
// that has kernels.
func oneArchitecture(base, line string) bool {
	return slices.ContainsFunc([]string{"amd64", "arm64", "riscv64"}, func(arch string) bool {
		return strings.Contains(line, arch) || strings.HasSuffix(base, "_"+arch+".go")
	})
}

// withoutDispatch maps packages to the reasons why they are exempt from the rules on dispatch
// functions.
var withoutDispatch = map[string]string{
	"internal/cpu":              "its assembly is no kernel: it asks the CPU",
	"internal/ct":               "its assembly is no kernel: it speaks to valgrind",
	"internal/vartime/lanewise": "its data is public",
	"internal/vartime/sums":     "its data is public",

	"internal/vartime/eisenstein": "its data is public",
}

// A function is a function of production code, with the name of its file.
type function struct {
	rel  string
	decl *ast.FuncDecl
}

// dispatch reports the dispatch functions of a package that contain other code than tests of
// features, calls and results.
func (c *checker) dispatch(pkg string, functions []function) {
	if withoutDispatch[pkg] != "" {
		return
	}
	s := dispatchRules{kernels: map[string]bool{}, gates: map[string]bool{}}
	for _, f := range functions {
		if f.decl.Body == nil {
			s.kernels[f.decl.Name.Name] = true
		}
	}
	for _, f := range functions {
		if s.isGate(f.decl) {
			s.gates[f.decl.Name.Name] = true
		}
	}
	for _, f := range functions {
		d := f.decl
		if d.Body == nil || strings.HasSuffix(d.Name.Name, "Vartime") || !s.isDispatch(d) {
			continue
		}
		if !s.statements(d.Body.List) {
			c.report(f.rel, d.Name.Name+" is a dispatch function and holds more than a call")
		}
	}
}

type dispatchRules struct {
	kernels map[string]bool // functions without a body, which are in assembly
	gates   map[string]bool // functions that only return whether the CPU has features
}

func (s *dispatchRules) isGate(d *ast.FuncDecl) bool {
	if d.Recv != nil || d.Body == nil || d.Type.Params.NumFields() > 0 || len(d.Body.List) != 1 {
		return false
	}
	r, ok := d.Body.List[0].(*ast.ReturnStmt)
	return ok && len(r.Results) == 1 && s.level(r.Results[0])
}

// isDispatch reports whether function d calls a kernel or cpu.Has.
func (s *dispatchRules) isDispatch(d *ast.FuncDecl) (found bool) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			found = found || ok && s.kernels[id.Name] || asksCPU(n)
		}
		return true
	})
	return found
}

// asksCPU reports whether the call is a call of cpu.Has.
func asksCPU(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Has" {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name == "cpu"
}

// level reports whether expression e consists only of tests of CPU features.
func (s *dispatchRules) level(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return asksCPU(e) || ok && s.gates[id.Name]
	case *ast.ParenExpr:
		return s.level(e.X)
	case *ast.UnaryExpr:
		return e.Op == token.NOT && s.level(e.X)
	case *ast.BinaryExpr:
		return (e.Op == token.LAND || e.Op == token.LOR) && s.level(e.X) && s.level(e.Y)
	}
	return false
}

// statements reports whether all statements in list are tests of CPU features, calls or returns.
func (s *dispatchRules) statements(list []ast.Stmt) bool {
	for _, stmt := range list {
		switch stmt := stmt.(type) {
		case *ast.ExprStmt:
			if _, ok := stmt.X.(*ast.CallExpr); !ok || !plain(stmt.X) {
				return false
			}
		case *ast.ReturnStmt:
			for _, r := range stmt.Results {
				if !s.level(r) && !plain(r) {
					return false
				}
			}
		case *ast.BlockStmt:
			if !s.statements(stmt.List) {
				return false
			}
		case *ast.IfStmt:
			if stmt.Init != nil || !s.level(stmt.Cond) || !s.statements(stmt.Body.List) ||
				stmt.Else != nil && !s.statements([]ast.Stmt{stmt.Else}) {
				return false
			}
		case *ast.SwitchStmt:
			if stmt.Init != nil || stmt.Tag != nil {
				return false
			}
			for _, clause := range stmt.Body.List {
				clause := clause.(*ast.CaseClause)
				for _, e := range clause.List {
					if !s.level(e) {
						return false
					}
				}
				if !s.statements(clause.Body) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// plain reports whether expression e contains no branch, no index, no division and no function
// literal.
func plain(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr, *ast.SliceExpr, *ast.FuncLit:
			ok = false
		case *ast.BinaryExpr:
			ok = ok && n.Op != token.LAND && n.Op != token.LOR && n.Op != token.QUO && n.Op != token.REM
		}
		return ok
	})
	return ok
}
