package main

import (
	"maps"
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
