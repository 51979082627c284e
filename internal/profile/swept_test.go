package profile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestSwept checks that `make profile` measures every parameter. It runs the benchmarks whose names
// begin with BenchmarkProfile, in the packages that the Makefile names. Each parameter must occur
// in the comment of one of these benchmarks.
func TestSwept(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	_, recipe, _ := strings.Cut(string(makefile), "\nprofile:\n")
	recipe, _, _ = strings.Cut(recipe, "\n\n")
	if !strings.Contains(recipe, "-bench '^BenchmarkProfile'") {
		t.Fatalf("make profile runs %q", recipe)
	}
	var documented strings.Builder
	for _, pkg := range regexp.MustCompile(`\./internal/[a-z/]+`).FindAllString(recipe, -1) {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pkg), "*bench_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no benchmarks: %v", pkg, err)
		}
		for _, name := range files {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(d.Name.Name, "BenchmarkProfile") {
					// Leave out the benchmark's own name, the first word of the comment.
					_, text, _ := strings.Cut(d.Doc.Text(), " ")
					documented.WriteString(text)
				}
			}
		}
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[Profile](), reflect.TypeFor[Sizes](), reflect.TypeFor[Sums](),
	} {
		for i := range typ.NumField() {
			name := typ.Field(i).Name
			if name == "Level" || name == "Sizes" || name == "Sums" {
				continue
			}
			if !regexp.MustCompile(`\b` + name + `\b`).MatchString(documented.String()) {
				t.Errorf("no benchmark that make profile runs is about %s", name)
			}
		}
	}
}
