package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Valgrind supports neither AVX-512 nor SHA-NI. To check the code that calls kernels with AVX-512 or
// SHA-NI, the subject is built with a portable Go version, called a twin, in place of each such
// kernel. The kernels themselves are checked by an interpreter of their instructions.

// A twin holds the portable versions that replace the kernels of one package.
type twin struct {
	imports []string          // packages that the bodies import
	bodies  map[string]string // function bodies of the portable versions, by kernel name
}

// twins maps packages to twins. A portable version must exist for every kernel with AVX-512 in a
// secret package, and for every other kernel with AVX-512 that code with secrets calls.
var twins = map[string]twin{
	"internal/ecmult": {nil, map[string]string{
		"readPackedAVX512": "readPackedGeneric(e, table, index)",
		"readAVX512":       "readGeneric(e, table, index)",
	}},
	"internal/lanes": {nil, map[string]string{
		"mulIFMA":         "mulGeneric(v, a, b)",
		"mulAddIFMA":      "mulAddGeneric(v, a, b, c, d)",
		"squareNIFMA":     "squareNGeneric(v, a, n)",
		"squareNPairIFMA": "squareNPairGeneric(v, a, n)",
		"addIFMA":         "addGeneric(v, a, b)",
		"subIFMA":         "subGeneric(v, a, b)",
		"mulSmallIFMA":    "mulSmallGeneric(v, a, k)",
		"normalizeIFMA":   "normalizeGeneric(v, a)",
		"isZeroIFMA":      "return isZeroGeneric(a)",
		"selectLanesIFMA": "selectLanesGeneric(v, m, a, b)",
		"condNegIFMA":     "condNegGeneric(v, m, a)",
		"unpackIFMA":      "unpackGeneric(p, rows)",
		"packIFMA":        "packGeneric(rows, p)",
		"mulScalarIFMA":   "mulScalarGeneric(v, a, b)",
		"doubleNIFMA":     "doubleNGeneric(p, q, n)",
		"addMixedIFMA":    "addMixedGeneric(p, q, a)",
		"addJacobianIFMA": "addJacobianGeneric(p, q, r)",
		"addAffineIFMA":   "addAffineGeneric(p, a, b, inv)",
		"addCoZIFMA":      "addCoZGeneric(p, q, d)",
		"splitOddIFMA":    "splitOddGeneric(b1, b2, k, top)",
	}},
	// This package holds no secrets, but code for signers of MuSig2 calls it.
	"internal/vartime/sums": {nil, map[string]string{
		"loadRowsIFMA":    "loadRowsGeneric(p, tables, offsets, neg)",
		"differencesIFMA": "differencesGeneric(rows, a, b, products, differences, groups, acc)",
		"chordsIFMA":      "chordsGeneric(rows, a, b, out, products, differences, groups, acc)",
		"timesLambdaIFMA": "timesLambdaGeneric(rows, beta, groups)",
		"digitsIFMA":      "digitsGeneric(b, bucket, halves, groups, pos, width, middle, row, base)",
		"accumulateIFMA":  "return accumulateGeneric(a, b, bucket, buckets, n)",
		"sumRefsIFMA":     "return sumRefsGeneric(a, b, out, free, first, n)",
		"halveIFMA":       "return halveGeneric(src, dst, groups, first, position, a, b, bucket)",
	}},
	"internal/secret": {nil, map[string]string{
		"clearRegistersAVX512": "clearRegistersAVX2()",
	}},
	"internal/hash": {nil, map[string]string{
		"loadEachAVX512":   "loadEachGeneric(words, blocks)",
		"compressAVX512":   "compressGeneric(state, words)",
		"compressPairsSHA": "compressPairsGeneric(state, blocks, pairs)",
		"absorbAVX512":     "absorbGeneric(state, blocks, keep)",
	}},
}

// needsAVX512 reports whether a kernel needs AVX-512 or SHA-NI, according to the suffix of its name.
// Tests of internal/cpu compare these suffixes with the kernels' instructions.
func needsAVX512(kernel string) bool {
	return strings.HasSuffix(kernel, "AVX512") || strings.HasSuffix(kernel, "IFMA") ||
		strings.HasSuffix(kernel, "SHA")
}

// addTwins adds files to the overlay o in which the twins of package p replace its kernels. If a
// kernel with AVX-512 has no twin, or a twin has no kernel, it returns an error.
func (o overlay) addTwins(p *goPackage) error {
	t, ok := twins[p.name()]
	if !ok && !slices.Contains(secretPackages, p.name()) {
		return nil
	}
	var replaced []string
	for _, name := range p.GoFiles {
		if !strings.HasSuffix(name, "_decl_amd64.go") {
			continue
		}
		name = filepath.Join(p.Dir, name)
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text, kernels, err := t.declarations(name, src)
		if err != nil {
			return err
		}
		if len(kernels) > 0 {
			o[name] = text
		}
		replaced = append(replaced, kernels...)
	}
	if len(replaced) == 0 {
		return nil // the build has no assembly, or none with AVX-512
	}
	if len(replaced) != len(t.bodies) {
		return fmt.Errorf("%s: %d kernels need AVX-512, and %d have twins",
			p.name(), len(replaced), len(t.bodies))
	}
	for _, name := range p.SFiles {
		name = filepath.Join(p.Dir, name)
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		o[name] = withoutKernels(string(src), replaced)
	}
	return nil
}

// declarations returns the text of a file that declares kernels, in which the bodies of the twins
// are added to the kernels that need AVX-512, and the names of these kernels.
func (t *twin) declarations(name string, src []byte) (text string, kernels []string, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return "", nil, err
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	imports := slices.Clone(t.imports)
	var b strings.Builder
	for _, decl := range f.Decls {
		d, ok := decl.(*ast.FuncDecl)
		if !ok {
			for _, s := range f.Imports {
				if path, err := strconv.Unquote(s.Path.Value); err == nil && !slices.Contains(imports, path) {
					imports = append(imports, path)
				}
			}
			continue
		}
		signature := string(src[at(d.Pos()):at(d.End())])
		switch body, ok := t.bodies[d.Name.Name]; {
		case !needsAVX512(d.Name.Name):
			fmt.Fprintf(&b, "\n//go:noescape\n%s\n", signature)
		case !ok:
			return "", nil, fmt.Errorf("%s: %s has no twin for valgrind, which has no AVX-512",
				name, d.Name.Name)
		default:
			fmt.Fprintf(&b, "\n%s { %s }\n", signature, body)
			kernels = append(kernels, d.Name.Name)
		}
	}
	head := "package " + f.Name.Name + "\n"
	for _, path := range imports {
		head += fmt.Sprintf("\nimport %q\n", path)
	}
	return head + b.String(), kernels, nil
}

// withoutKernels returns the text src of an assembly file without the functions in names.
func withoutKernels(src string, names []string) string {
	parts := strings.Split(src, "\nTEXT ")
	kept := parts[:1]
	for _, part := range parts[1:] {
		name, _, _ := strings.Cut(strings.TrimPrefix(part, "·"), "(")
		if !slices.Contains(names, name) {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "\nTEXT ")
}
