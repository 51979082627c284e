//ct:public tweaks and Merkle roots that are published, or hashes of public keys

package koblitz

import (
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// TaprootTweak returns the output key of a taproot output with the internal key k
// (taproot_tweak_pubkey of BIP-341): k + hash_TapTweak(k ‖ merkleRoot)·G. merkleRoot is the 32
// bytes of the Merkle root of the output's scripts, or empty if the output has no scripts. The
// script of the output contains XOnlyPublicKey of the result. Bit 0 of a control block is 0 if the
// result HasEvenY, and 1 otherwise. The time depends on k and merkleRoot.
//
// There is an error if merkleRoot has another length, if k holds no key, or, with negligible
// probability, if the tweak is not below n or the result is infinity.
func (k *XOnlyPublicKey) TaprootTweak(merkleRoot []byte) (*PublicKey, error) {
	if k == nil {
		return nil, ErrZeroKey
	}
	own := *k // the key that is hashed must be the key to which the tweak is added
	a := own.affine()
	if a == nil {
		return nil, ErrZeroKey
	}
	if err := checkMerkleRoot(merkleRoot); err != nil {
		return nil, err
	}
	tweak := own.array()
	hash.TapTweak(&tweak, &tweak, merkleRoot)
	var t scalar.Scalar
	var q point.Affine
	if err := setTweak(&t, tweak[:]); err != nil {
		return nil, err
	}
	if !addTweakVartime(&q, a, &t) {
		return nil, errInfinity
	}
	return newPublicKey(&q), nil
}

// CheckTaprootTweak reports whether k.TaprootTweak(merkleRoot) has the x coordinate output, 32
// bytes, big-endian, and an odd y coordinate if odd is set, and otherwise an even one. A node
// checks a script path of BIP-341 like this: output is the second part of the output's script, odd
// is bit 0 of the control block, k is the internal key in it, and merkleRoot is the result of its
// Merkle path. It returns false if a length is wrong, or if k holds no key. It does not allocate.
// The time depends on all arguments.
func (k *XOnlyPublicKey) CheckTaprootTweak(merkleRoot, output []byte, odd bool) bool {
	if k == nil || checkMerkleRoot(merkleRoot) != nil {
		return false
	}
	own := *k // as in TaprootTweak
	tweak := own.array()
	hash.TapTweak(&tweak, &tweak, merkleRoot)
	return own.CheckTweakAdd(tweak[:], output, odd)
}

// CheckTweakAdd reports whether k.TweakAdd(tweak) has the x coordinate output, 32 bytes,
// big-endian, and an odd y coordinate if odd is set, and otherwise an even one. It returns false if
// a length is wrong, if the tweak is not below n, if the sum is infinity, or if k holds no key. It
// is faster than TweakAdd: the time depends on all arguments, which must be public.
func (k *XOnlyPublicKey) CheckTweakAdd(tweak, output []byte, odd bool) bool {
	a := k.affine()
	if a == nil || len(output) != 32 {
		return false
	}
	var t scalar.Scalar
	var q point.Affine
	if setTweak(&t, tweak) != nil || !addTweakVartime(&q, a, &t) {
		return false
	}
	var x [32]byte
	q.X.PutBytes(&x)
	return x == [32]byte(output) && q.Y.IsOdd().Bool() == odd
}

// addTweakVartime sets q = a + t·G, normalized. It returns false if the sum is infinity.
func addTweakVartime(q, a *point.Affine, t *scalar.Scalar) bool {
	var j point.Jacobian
	vartime.ScalarBaseMult(&j, t)
	j.AddMixedVartime(&j, a)
	return q.SetJacobianVartime(&j)
}
