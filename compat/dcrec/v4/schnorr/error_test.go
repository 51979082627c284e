package schnorr

import (
	"bytes"
	"errors"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// TestErrors checks an error of every kind except ErrSchnorrHashValue. For that kind a BLAKE-256
// hash would have to be n or more, which has a probability of 2⁻¹²⁸.
func TestErrors(t *testing.T) {
	var one secp256k1.ModNScalar
	key := secp256k1.NewPrivateKey(one.SetInt(1))
	public := key.PubKey()
	hash := bytes.Repeat([]byte{7}, 32)
	sig, err := Sign(key, hash)
	if err != nil {
		t.Fatal(err)
	}
	parse := func(b []byte) error { _, err := ParseSignature(b); return err }
	sign := func(k *secp256k1.PrivateKey, hash []byte) error { _, err := Sign(k, hash); return err }
	ones := bytes.Repeat([]byte{0xff}, 32)
	b := sig.Serialize()
	for _, c := range []struct {
		err  error
		kind ErrorKind
		text string
	}{
		{sign(key, hash[:31]), ErrInvalidHashLen,
			"wrong size for message hash (got 31, want 32)"},
		{sign(new(secp256k1.PrivateKey), hash), ErrPrivateKeyIsZero, "private key is zero"},
		{sig.verify(append(hash, 0), public), ErrInvalidHashLen,
			"wrong size for message (got 33, want 32)"},
		{sig.verify(nil, public), ErrInvalidHashLen, "wrong size for message (got 0, want 32)"},
		{sig.verify(hash, new(secp256k1.PublicKey)), ErrPubKeyNotOnCurve,
			"pubkey point is not on curve"},
		{oddSignature(key, hash).verify(hash, public), ErrSigRYIsOdd,
			"calculated R y-value is odd"},
		{infiniteSignature(sig, key, hash).verify(hash, public), ErrSigRNotOnCurve,
			"calculated R point is the point at infinity"},
		{otherSignature(key, hash).verify(hash, public), ErrUnequalRValues,
			"calculated R point was not given R"},
		{parse(nil), ErrSigTooShort, "malformed signature: too short: 0 < 64"},
		{parse(b[:63]), ErrSigTooShort, "malformed signature: too short: 63 < 64"},
		{parse(append(b, 0)), ErrSigTooLong, "malformed signature: too long: 65 > 64"},
		{parse(append(ones, b[32:]...)), ErrSigRTooBig, "invalid signature: r >= field prime"},
		{parse(append(b[:32:32], ones...)), ErrSigSTooBig, "invalid signature: s >= group order"},
	} {
		if c.err == nil {
			t.Errorf("no error %v", c.kind)
			continue
		}
		var e Error
		if !errors.Is(c.err, c.kind) || !errors.As(c.err, &e) || e.Err != c.kind {
			t.Errorf("%v is not of kind %v", c.err, c.kind)
		}
		if c.err.Error() != c.text || string(c.kind) != c.kind.Error() {
			t.Errorf("text %q, want %q", c.err, c.text)
		}
	}
	if err := sig.verify(hash, public); err != nil {
		t.Error(err)
	}
}

// oddSignature returns a signature that would be valid if the nonce point R could have an odd y.
func oddSignature(key *secp256k1.PrivateKey, hash []byte) *Signature {
	return signatureOf(key, hash, true, 0)
}

// otherSignature returns a signature whose nonce point R has an even y, and an x coordinate other
// than r.
func otherSignature(key *secp256k1.PrivateKey, hash []byte) *Signature {
	return signatureOf(key, hash, false, 1)
}

// signatureOf returns a signature with a known nonce. The y coordinate of the nonce point R is odd
// if isOdd is set, and otherwise even. The signature's r is the x coordinate of R plus offset.
func signatureOf(key *secp256k1.PrivateKey, hash []byte, isOdd bool, offset uint16) *Signature {
	var k, e secp256k1.ModNScalar
	k.SetInt(3)
	var R secp256k1.JacobianPoint
	secp256k1.ScalarBaseMultNonConst(&k, &R)
	R.ToAffine()
	if R.Y.IsOdd() != isOdd {
		k.Negate()
	}
	sig := new(Signature)
	sig.r.Set(R.X.AddInt(offset).Normalize())
	challenge(&e, &sig.r, hash)
	sig.s.Mul2(&e, &key.Key).Negate().Add(&k)
	return sig
}

// infiniteSignature returns a signature with the same r as sig. With its s, the verification
// computes infinity as the nonce point R.
func infiniteSignature(sig *Signature, key *secp256k1.PrivateKey, hash []byte) *Signature {
	var e secp256k1.ModNScalar
	challenge(&e, &sig.r, hash)
	out := &Signature{r: sig.r}
	out.s.Mul2(&e, &key.Key).Negate()
	return out
}

// TestParsePubKey checks the errors that only ParsePubKey returns.
func TestParsePubKey(t *testing.T) {
	var one secp256k1.ModNScalar
	public := secp256k1.NewPrivateKey(one.SetInt(1)).PubKey()
	hybrid := public.SerializeUncompressed()
	uncompressed := append([]byte{4}, public.SerializeCompressed()[1:]...)
	for _, c := range []struct {
		key  []byte
		text string
	}{
		{nil, "nil pubkey byte string"},
		{[]byte{}, "bad pubkey byte string size (want 33, have 0)"},
		{hybrid, "bad pubkey byte string size (want 33, have 65)"},
		{uncompressed, "wrong pubkey type (not compressed)"},
		{append([]byte{2}, bytes.Repeat([]byte{0xff}, 32)...),
			"invalid public key: x >= field prime"},
	} {
		if key, err := ParsePubKey(c.key); key != nil || err == nil || err.Error() != c.text {
			t.Errorf("%x: %v, %v, want %s", c.key, key, err, c.text)
		}
	}
	key, err := ParsePubKey(public.SerializeCompressed())
	if err != nil || *key != *public {
		t.Error(key, err)
	}
}

// TestZero checks that zero values are refused without a panic.
func TestZero(t *testing.T) {
	var sig Signature
	if !bytes.Equal(sig.Serialize(), make([]byte, 64)) || sig != *NewSignature(&sig.r, &sig.s) {
		t.Error("the zero value is not (0, 0)")
	}
	hash := make([]byte, 32)
	var one secp256k1.ModNScalar
	if sig.Verify(hash, new(secp256k1.PublicKey)) ||
		sig.Verify(hash, secp256k1.NewPrivateKey(one.SetInt(1)).PubKey()) {
		t.Error("the zero value verifies")
	}
}
