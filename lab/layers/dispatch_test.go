package layers

import (
	"go/ast"
	"path"
	"slices"
	"strings"
)

// A dispatch function is one that chooses between implementations: it calls a kernel, which is a
// function in assembly, or queries the CPU's features. A test covers the code for one kind of CPU
// only on such a CPU. So dispatch functions are generated, from a list of the sets of CPU
// instructions, and contain nothing but tests of features and calls. Handwritten code runs on every
// machine. There it also runs in the check for constant time, which replaces kernels by portable
// versions.

// dispatch checks that no other file of a package is built for one architecture only, and that no
// other function names a kernel. Other functions may query the CPU's features only to return the
// answer.
func (c *checker) dispatch(pkg string, functions []function) {
	if withoutDispatch[pkg] != "" {
		return
	}
	kernels := map[string]bool{}
	for _, f := range functions {
		if f.decl.Body == nil {
			kernels[f.decl.Name.Name] = true
		}
	}
	last := ""
	for _, f := range functions { // functions of the same file follow each other
		base := path.Base(f.rel)
		lines, generated := dispatchLines[base]
		switch {
		case f.rel == last:
		case generated && !slices.Contains(lines, c.lines[f.rel]):
			c.report(f.rel, "is built by another line than "+strings.Join(lines, " or "))
		case !generated && len(kernels) > 0 && oneArchitecture(base, c.lines[f.rel]):
			c.report(f.rel, "is built for one architecture alone and is in no generated dispatch file")
		}
		if last = f.rel; generated || f.decl.Body == nil {
			continue
		}
		ast.Inspect(f.decl.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && kernels[id.Name] {
				c.report(f.rel, f.decl.Name.Name+" names the kernel "+id.Name+" outside of dispatch")
			}
			if e, ok := n.(ast.Expr); ok && qualified(e) == "cpu.Has" && !isGate(f.decl) {
				c.report(f.rel, f.decl.Name.Name+" queries the CPU and does more than return the answer")
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
	"internal/cpu":     "its assembly is no kernel: it asks the CPU",
	"internal/ct":      "its assembly is no kernel: it speaks to valgrind",
	"internal/profile": "it chooses numbers, not code",
}

// A function is a function of production code, with the name of its file.
type function struct {
	rel  string
	decl *ast.FuncDecl
}

// isGate reports whether a function without arguments only returns something.
func isGate(d *ast.FuncDecl) bool {
	_, ok := d.Body.List[0].(*ast.ReturnStmt)
	return ok && d.Type.Params.NumFields() == 0
}
