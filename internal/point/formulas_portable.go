//go:build !amd64 || purego

package point

import "github.com/koblitz-go/koblitz/internal/field"

// The seam that an architecture with kernels of its own replaces: whole
// formulas.

func doubleN(p, q *Jacobian, n int) { doubleNGeneric(p, q, n) }

func doubleNVartime(p *Jacobian, n int) { doubleNGeneric(p, p, n) }

func addMixed(p, q *Jacobian, a *Affine) { addMixedGeneric(p, q, a) }

func addMixedVartime(p, q *Jacobian, a *Affine) bool { return addMixedVartimeGeneric(p, q, a) }

func addScaledVartime(p, q *Jacobian, a *Affine, s *field.Element) bool {
	return addScaledVartimeGeneric(p, q, a, s)
}

func add(p, q, r *Jacobian) { addGeneric(p, q, r) }

func addVartime(p, q, r *Jacobian) bool { return addVartimeGeneric(p, q, r) }

func addCoZ(r, q, d *Affine, ratio *field.Element) { addCoZGeneric(r, q, d, ratio) }

func rescale(q *Affine, s, ratio *field.Element) { rescaleGeneric(q, s, ratio) }
