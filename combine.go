//ct:public takes public keys

package koblitz

import (
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/internal/point"
)

// SortKeys sorts keys by their 33-byte encodings, as [PublicKey.Compare] compares them: KeySort of
// BIP-327, and the order of BIP-67. Nil keys and zero values come first.
func SortKeys(keys []*PublicKey) { slices.SortFunc(keys, (*PublicKey).Compare) }

// CombineKeys returns the sum of the keys as points. The sum alone is not a safe key for several
// signers: a signer who chooses a key after seeing the others can make the sum a key of its own.
// BIP-327 defines an aggregate key without this weakness. The time depends on the keys.
//
// There is an error if there are no keys, or if the sum is infinity. If a key is nil or a zero
// value, the error names its index and wraps [ErrZeroKey].
func CombineKeys(keys ...*PublicKey) (*PublicKey, error) {
	if len(keys) == 0 {
		return nil, errors.New("koblitz: combine: no keys")
	}
	var sum point.Jacobian
	sum.SetInfinity()
	for i, k := range keys {
		a := k.affine()
		if a == nil {
			return nil, fmt.Errorf("koblitz: combine: key %d: %w", i, ErrZeroKey)
		}
		sum.AddMixedVartime(&sum, a)
	}
	var q point.Affine
	if !q.SetJacobianVartime(&sum) {
		return nil, errors.New("koblitz: combine: the sum is infinity")
	}
	return newPublicKey(&q), nil
}
