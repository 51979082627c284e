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

// TestTwins checks that every kernel with AVX-512 in the secret packages has a twin, and that every
// twin has a kernel. The overlay must remove the whole assembly of these kernels.
func TestTwins(t *testing.T) {
	o := overlay{}
	for _, p := range testPackages(t, "valgrind") {
		if err := o.addTwins(&p); err != nil {
			t.Error(err)
		}
	}
	kernels := 0
	for _, twin := range twins {
		kernels += len(twin.bodies)
	}
	found := 0
	for name, text := range o {
		if filepath.Ext(name) == ".s" {
			for _, part := range strings.Split(text, "\nTEXT ·")[1:] {
				if kernel, _, _ := strings.Cut(part, "("); needsAVX512(kernel) {
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
			if has := f.Body != nil; has != needsAVX512(kernel) {
				t.Errorf("%s has a body: %v", kernel, has)
			}
			if needsAVX512(kernel) {
				found++
			}
		}
	}
	if found != kernels || kernels < 20 {
		t.Errorf("%d kernels with twins, want %d", found, kernels)
	}
}

// TestKernelWithoutTwin checks that addTwins refuses a secret package with a kernel that has no
// twin, and a package with a twin that has no kernel.
func TestKernelWithoutTwin(t *testing.T) {
	const head = `//go:build amd64 && !purego

package ecmult

//go:noescape
func readPackedAVX512(e *entry)

//go:noescape
func readAVX2(e *entry)
`
	for _, tt := range []struct {
		pkg, source string
		ok          bool
	}{
		{"internal/ecmult", head + "func readAVX512(e *entry)\n", true},
		{"internal/ecmult", head, false},
		{"internal/ecmult", head + "func readAVX512(e *entry)\nfunc newAVX512(e *entry)\n", false},
		{"internal/scalar", "package scalar\n\nfunc mulIFMA(v *Scalar)\n", false},
		{"internal/scalar", "package scalar\n\nfunc mulADX(v *Scalar)\n", true},
		{"internal/vartime", "package vartime\n\nfunc accumulateIFMA(v *int)\n", true},
	} {
		p := onePackage(t, tt.pkg, "x_decl_amd64.go", tt.source)
		if err := (overlay{}).addTwins(&p); (err == nil) != tt.ok {
			t.Errorf("%s: %v for\n%s", tt.pkg, err, tt.source)
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
