package main

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestReplacedKernels checks that every kernel with AVX-512 has another version, and that the
// overlay removes the whole assembly of these kernels.
func TestReplacedKernels(t *testing.T) {
	o, err := replaceKernels(testPackages(t, "valgrind"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for name, text := range o {
		if filepath.Ext(name) == ".s" {
			for _, part := range strings.Split(text, "\nTEXT ·")[1:] {
				kernel, _, _ := strings.Cut(part, "(")
				if _, needs := baseAVX512(kernel); needs {
					t.Errorf("%s: %s is left", name, kernel)
				}
			}
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := format.Source([]byte(text)); err != nil {
			t.Error(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			kernel := f.Name.Name
			_, needs := baseAVX512(kernel)
			if has := f.Body != nil; has != needs {
				t.Errorf("%s has a body: %v", kernel, has)
			}
			if needs {
				found++
			}
		}
	}
	if found < 35 {
		t.Errorf("%d kernels are replaced", found)
	}
}

// TestKernelReplacement checks that replaceKernels replaces a kernel by its portable version, even
// if there is one with AVX2, and refuses a kernel without a portable version.
func TestKernelReplacement(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{"func readAVX512(e *entry, i, j int) bool\n\nfunc readAVX2(e *entry, i, j int) bool\n\n" +
			"func readGeneric(e *entry, i, j int) bool { return false }\n",
			"func readAVX512(e *entry, i, j int) bool { return readGeneric(e, i, j) }"},
		{"func mulIFMA()\n\nfunc mulGeneric() {}\n", "func mulIFMA() { mulGeneric() }"},
		{"func mulIFMA(v *Scalar)\n\nfunc mulADX(v *Scalar)\n", ""},
	} {
		p := onePackage(t, "internal/scalar", "x_decl_amd64.go", "package scalar\n\n"+tt.source)
		o, err := replaceKernels([]goPackage{p})
		text := o[filepath.Join(p.Dir, "x_decl_amd64.go")]
		if (err == nil) != (tt.want != "") || !strings.Contains(text, tt.want) {
			t.Errorf("%v, %s for\n%s", err, text, tt.source)
		}
	}
}

func TestWithoutKernels(t *testing.T) {
	const source = `#include "textflag.h"

// a
TEXT ·aADX(SB), NOSPLIT, $0-8
	RET

// b
TEXT ·bIFMA(SB), NOSPLIT, $0-8
	RET

DATA x<>+0(SB)/8, $1

TEXT ·bIFMAtoo(SB), $0
	RET
`
	got := withoutKernels(source, []string{"bIFMA"})
	if strings.Contains(got, "·bIFMA(") || !strings.Contains(got, "·aADX(") ||
		!strings.Contains(got, "·bIFMAtoo(") {
		t.Error(got)
	}
}
