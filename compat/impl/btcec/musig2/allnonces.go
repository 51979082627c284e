//ct:public takes public keys, nonces and parts of signatures of MuSig2

package musig2

import (
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/point"
)

// AggregateNonces returns the sum of all public nonces ("NonceAgg" of BIP-327). It returns a
// secp256k1.Error if a half of a nonce is neither a compressed public key nor infinity. Any 33
// bytes whose first byte is 0 encode infinity. The running time depends on the input.
func AggregateNonces(pubNonces [][PubNonceSize]byte) ([PubNonceSize]byte, error) {
	sum, _, err := aggregateNonces(pubNonces)
	return sum, err
}

// aggregateNonces does the work of AggregateNonces, and also returns the two points of the sum.
func aggregateNonces(pubNonces [][PubNonceSize]byte) (
	out [PubNonceSize]byte, points noncePair, err error,
) {
	var totals [2]point.Jacobian
	for half := range totals {
		for i := range pubNonces {
			p, err := decode((*encoded)(pubNonces[i][half*len(encoded{}):]))
			if err != nil {
				return out, points, err
			}
			if p.finite {
				totals[half].AddMixedVartime(&totals[half], &p.Affine)
			}
		}
	}
	var affine [2]point.Affine
	point.BatchToAffineVartime(affine[:], totals[:])
	for half := range totals {
		if totals[half].IsInfinity().Bool() {
			continue
		}
		points[half] = pointOrInfinity{affine[half], true}
		copy(out[half*len(encoded{}):], secp256k1.FromAffine(&affine[half]).SerializeCompressed())
	}
	return out, points, nil
}
