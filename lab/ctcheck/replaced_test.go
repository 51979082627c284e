package main

import (
	"path/filepath"
	"strings"
	"testing"
)

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
