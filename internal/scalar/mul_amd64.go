//go:build !purego

package scalar

import "github.com/koblitz-go/koblitz/internal/cpu"

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package scalar -dir ../internal/scalar

// The seam on amd64: with MULX and two carry chains the kernels of
// mul_amd64.s, without them what the Go compiler makes of mul.go.

const adx = cpu.BMI2 | cpu.ADX

func mul(v, a, b *Scalar) {
	if cpu.Has(adx) {
		mulADX(v, a, b)
		return
	}
	mulGeneric(v, a, b)
}

// MulInRegisters reports whether Mul keeps what it computes in registers, so that
// it leaves none of it on the stack.
func MulInRegisters() bool { return cpu.Has(adx) }

func square(v, a *Scalar) {
	if cpu.Has(adx) {
		squareADX(v, a)
		return
	}
	squareGeneric(v, a)
}
