//go:build !purego

package divsteps

import "github.com/koblitz-go/koblitz/internal/cpu"

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package divsteps -dir ../internal/divsteps

// The seam on amd64: with MULX and two carry chains the kernels of
// invert_amd64.s.

const adx = cpu.BMI2 | cpu.ADX

func invert(m *Modulus, out, in *[4]uint64) {
	if cpu.Has(adx) {
		invertADX(out, in, m, maxBatches)
		return
	}
	invertGeneric(m, out, in)
}

func euclidVartime(m *Modulus, out, in *[4]uint64, runs int) bool {
	if cpu.Has(adx) {
		return euclidVartimeADX(out, in, m, runs)
	}
	return euclidGenericVartime(m, out, in, runs)
}
