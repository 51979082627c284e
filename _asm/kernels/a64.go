package kernels

import (
	"strings"

	kernels "github.com/koblitz-go/koblitz/_asm/kernels/arm64"
	"github.com/koblitz-go/koblitz/_asm/listing"
	"github.com/koblitz-go/koblitz/_asm/listing/arm64"
)

// a64 returns the kernels of arm64. Each kernel has the contract of an amd64 kernel, and a name
// that ends in A64 or NEON, the levels of arm64. Every arm64 CPU has the instructions that the
// kernels use, including 128-bit vectors.
func a64() []Kernel {
	bodies := map[string]func(c arm64.Code){
		"field.mulADX":            kernels.FieldMultiply,
		"field.squareNADX":        func(c arm64.Code) { kernels.FieldSquareN(c, false) },
		"field.squareNVartimeADX": func(c arm64.Code) { kernels.FieldSquareN(c, true) },

		"point.doubleNADX":          func(c arm64.Code) { kernels.PointDoubleN(c, false) },
		"point.doubleNVartimeADX":   func(c arm64.Code) { kernels.PointDoubleN(c, true) },
		"point.addMixedADX":         func(c arm64.Code) { kernels.PointAddMixed(c, false, false) },
		"point.addMixedVartimeADX":  func(c arm64.Code) { kernels.PointAddMixed(c, true, false) },
		"point.addScaledVartimeADX": func(c arm64.Code) { kernels.PointAddMixed(c, true, true) },
		"point.addADX":              func(c arm64.Code) { kernels.PointAdd(c, false) },
		"point.addVartimeADX":       func(c arm64.Code) { kernels.PointAdd(c, true) },
		"point.addCoZADX":           kernels.PointAddCoZ,
		"point.rescaleADX":          kernels.PointRescale,

		"ecmult.readPackedAVX2": func(c arm64.Code) { kernels.ReadTable(c, true) },
		"ecmult.readAVX2":       func(c arm64.Code) { kernels.ReadTable(c, false) },

		"scalar.mulADX":    kernels.ScalarMultiply,
		"scalar.squareADX": kernels.ScalarSquare,

		"divsteps.invertADX":        kernels.Invert,
		"divsteps.euclidVartimeADX": kernels.Euclid,

		"secret.clearRegistersSSE": kernels.ClearRegisters,
	}
	lists := map[string]list{}
	for name, body := range bodies {
		lists[name] = func(name, layout string) *listing.Function {
			c := arm64.New(name, layout)
			body(c)
			return c.Function
		}
	}
	return beside("arm64", map[string]string{"ADX": "A64", "AVX2": "A64", "SSE": "NEON"}, lists)
}

// A list is a function that returns a kernel as a list of instructions.
type list = func(name, layout string) *listing.Function

// beside returns the kernels of the architecture arch, one for each entry of lists. The key of an
// entry is the package and the name of the amd64 kernel with the same contract. levels maps the
// level at the end of the amd64 kernel's name to the level of the new kernel.
func beside(arch string, levels map[string]string, lists map[string]list) (all []Kernel) {
	for _, group := range [][]Kernel{field(), point(), scalar(), ecmult(), divsteps(), secret()} {
		for _, k := range group {
			list, ok := lists[k.Package+"."+k.Name]
			if !ok {
				continue
			}
			for from, to := range levels {
				k.Name = strings.ReplaceAll(k.Name, from, to)
				k.Doc = strings.ReplaceAll(k.Doc, from, to)
			}
			k.Build, k.List = nil, list
			k.File = strings.ReplaceAll(k.File, "amd64", arch)
			all = append(all, k)
		}
	}
	if len(all) != len(lists) {
		panic("a kernel of " + arch + " stands beside none of amd64")
	}
	return all
}
