//ct:public takes public keys, nonces and parts of signatures of MuSig2

package musig2

import "github.com/koblitz-go/koblitz/internal/musig"

// AggregateNonces returns the sum of all public nonces ("NonceAgg" of BIP-327). It returns a
// secp256k1.Error if a half of a nonce is neither a compressed public key nor infinity. Any 33
// bytes whose first byte is 0 encode infinity. The running time depends on the input.
func AggregateNonces(pubNonces [][PubNonceSize]byte) ([PubNonceSize]byte, error) {
	sum, _, err := aggregateNonces(pubNonces)
	return sum, err
}

// aggregateNonces does the work of AggregateNonces, and also returns the two points of the sum.
func aggregateNonces(pubNonces [][PubNonceSize]byte) (
	out [PubNonceSize]byte, points musig.Nonce, err error,
) {
	nonces := make([]musig.Nonce, len(pubNonces))
	for half := range points {
		for i := range pubNonces {
			b := encoded(pubNonces[i][half*len(encoded{}):])
			if nonces[i][half], err = decode(b); err != nil {
				return out, points, err
			}
		}
	}
	points.Aggregate(len(nonces), func(i int) *musig.Nonce { return &nonces[i] })
	return points.Bytes(), points, nil
}
