package kernels

import (
	"fmt"
	"slices"
	"strings"
)

// A Level is a set of instructions for which kernels are written. A kernel is named after its
// operation and its level: mulADX computes mul with the instructions of the level ADX. Each
// operation also has a portable version in Go, with the same signature and the suffix [Portable].
// CPUs without a kernel for the operation use the portable version.
type Level struct {
	Name   string
	GOARCH string
	// Features is the name of a constant of package cpu: the features that the CPU must have.
	// Features is empty if every CPU of the architecture has the instructions.
	Features string
}

// Portable is the suffix of the names of the portable versions of operations.
const Portable = "Generic"

// Levels lists all levels, best first. An operation uses the first of its kernels for which the CPU
// has all features.
func Levels() []Level {
	return []Level{
		{"IFMA", "amd64", "cpu.Lanes"},
		{"FMA512", "amd64", "cpu.LanesFMA"},
		{"IFMA256", "amd64", "cpu.LanesAVXIFMA"},
		{"FMA256", "amd64", "cpu.LanesAVX2"},
		{"AVX512", "amd64", "cpu.AVX512F"},
		{"AVX512VL", "amd64", "cpu.AVX512F | cpu.AVX512VL | cpu.BMI2 | cpu.ADX"},
		{"SHA", "amd64", "cpu.SHANI"},
		{"AVX2", "amd64", "cpu.AVX2"},
		{"ADX", "amd64", "cpu.BMI2 | cpu.ADX"},
		{"SSE", "amd64", ""},
		{"A64", "arm64", "cpu.A64"},
		{"NEON", "arm64", ""},
		{"RV64", "riscv64", "cpu.RV64"},
		{"RV64I", "riscv64", ""},
	}
}

// level returns the name of the level at the end of a kernel's name. If two names fit, such as
// FMA256 and IFMA256, it returns the longer one.
func level(kernel string) (name string) {
	for _, l := range Levels() {
		if strings.HasSuffix(kernel, l.Name) && len(l.Name) > len(name) {
			name = l.Name
		}
	}
	return name
}

// asked reports whether the package with path pkg needs the generated function haveKernels. That
// function reports whether this CPU has a kernel for every operation, except operations of the
// level SHA, which serves CPUs without the other levels.
func asked(pkg string) bool { return pkg == "lanes" || pkg == "hash" || pkg == "scalar" }

// An Operation is a function that several kernels and a portable version compute.
type Operation struct {
	Name, Signature string
	Kernels         []Kernel // in the order of Levels
	Levels          []Level  // level of each kernel
}

// Operations returns the operations of the package pkg. ask reports whether the package needs the
// generated function haveKernels.
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
			if k.Package != pkg || level(k.Name) != l.Name {
				continue
			}
			name := strings.TrimSuffix(k.Name, l.Name)
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
		if asked(pkg) && !slices.Equal(op.Levels, ops[0].Levels) && op.Levels[0].Name != "SHA" {
			return nil, false, fmt.Errorf("%s asks whether it has kernels, and %s has others than %s",
				pkg, op.Name, ops[0].Name)
		}
	}
	return ops, asked(pkg), nil
}
