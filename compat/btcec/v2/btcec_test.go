package btcec_test

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/btcec/v2/ellswift"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
)

// TestPackages checks that keys of package btcec sign, verify, recover and derive shared secrets in
// the packages ecdsa, schnorr and ellswift of this module.
func TestPackages(t *testing.T) {
	seed := sha256.Sum256([]byte("a key"))
	hash := sha256.Sum256([]byte("a message"))
	key, pub := btcec.PrivKeyFromBytes(seed[:])
	parsed, err := btcec.ParsePubKey(pub.SerializeCompressed())
	if err != nil || *parsed != *pub {
		t.Fatalf("the key comes back as %v, %v", parsed, err)
	}

	der := ecdsa.Sign(key, hash[:]).Serialize()
	sig, err := ecdsa.ParseDERSignature(der)
	if err != nil || !sig.Verify(hash[:], pub) {
		t.Errorf("ECDSA: %x does not verify, %v", der, err)
	}
	recovered, compressed, err := ecdsa.RecoverCompact(ecdsa.SignCompact(key, hash[:], true), hash[:])
	if err != nil || !compressed || !recovered.IsEqual(pub) {
		t.Errorf("ECDSA: %v is recovered, %v", recovered, err)
	}

	bip340, err := schnorr.Sign(key, hash[:])
	if err != nil {
		t.Fatal(err)
	}
	xOnly, err := schnorr.ParsePubKey(schnorr.SerializePubKey(pub))
	if err != nil || !bip340.Verify(hash[:], xOnly) {
		t.Errorf("BIP-340: %x does not verify, %v", bip340.Serialize(), err)
	}
	hash[0] ^= 1
	if sig.Verify(hash[:], pub) || bip340.Verify(hash[:], xOnly) {
		t.Error("a signature of another message verifies")
	}

	ours, encoded, err := ellswift.EllswiftCreate()
	if err != nil {
		t.Fatal(err)
	}
	theirs, other, err := ellswift.EllswiftCreate()
	if err != nil {
		t.Fatal(err)
	}
	a, err := ellswift.V2Ecdh(ours, other, encoded, true)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ellswift.V2Ecdh(theirs, encoded, other, false)
	if err != nil || !bytes.Equal(a[:], b[:]) {
		t.Errorf("ElligatorSwift: %x and %x are shared, %v", a, b, err)
	}
}
