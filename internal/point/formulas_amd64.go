//go:build !purego

package point

import (
	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/field"
)

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package point -dir ../internal/point

// The seam on amd64: with MULX and two carry chains the kernels of
// formulas_amd64.s, which keep a whole formula in registers and on their frame.

const adx = cpu.BMI2 | cpu.ADX

func doubleN(p, q *Jacobian, n int) {
	if cpu.Has(adx) {
		doubleNADX(p, q, n)
		return
	}
	doubleNGeneric(p, q, n)
}

// The kernels in variable time give up where a carry goes further than it does
// but once in some 2^28 operations on random numbers. Then, and if their points
// have the same x, others decide.

func doubleNVartime(p *Jacobian, n int) {
	if !cpu.Has(adx) {
		doubleNGeneric(p, p, n)
		return
	}
	for n > 0 {
		if n = doubleNVartimeADX(p, n); n > 0 {
			doubleNADX(p, p, 1)
			n--
		}
	}
}

func addMixed(p, q *Jacobian, a *Affine) {
	if cpu.Has(adx) {
		addMixedADX(p, q, a)
		return
	}
	addMixedGeneric(p, q, a)
}

func addMixedVartime(p, q *Jacobian, a *Affine) bool {
	return cpu.Has(adx) && addMixedVartimeADX(p, q, a) || addMixedVartimeGeneric(p, q, a)
}

func addScaledVartime(p, q *Jacobian, a *Affine, s *field.Element) bool {
	return cpu.Has(adx) && addScaledVartimeADX(p, q, a, s) || addScaledVartimeGeneric(p, q, a, s)
}

func add(p, q, r *Jacobian) {
	if cpu.Has(adx) {
		addADX(p, q, r)
		return
	}
	addGeneric(p, q, r)
}

func addVartime(p, q, r *Jacobian) bool {
	return cpu.Has(adx) && addVartimeADX(p, q, r) || addVartimeGeneric(p, q, r)
}

func addCoZ(r, q, d *Affine, ratio *field.Element) {
	if cpu.Has(adx) {
		addCoZADX(r, q, d, ratio)
		return
	}
	addCoZGeneric(r, q, d, ratio)
}

func rescale(q *Affine, s, ratio *field.Element) {
	if cpu.Has(adx) {
		rescaleADX(q, s, ratio)
		return
	}
	rescaleGeneric(q, s, ratio)
}
