package schnorr_test

import (
	"bytes"
	"errors"
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/btcec/schnorr"
	kinds "github.com/koblitz-go/koblitz/compat/impl/schnorr"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// isError fails the test unless err is an error of the given kind with the given text.
func isError(t *testing.T, err error, kind error, text string) {
	t.Helper()
	var of kinds.Error
	switch {
	case err == nil:
		t.Errorf("no error, want %q", text)
	case kind != nil && (!errors.Is(err, kind) || !errors.As(err, &of)):
		t.Errorf("%v is no %v", err, kind)
	case err.Error() != text:
		t.Errorf("%q, want %q", err, text)
	}
}

func TestParseSignature(t *testing.T) {
	p := reference.P()
	for _, test := range []struct {
		r, s *big.Int
		kind error
		text string
	}{
		{new(big.Int), new(big.Int), nil, ""},
		{new(big.Int).Sub(p, big.NewInt(1)), new(big.Int).Sub(n, big.NewInt(1)), nil, ""},
		{big.NewInt(1), n, kinds.ErrSigSTooBig, "invalid signature: s >= group order"},
		{big.NewInt(1), new(big.Int).Add(n, big.NewInt(7)), kinds.ErrSigSTooBig,
			"invalid signature: s >= group order"},
		{p, new(big.Int), kinds.ErrSigRTooBig, "invalid signature: r >= field prime"},
		{p, n, kinds.ErrSigRTooBig, "invalid signature: r >= field prime"},
	} {
		sig, err := schnorr.ParseSignature(append(bytes32(test.r), bytes32(test.s)...))
		if test.kind != nil {
			isError(t, err, test.kind, test.text)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		want := append(bytes32(test.r), bytes32(test.s)...)
		if !bytes.Equal(sig.Serialize(), want) {
			t.Errorf("%x, want %x", sig.Serialize(), want)
		}
		same := schnorr.NewSignature(fieldVal(test.r), modNScalar(test.s))
		if *sig != *same || !sig.IsEqual(same) || sig.IsEqual(schnorr.NewSignature(
			fieldVal(big.NewInt(9)), modNScalar(test.s))) {
			t.Errorf("%x is not equal to itself alone", want)
		}
	}
	_, err := schnorr.ParseSignature(make([]byte, 63))
	isError(t, err, kinds.ErrSigTooShort, "malformed signature: too short: 63 < 64")
	_, err = schnorr.ParseSignature(make([]byte, 65))
	isError(t, err, kinds.ErrSigTooLong, "malformed signature: too long: 65 > 64")

	var unreduced secp256k1.FieldVal
	unreduced.SetByteSlice(bytes32(new(big.Int).Add(p, big.NewInt(5))))
	if sig := schnorr.NewSignature(&unreduced, modNScalar(n)); sig.Serialize()[31] != 5 {
		t.Errorf("r is not reduced: %x", sig.Serialize())
	}
}

func TestPublicKeys(t *testing.T) {
	for k := int64(1); k < 20; k++ {
		P := curve.ScalarMult(big.NewInt(k), curve.G)
		b := schnorr.SerializePubKey(publicKey(P))
		if !bytes.Equal(b, bytes32(P.X)) {
			t.Errorf("%x, want %x", b, P.X)
		}
		even, _ := curve.LiftX(P.X, false)
		if key, err := schnorr.ParsePubKey(b); err != nil || *key != *publicKey(even) {
			t.Errorf("%x: %v, %v", b, key, err)
		}
	}
	_, err := schnorr.ParsePubKey(nil)
	isError(t, err, nil, "nil pubkey byte string")
	_, err = schnorr.ParsePubKey([]byte{})
	isError(t, err, nil, "bad pubkey byte string size (want 32, have 0)")
	_, err = schnorr.ParsePubKey(make([]byte, 33))
	isError(t, err, nil, "bad pubkey byte string size (want 32, have 33)")
	if _, err = schnorr.ParsePubKey(bytes32(reference.P())); !errors.Is(err,
		secp256k1.ErrPubKeyXTooBig) {
		t.Error(err)
	}
	if _, err = schnorr.ParsePubKey(make([]byte, 32)); !errors.Is(err,
		secp256k1.ErrPubKeyNotOnCurve) {
		t.Error(err)
	}
}

func TestSignErrors(t *testing.T) {
	key := secp256k1.NewPrivateKey(modNScalar(big.NewInt(3)))
	for _, size := range []string{"0", "31", "33"} {
		length, _ := new(big.Int).SetString(size, 10)
		_, err := schnorr.Sign(new(secp256k1.PrivateKey), make([]byte, length.Int64()))
		isError(t, err, kinds.ErrInvalidHashLen,
			"wrong size for message hash (got "+size+", want 32)")
	}
	_, err := schnorr.Sign(new(secp256k1.PrivateKey), make([]byte, 32), schnorr.FastSign())
	isError(t, err, kinds.ErrPrivateKeyIsZero, "private key is zero")
	if _, err := schnorr.Sign(key, make([]byte, 32)); err != nil {
		t.Error(err)
	}
}
