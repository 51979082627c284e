package secp256k1

import (
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// DoubleScalarMultVartime sets result = a·G + b·p, with normalized coordinates, or zeros for
// infinity. p must be on the curve or infinity. The running time depends on all arguments.
//
// It exists for compat/dcrec/v4/schnorr, which is in another module and so cannot import internal
// packages. The module at the replaced path does not export it.
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
