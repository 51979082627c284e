package kernels

import (
	"strings"

	kernels "github.com/koblitz-go/koblitz/_asm/kernels/riscv64"
	"github.com/koblitz-go/koblitz/_asm/listing"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

// rv64 returns the kernels of riscv64. Each kernel has the contract of an amd64 kernel, and a name
// that ends in RV64 or RV64I, the levels of riscv64. Every riscv64 CPU that Go supports has the
// instructions that the kernels use.
func rv64() []Kernel {
	lists := map[string]list{}
	for name, body := range map[string]func(c riscv64.Code){
		"field.mulADX":            kernels.FieldMultiply,
		"field.squareNADX":        func(c riscv64.Code) { kernels.FieldSquareN(c, false) },
		"field.squareNVartimeADX": func(c riscv64.Code) { kernels.FieldSquareN(c, true) },

		"point.doubleNADX":          func(c riscv64.Code) { kernels.PointDoubleN(c, false) },
		"point.doubleNVartimeADX":   func(c riscv64.Code) { kernels.PointDoubleN(c, true) },
		"point.addMixedADX":         func(c riscv64.Code) { kernels.PointAddMixed(c, false, false) },
		"point.addMixedVartimeADX":  func(c riscv64.Code) { kernels.PointAddMixed(c, true, false) },
		"point.addScaledVartimeADX": func(c riscv64.Code) { kernels.PointAddMixed(c, true, true) },
		"point.addADX":              func(c riscv64.Code) { kernels.PointAdd(c, false) },
		"point.addVartimeADX":       func(c riscv64.Code) { kernels.PointAdd(c, true) },
		"point.addCoZADX":           kernels.PointAddCoZ,
		"point.rescaleADX":          kernels.PointRescale,

		"scalar.mulADX":    kernels.ScalarMultiply,
		"scalar.squareADX": kernels.ScalarSquare,

		"ecmult.readAVX512": kernels.ReadTable,

		"divsteps.invertADX":        kernels.Invert,
		"divsteps.euclidVartimeADX": kernels.Euclid,

		"secret.clearRegistersSSE": kernels.ClearRegisters,
	} {
		lists[name] = func(name, layout string) *listing.Function {
			c := riscv64.New(name, layout)
			body(c)
			return c.Function
		}
	}
	all := beside("riscv64", map[string]string{"ADX": "RV64", "AVX512": "RV64", "SSE": "RV64I"},
		lists)
	for i := range all {
		k := &all[i]
		// riscv64 kernels use no vector registers, so their contract must not mention them.
		k.Doc = strings.ReplaceAll(k.Doc, "\n"+cleared, "")
		if k.Clears {
			k.Doc = k.Name + " zeroes the general registers that functions may overwrite."
		}
	}
	return all
}
