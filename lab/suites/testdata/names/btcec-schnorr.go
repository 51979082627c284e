package schnorr

import (
	"errors"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"
)

// schnorrVerify verifies a signature under a key of 32 bytes, and returns the reason if it is not
// valid.
func schnorrVerify(sig *Signature, hash, key []byte) error {
	pub, err := ParsePubKey(key)
	if err != nil || sig.Verify(hash, pub) {
		return err
	}
	return reason(sig.Serialize(), hash, pub)
}

// reason returns why a signature does not verify, following the steps of BIP-340.
func reason(sig, hash []byte, pub *btcec.PublicKey) error {
	var e, s btcec.ModNScalar
	var R, P btcec.JacobianPoint
	digest := chainhash.TaggedHash(
		chainhash.TagBIP0340Challenge, sig[:32], SerializePubKey(pub), hash,
	)
	e.SetByteSlice(digest[:])
	s.SetByteSlice(sig[32:])
	pub.AsJacobian(&P)
	btcec.ScalarMultNonConst(e.Negate(), &P, &P)
	btcec.ScalarBaseMultNonConst(&s, &R)
	btcec.AddNonConst(&R, &P, &R)
	if R.Z.IsZero() {
		return schnorr.ErrSigRNotOnCurve
	}
	R.ToAffine()
	var r btcec.FieldVal
	r.SetByteSlice(sig[:32])
	switch {
	case R.Y.IsOdd():
		return schnorr.ErrSigRYIsOdd
	case !R.X.Equals(&r):
		return schnorr.ErrUnequalRValues
	}
	return errors.New("it verifies")
}
