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

// Valgrind does not support AVX-512. To check the code around kernels that need it, the subject is
// built with a portable version in Go, a twin, in place of each such kernel. The interpreter of
// kernel instructions checks the kernels themselves.

// A twin holds the portable versions of one package's kernels.
type twin struct {
	imports []string          // imports of the bodies
	bodies  map[string]string // function bodies by kernel name
}

// twins maps packages to twins. Every kernel of a secret package that needs AVX-512 must have one,
// and so must every such kernel that code with secrets calls.
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
	// The package holds no secrets, but code of MuSig2 signers calls it.
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
		"loadAVX512":     "loadGeneric(words, data, stride)",
		"loadEachAVX512": "loadEachGeneric(words, blocks)",
		"compressAVX512": "compressGeneric(state, words)",
		"absorbAVX512":   "absorbGeneric(state, blocks, keep)",
	}},
}

// needsAVX512 reports whether a kernel needs AVX-512, by the suffix of its name. The tests of
// internal/cpu compare names with instructions.
func needsAVX512(kernel string) bool {
	return strings.HasSuffix(kernel, "AVX512") || strings.HasSuffix(kernel, "IFMA")
}

// addTwins adds the twins of a package to o in place of its kernels. It returns an error if a
// kernel has no twin, or a twin no kernel.
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
		return nil // built without assembly or without AVX-512
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

// declarations returns the text of a file that declares kernels, with the twins as their bodies,
// and the names of the kernels with a twin.
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

// withoutKernels returns the text of an assembly file without the named functions.
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
