package schnorr

import (
	"fmt"

	"github.com/decred/dcrd/crypto/blake256"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	impl "github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// nonceTag is what the extra data of nonces is the hash of. It keeps them apart from those of
// ECDSA.
const nonceTag = "EC-Schnorr-DCRv0"

// Sign returns a signature of the message hash, of 32 bytes. There is an [Error] if it has
// another length, or if the key is 0. The time does not depend on the key.
func Sign(privKey *secp256k1.PrivateKey, hash []byte) (*Signature, error) {
	if len(hash) != messageSize {
		return nil, failure(ErrInvalidHashLen, fmt.Sprintf(
			"wrong size for message hash (got %v, want %v)", len(hash), messageSize))
	}
	if privKey.Key.IsZero() {
		return nil, failure(ErrPrivateKeyIsZero, "private key is zero")
	}
	sig := new(Signature)
	extra := blake256.Sum256([]byte(nonceTag))
	impl.Untraced(func() {
		d := privKey.Key.Bytes()
		for iteration := uint32(0); ; iteration++ {
			k := secp256k1.NonceRFC6979(d[:], hash, extra[:], nil, iteration)
			done := sig.signWith(&privKey.Key, k, hash)
			k.Zero()
			if done {
				break
			}
		}
		clear(d[:])
	})
	return sig, nil
}

// signWith sets sig to the signature by the key d with the nonce k, which it may negate. It
// returns false if another nonce must be tried.
func (sig *Signature) signWith(d, k *secp256k1.ModNScalar, hash []byte) bool {
	var R secp256k1.JacobianPoint
	secp256k1.ScalarBaseMultNonConst(k, &R)
	R.ToAffine()
	// k·(1 − 2·odd), without a branch.
	var sign, one secp256k1.ModNScalar
	sign.SetInt(2 * R.Y.IsOddBit()).Negate().Add(one.SetInt(1))
	k.Mul(&sign)
	var e secp256k1.ModNScalar
	if !challenge(&e, &R.X, hash) {
		return false
	}
	sig.r = R.X
	sig.s.Mul2(&e, d).Negate().Add(k)
	return true
}
