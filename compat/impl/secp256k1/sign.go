package secp256k1

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// SignSchnorr sets r to the x coordinate of R = k·G, and s to k − e·key. The nonce k is one of
// [NonceRFC6979], negated if R has an odd y coordinate. challenge sets e from r; it returns false
// if the next nonce must be tried. key must not be 0. The running time does not depend on key.
//
// SignSchnorr exists for compat/dcrec/v4/schnorr, which is in another module and so cannot import
// internal packages. The module at the replaced path does not export it.
func SignSchnorr(
	key *ModNScalar, hash, extra *[32]byte, challenge func(e *ModNScalar, r *FieldVal) bool,
	r *FieldVal, s *ModNScalar,
) {
	secret.DoDeep(func() {
		var d [32]byte
		var k, sum scalar.Scalar
		sum.Set(key.scalar()) // read key once: the nonce and s must be for the same key
		sum.PutBytes(&d)
		//ct:secret d[31]&1 == 1
		var e ModNScalar
		for skip, ok := uint32(0), false; !ok; skip++ {
			(*ModNScalar)(&k).setNonce(d[:], hash[:], extra[:], nil, skip)
			//ct:secret k.IsHigh().Bool()
			var R point.Affine
			(*ecmult.Blinding)(nil).ScalarBaseMultAffine(&R, &k)
			//ct:secret R.Y.IsOdd().Bool()
			k.CondNeg(&k, R.Y.IsOdd())
			//ct:secret k.IsHigh().Bool()
			R.X.Declassify()
			*r = FieldVal(R.X)
			R.Wipe()
			ok = challenge(&e, r.Normalize())
			//ct:secret k.IsOdd().Bool()
		}
		sum.Mul(e.scalar(), &sum)
		//ct:secret sum.IsHigh().Bool()
		k.Sub(&k, &sum)
		//ct:secret k.IsHigh().Bool()
		k.Declassify()
		*s = ModNScalar(k)
		//ct:secret sum.IsOdd().Bool()
		sum.Wipe()
		ct.Wipe(d[:])
	})
}
