package secp256k1

import (
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// DoubleScalarMultVartime sets result = a·G + b·p, with normalized coordinates, and zeros for
// infinity. p must be on the curve or infinity. The time depends on all of them.
//
// It is for compat/dcrec/v4/schnorr, which as another module's package cannot import those
// in internal. The replaced path does not export it.
func DoubleScalarMultVartime(a, b *ModNScalar, p, result *JacobianPoint) {
	var q, r point.Jacobian
	var finite point.Affine
	p.get(&q)
	if finite.SetJacobianVartime(&q) {
		vartime.DoubleScalarMult(&r, a.scalar(), b.scalar(), &finite)
	} else {
		vartime.ScalarBaseMult(&r, a.scalar())
	}
	result.put(&r)
}
