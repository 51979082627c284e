package main

import (
	"path/filepath"
	"regexp"
	"slices"
)

// Valgrind supports neither AVX-512 nor AVX-IFMA nor SHA-NI. To check the code that calls kernels
// with these instructions, the subject is built with the portable version in place of each such
// kernel. The kernels themselves are checked by an interpreter of their instructions.

// unsupported matches a call of a kernel with a suffix that says that valgrind cannot run the
// kernel: because it has instructions of AVX-512, AVX-IFMA or SHA-NI, or because it rounds toward
// zero, where valgrind rounds to nearest. Tests of internal/cpu compare these suffixes with the
// kernels' instructions.
var unsupported = regexp.MustCompile(
	`\b(\w+?)(AVX512|AVX512VL|IFMA|IFMA256|FMA512|FMA256|SHA)\(`)

// dispatch is the name of the generated files with all calls of kernels.
const dispatch = "kernels_amd64.go"

// replaceKernels returns an overlay in which the library's packages call the portable version of
// each kernel that valgrind cannot run.
func replaceKernels(packages []goPackage) (overlay, error) {
	o := overlay{}
	for _, p := range packages {
		if !p.ours() || !slices.Contains(p.GoFiles, dispatch) {
			continue
		}
		name := filepath.Join(p.Dir, dispatch)
		text, err := o.read(name)
		if err != nil {
			return nil, err
		}
		o[name] = unsupported.ReplaceAllString(text, "${1}Generic(")
	}
	return o, nil
}
