package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Valgrind supports neither AVX-512 nor AVX-IFMA nor SHA-NI. To check the code that calls kernels
// with these instructions, the subject is built with another version in place of each such kernel:
// the kernel with AVX2 or, if there is none, the portable version. The kernels themselves are
// checked by an interpreter of their instructions.

// baseAVX512 returns the name of a kernel without its suffix, if the suffix says that valgrind
// cannot run the kernel: because it has instructions of AVX-512, AVX-IFMA or SHA-NI, or because it
// rounds toward zero, where valgrind rounds to nearest. baseAVX512 returns false for other kernels.
// Tests of internal/cpu compare these suffixes with the kernels' instructions.
func baseAVX512(kernel string) (base string, ok bool) {
	for _, suffix := range []string{
		"AVX512", "AVX512VL", "IFMA", "IFMA256", "FMA512", "FMA256", "SHA",
	} {
		if base, ok = strings.CutSuffix(kernel, suffix); ok {
			return base, true
		}
	}
	return "", false
}

// replaceKernels returns an overlay with files that replace each kernel of the library's packages
// that needs AVX-512 or SHA-NI by another version of it. It returns an error if a kernel has no
// other version.
func replaceKernels(packages []goPackage) (overlay, error) {
	o := overlay{}
	for _, p := range packages {
		if !p.ours() {
			continue
		}
		if err := o.replaceKernelsOf(&p); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// replaceKernelsOf adds the files of package p to the overlay o.
func (o overlay) replaceKernelsOf(p *goPackage) error {
	fset, functions := token.NewFileSet(), map[string]bool{}
	declared := map[string]*ast.File{} // the files that declare kernels
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil {
				functions[d.Name.Name] = true
			}
		}
		if strings.HasSuffix(name, "_decl_amd64.go") {
			declared[filepath.Join(p.Dir, name)] = f
		}
	}
	var replaced []string
	for name, f := range declared {
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text, kernels, err := declarations(fset, f, src, functions)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if len(kernels) > 0 {
			o[name] = text
		}
		replaced = append(replaced, kernels...)
	}
	if len(replaced) == 0 {
		return nil // the build has no assembly, or none with AVX-512
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

// declarations returns the text of a file that declares kernels, changed so that a kernel with
// AVX-512 calls its other version. It also returns the names of these kernels. functions holds the
// names of the package's functions.
func declarations(
	fset *token.FileSet, f *ast.File, src []byte, functions map[string]bool,
) (text string, kernels []string, err error) {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", f.Name.Name)
	for _, s := range f.Imports {
		fmt.Fprintf(&b, "\nimport %s\n", s.Path.Value)
	}
	for _, decl := range f.Decls {
		d, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		signature := string(src[fset.Position(d.Pos()).Offset:fset.Position(d.End()).Offset])
		base, ok := baseAVX512(d.Name.Name)
		if !ok {
			fmt.Fprintf(&b, "\n//go:noescape\n%s\n", signature)
			continue
		}
		other := base + "Generic"
		if !functions[other] {
			return "", nil, fmt.Errorf("%s has no other version for valgrind, which has no AVX-512",
				d.Name.Name)
		}
		var args []string
		for _, field := range d.Type.Params.List {
			for _, name := range field.Names {
				args = append(args, name.Name)
			}
		}
		call := fmt.Sprintf("%s(%s)", other, strings.Join(args, ", "))
		if d.Type.Results != nil {
			call = "return " + call
		}
		fmt.Fprintf(&b, "\n%s { %s }\n", signature, call)
		kernels = append(kernels, d.Name.Name)
	}
	return b.String(), kernels, nil
}

// withoutKernels returns the text src of an assembly file, without the functions in names.
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
