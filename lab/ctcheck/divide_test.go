package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestDivisions(t *testing.T) {
	listing := `TEXT github.com/koblitz-go/koblitz/internal/field.(*Element).Mul(SB) /x/mul.go
  mul.go:33	0x484c00		493b6610		CMPQ SP, 0x10(R14)
  mul.go:34	0x484c04		48f7f1		DIVQ CX
  mul.go:35	0x484c08		48f7f1		IDIVQ CX
TEXT github.com/koblitz-go/koblitz/internal/field.(*Element).InvertVartime(SB) /x/inv.go
  inv.go:34	0x484c04		48f7f1		IDIVQ CX
TEXT github.com/koblitz-go/koblitz/internal/vartime.wnaf(SB) /x/wnaf.go
  wnaf.go:34	0x484c04		48f7f1		IDIVL CX
TEXT github.com/koblitz-go/koblitz/internal/point.(*Affine).Set(SB) /x/affine.go
  affine.go:1	0x484c04		48f7f1		MOVQ CX, DX
TEXT github.com/koblitz-go/koblitz/internal/field.mulADX.abi0(SB) /x/mul_amd64.s
  mul_amd64.s:57	0x484c04		48f7f1		DIVL BL
TEXT main.plantedDivision(SB) /x/planted.go
  planted.go:9	0x484c04		48f7f1		VDIVSD X0, X1, X2
`
	want := map[string]string{
		"github.com/koblitz-go/koblitz/internal/field.(*Element).Mul": "mul.go:34: DIVQ CX",
		"main.plantedDivision": "planted.go:9: VDIVSD X0, X1, X2",
	}
	if got := divisions(strings.NewReader(listing)); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func TestDividing(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{"TEXT ·mul(SB), NOSPLIT, $0-24\n\tMOVQ a+8(FP), DX // no DIVQ\n\tMULXQ AX, BX, CX\n\tRET\n", ""},
		{"\tDIVQ CX // why\n", "DIVQ CX"},
		{"\tMOVQ AX, BX; IDIVL CX\n", "MOVQ AX, BX; IDIVL CX"},
		{"\tVDIVPD Z1, Z2, Z3\n", "VDIVPD Z1, Z2, Z3"},
		{"divisor:\n\tMOVQ ·DIVISOR(SB), AX\n", ""},
	} {
		if got := dividing(tt.source); got != tt.want {
			t.Errorf("dividing(%q) = %q, want %q", tt.source, got, tt.want)
		}
	}
}

// TestAssembly checks that assembly returns the assembly file of package ct, which marks secrets
// and is part of every build of the subject.
func TestAssembly(t *testing.T) {
	packages, err := libraryPackages(subjectPackage, "valgrind")
	if err != nil {
		t.Fatal(err)
	}
	names := assembly(packages)
	if !slices.ContainsFunc(names, func(name string) bool {
		return strings.HasSuffix(name, "internal/ct/memcheck_amd64.s")
	}) {
		t.Errorf("the assembly of the subject is %v", names)
	}
}
