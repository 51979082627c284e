package secp256k1

import (
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/secret"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// The functions of this file are for the modules beside this package, which cannot import
// internal ones. No program sees them under the path that is replaced.

// DoubleScalarMultVartime sets result = a·G + b·p, with normalized coordinates, and zeros for
// infinity. p must be on the curve or infinity. The time depends on all of them.
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

// Untraced runs f, which handles secrets, and leaves none of them on the stack or in
// registers. f needs at most 6 KiB of stack.
func Untraced(f func()) { secret.DoDeep(f) }
