//ct:public takes public keys and outpoints

package silentpay

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// An Outpoint is the serialized outpoint of an input, as in a transaction: the 32 bytes of the
// transaction id, in the reverse of the order in which they are displayed, and the 4 bytes of the
// output's number, the least significant byte first.
type Outpoint [36]byte

// ErrZeroSum is the error if the keys of the inputs add up to zero. Such a transaction pays no
// silent payment address, and receivers skip it.
var ErrZeroSum = errors.New("silentpay: the sum of the input keys is zero")

var (
	errNoInputs    = errors.New("silentpay: no input keys")
	errInputHash   = errors.New("silentpay: the input hash is zero, or not below the group order n")
	errNoOutpoints = errors.New("silentpay: fewer outpoints than input keys")
)

// PublicTweak returns input_hash·A, the point from which receivers compute the shared secret with
// their scan keys. outpoints are those of all inputs of the transaction, in any order. inputs are
// the public keys of its eligible inputs (BIP-352, "Inputs For Shared Secret Derivation"); those of
// taproot outputs have an even y. An index of tweaks stores the 33 bytes of the result. All inputs
// are public, and the time depends on them.
//
// The error is [ErrZeroSum] if the sum of the keys is infinity. There is also an error if there are
// no keys, if there are fewer outpoints than keys, if a key is nil or a zero value, or, with
// negligible probability, if the input hash is zero or not below n. Receivers skip the transaction
// after any of these errors.
func PublicTweak(outpoints []Outpoint, inputs []*koblitz.PublicKey) (*koblitz.PublicKey, error) {
	if err := checkInputs(len(outpoints), len(inputs)); err != nil {
		return nil, err
	}
	var sum point.Jacobian
	sum.SetInfinity()
	for i, key := range inputs {
		a := (*keys.Public)(key).Affine()
		if a == nil {
			return nil, fmt.Errorf("silentpay: input key %d: %w", i, koblitz.ErrZeroKey)
		}
		sum.AddMixedVartime(&sum, a)
	}
	var a point.Affine
	if !a.SetJacobianVartime(&sum) {
		return nil, ErrZeroSum
	}
	var h scalar.Scalar
	if err := inputHash(&h, outpoints, &a); err != nil {
		return nil, err
	}
	var r point.Jacobian
	vartime.ScalarMult(&r, &h, &a)
	a.SetJacobianVartime(&r) // finite: 0 < h < n
	tweak := new(koblitz.PublicKey)
	(*keys.Public)(tweak).SetAffine(&a)
	return tweak, nil
}

// checkInputs checks the numbers of outpoints and of eligible inputs.
func checkInputs(outpoints, inputs int) error {
	if inputs == 0 {
		return errNoInputs
	}
	if outpoints < inputs {
		return errNoOutpoints
	}
	return nil
}

// inputHash sets h to the input hash of a transaction with these outpoints, at least one. sum is
// the point A, normalized.
func inputHash(h *scalar.Scalar, outpoints []Outpoint, sum *point.Affine) error {
	smallest := outpoints[0]
	for _, o := range outpoints[1:] { // each is read once: it may be in memory that changes
		if bytes.Compare(o[:], smallest[:]) < 0 {
			smallest = o
		}
	}
	var digest [32]byte
	compressed := compress(sum)
	hash.Inputs(&digest, (*[36]byte)(&smallest), &compressed)
	if !h.SetNonzeroBytes(&digest).Bool() {
		return errInputHash
	}
	return nil
}

// compress returns the compressed encoding of a public point, which is normalized.
func compress(a *point.Affine) (b [33]byte) {
	b[0] = 0x02 | byte(a.Y.IsOdd())
	a.X.PutBytes((*[32]byte)(b[1:]))
	return b
}
