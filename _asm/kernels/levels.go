package kernels

import (
	"fmt"
	"slices"
	"strings"
)

// A Level is a set of instructions that kernels are written in. The name of such a
// kernel is that of its operation and, as its end, the level's: mulADX is mul with the
// instructions of the level ADX. To the operation belongs a portable twin in Go, with the
// same signature and the end [Twin], which is what computes it on every other CPU.
type Level struct {
	Name   string
	GOARCH string
	// Features is what the CPU must have, a constant of package cpu. It is empty if every
	// CPU of the architecture will do.
	Features string
}

// Twin is the suffix of the names of portable versions.
const Twin = "Generic"

// Levels lists all levels. Of those that have a kernel for an operation, the first
// whose features are there is used.
func Levels() []Level {
	return []Level{
		{"IFMA", "amd64", "cpu.Lanes"},
		{"AVX512", "amd64", "cpu.AVX512F"},
		{"AVX2", "amd64", "cpu.AVX2"},
		{"ADX", "amd64", "cpu.BMI2 | cpu.ADX"},
		{"SSE", "amd64", ""},
		{"A64", "arm64", "cpu.A64"},
		{"NEON", "arm64", ""},
		{"RV64", "riscv64", "cpu.RV64"},
		{"RV64I", "riscv64", ""},
	}
}

// asked returns whether code of the package depends on whether there are kernels: it gets
// a function haveKernels, which says whether this CPU has one for every operation.
func asked(pkg string) bool { return pkg == "lanes" || pkg == "hash" || pkg == "scalar" }

// An Operation is a function that kernels and a portable version compute alike.
type Operation struct {
	Name, Signature string
	Kernels         []Kernel // in the order of Levels
	Levels          []Level  // the kernels'
}

// Operations returns the operations of a package, and whether it asks for haveKernels.
func Operations(pkg string) (ops []*Operation, ask bool, err error) {
	add := func(name, signature string, k Kernel, l Level) error {
		i := slices.IndexFunc(ops, func(op *Operation) bool { return op.Name == name })
		if i < 0 {
			i = len(ops)
			ops = append(ops, &Operation{Name: name, Signature: signature})
		}
		op := ops[i]
		if op.Signature != signature {
			return fmt.Errorf("%s.%s has two signatures", pkg, name)
		}
		op.Kernels, op.Levels = append(op.Kernels, k), append(op.Levels, l)
		return nil
	}
	count := 0
	for _, l := range Levels() {
		for _, k := range All() {
			name, ok := strings.CutSuffix(k.Name, l.Name)
			if k.Package != pkg || !ok {
				continue
			}
			count++
			if err := add(name, k.Signature, k, l); err != nil {
				return nil, false, err
			}
			if k.View != "" {
				if err := add(k.View, k.ViewSignature, k, l); err != nil {
					return nil, false, err
				}
			}
		}
	}
	for _, k := range All() {
		if k.Package == pkg {
			count--
		}
	}
	if count != 0 {
		return nil, false, fmt.Errorf("%s has a kernel of no level", pkg)
	}
	for _, op := range ops {
		if asked(pkg) && !slices.Equal(op.Levels, ops[0].Levels) {
			return nil, false, fmt.Errorf("%s asks whether it has kernels, and %s has others than %s",
				pkg, op.Name, ops[0].Name)
		}
	}
	return ops, asked(pkg), nil
}
