package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// eachSource calls f for every Go file of the core except tests, with the path of the file's
// package below the module's path.
func eachSource(t *testing.T, f func(pkg, name string, s *source)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			base := d.Name()
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if name != root && (err == nil || base == "testdata" || base[0] == '.' || base[0] == '_') {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		pkg, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		pkg = strings.TrimSuffix(filepath.ToSlash(pkg), ".")
		s, err := parseSource(pkg, string(src))
		f(pkg, name, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDirectives checks that each directive is well formed, and is in a package that secrets reach
// or in internal/secret. A directive //ct:secret may be in any package.
func TestDirectives(t *testing.T) {
	count := map[string]int{}
	eachSource(t, func(pkg, name string, s *source) {
		for _, d := range s.directives {
			count[d.verb]++
			if fault := d.fault(); fault != "" {
				t.Errorf("%s:%d: %v %s", name, d.line, d, fault)
			} else if d.verb != "secret" && !slices.Contains(secretPackages, pkg) &&
				pkg != "internal/secret" {
				t.Errorf("%s:%d: %v is in a package that no secret reaches", name, d.line, d)
			}
		}
	})
	if count["public"] < 50 || count["unrun"] < 10 || count["secret"] < 100 {
		t.Errorf("hardly a directive: %v", count)
	}
}

func TestDirectiveFaults(t *testing.T) {
	const source = `//ct:unrun good
//ct:secret in no body

package p

//ct:public beside a type
type T int

// F does something.
//
//ct:public good
//ct:unrun good
//ct:secret x == 1
//ct:public
//ct:pubic typing
func F(x int) {
	//ct:public good
	f() //ct:unrun good
	//ct:secret good
	f() //ct:secret x == 1
}
`
	s, err := parseSource("p", source)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"", "not alone", "beside no function", "", "", "not alone", "no reason",
		"not a directive", "not in a doc", "", "", "not alone"}
	if len(s.directives) != len(want) {
		t.Fatalf("%d directives", len(s.directives))
	}
	for i, d := range s.directives {
		if got := d.fault(); (got == "") != (want[i] == "") || !strings.Contains(got, want[i]) {
			t.Errorf("%v: %q, want %q", d, got, want[i])
		}
	}
}

// TestDirectiveOfFile checks that a directive before the package clause applies to every function
// of the file. In a file that handles secrets, //ct:public must be refused at this place.
func TestDirectiveOfFile(t *testing.T) {
	for _, pkg := range []string{"internal/field", "internal/ecmult", "internal/secret"} {
		s, err := parseSource("p", "//ct:public good\n\npackage p\n\nimport \""+library+"/"+pkg+
			"\"\n\nfunc F() {}\n\nfunc G() {}\n")
		if err != nil {
			t.Fatal(err)
		}
		if !s.public(s.functions[0]) || !s.public(s.functions[1]) {
			t.Error("a function of the file is not public")
		}
		if fault := s.directives[0].fault(); (fault == "") != (pkg == "internal/field") {
			t.Errorf("%s: %q", pkg, fault)
		}
	}
}
