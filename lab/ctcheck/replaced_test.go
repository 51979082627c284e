package main

import (
	"path/filepath"
	"testing"
)

// TestReplaceKernels checks that replaceKernels replaces calls of the kernels that valgrind cannot
// run, and no other calls.
func TestReplaceKernels(t *testing.T) {
	for source, want := range map[string]string{
		"return readAVX512(e, i)": "return readGeneric(e, i)",
		"readAVX512VL(e)":         "readGeneric(e)",
		"mulIFMA(v, a, b)":        "mulGeneric(v, a, b)",
		"mulIFMA256(v, a, b)":     "mulGeneric(v, a, b)",
		"mulFMA512(v, a, b)":      "mulGeneric(v, a, b)",
		"mulFMA256(v, a, b)":      "mulGeneric(v, a, b)",
		"blockSHA(h, b)":          "blockGeneric(h, b)",
		"case cpu.Has(cpu.SHANI)": "case cpu.Has(cpu.SHANI)",
		"readAVX2(e)":             "readAVX2(e)",
		"mulADX(v)":               "mulADX(v)",
		"mulIFMAToo(v)":           "mulIFMAToo(v)",
	} {
		p := onePackage(t, "internal/scalar", dispatch, source)
		o, err := replaceKernels([]goPackage{p})
		if got := o[filepath.Join(p.Dir, dispatch)]; err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", source, got, err, want)
		}
	}
}
