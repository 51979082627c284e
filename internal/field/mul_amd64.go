//go:build !purego

package field

import "github.com/koblitz-go/koblitz/internal/cpu"

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package field -dir ../internal/field

// The seam on amd64: with MULX and two carry chains the kernels of
// mul_amd64.s, without them what the Go compiler makes of mul_generic.go.

const adx = cpu.BMI2 | cpu.ADX

func mul(v, a, b *Element) {
	if cpu.Has(adx) {
		mulADX(v, a, b)
		return
	}
	mulGeneric(v, a, b)
}

func square(v, a *Element) {
	if cpu.Has(adx) {
		squareNADX(v, a, 1)
		return
	}
	squareGeneric(v, a)
}

func squareN(v, a *Element, n int) {
	if cpu.Has(adx) {
		squareNADX(v, a, n)
		return
	}
	squareNGeneric(v, a, n)
}

// The kernel in variable time gives up where a carry goes further than it does but
// once in some 2^60 random numbers.
func squareNVartime(v, a *Element, n int) {
	if !cpu.Has(adx) || !squareNVartimeADX(v, a, n) {
		squareN(v, a, n)
	}
}
