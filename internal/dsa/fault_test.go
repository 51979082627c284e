package dsa

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// TestFault flips bits of the stored values between any two steps of signing. The result must be
// refused, by SameNonce or by a verification, or be the signature of a signing without a fault.
func TestFault(t *testing.T) {
	var d, z scalar.Scalar
	d.SetUint64(0x1234567)
	d.Neg(&d)
	z.SetUint64(0x89abcdef)
	var message [32]byte
	z.PutBytes(&message)
	var key point.Affine
	(*ecmult.Blinding)(nil).ScalarBaseMultAffine(&key, &d)
	want := Signing{D: d, Z: z}
	want.Sign(nil, &message, nil)
	secrettest.Faults(t, func() secrettest.Computation {
		g, first := Signing{D: d, Z: z}, message
		return secrettest.Computation{
			Steps: secrettest.Steps(
				func() bool { g.seed(&first, nil); return g.derive() },
				func() bool { g.multiply(nil); return true },
				func() bool { return g.finish() },
				func() bool { return g.SameNonce(&message) },
				func() bool {
					return !g.S.IsHigh().Bool() && VerifyRecoverable(&g.R, &g.S, &z, &key, g.ID)
				},
			),
			Bits: func(step int) (all secrettest.Bits) {
				all.AddEvery(5, "message", &first)
				if step == 0 { // with another key there is another nonce, which is harmless
					all.AddEvery(5, "z", &g.Z)
				} else {
					all.AddEvery(5, "signing", &g)
				}
				return all
			},
			Right: func(int) bool { return g.R == want.R && g.S == want.S && g.ID == want.ID },
		}
	})
}
