package port

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	btcecdsa "github.com/btcsuite/btcd/btcec/v2/ecdsa"
	btcschnorr "github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/btcsuite/btcd/btcec/v2/schnorr/musig2"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	decdsa "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	dschnorr "github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
)

// The tests in this file check that koblitz and the other libraries differ as docs/port.md says.

var (
	n      = secp256k1.Params().N
	secret = sum("a secret")
	hash   = sum("a message")
)

func sum(text string) []byte {
	h := sha256.Sum256([]byte(text))
	return h[:]
}

// b32 returns the 32 bytes of x, big-endian.
func b32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

// keys returns the private key with the given secret twice: as a key of dcrec and as a key of
// koblitz.
func keys(t *testing.T, secret []byte) (*secp256k1.PrivateKey, *koblitz.PrivateKey) {
	t.Helper()
	key, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return secp256k1.PrivKeyFromBytes(secret), key
}

func TestHybridKeys(t *testing.T) {
	theirs, _ := keys(t, secret)
	hybrid := theirs.PubKey().SerializeUncompressed()
	hybrid[0] = 6 | hybrid[64]&1
	if _, err := btcec.ParsePubKey(hybrid); err != nil {
		t.Errorf("btcec: %v", err)
	}
	if _, err := koblitz.ParsePublicKey(hybrid); err == nil {
		t.Error("koblitz accepts a hybrid key")
	}
	sig := decdsa.SignCompact(theirs, hash, false)
	if !crypto.VerifySignature(hybrid, hash, sig[1:]) {
		t.Error("go-ethereum's VerifySignature refuses a hybrid key")
	}
	if _, err := crypto.UnmarshalPubkey(hybrid); err == nil {
		t.Error("go-ethereum's UnmarshalPubkey accepts a hybrid key")
	}
	hybrid[0] = 4 // as docs/port.md advises for hybrid keys
	key, err := koblitz.ParsePublicKey(hybrid)
	if err != nil || !bytes.Equal(key.Bytes(), theirs.PubKey().SerializeCompressed()) {
		t.Errorf("%v, %v", key, err)
	}
}

func TestPrivateKeys(t *testing.T) {
	three := big.NewInt(3)
	for name, b := range map[string][]byte{
		"n + 3":             b32(new(big.Int).Add(n, three)),
		"one byte":          {3},
		"a byte at the end": append(b32(three), 9),
	} {
		if key := secp256k1.PrivKeyFromBytes(b); !bytes.Equal(key.Serialize(), b32(three)) {
			t.Errorf("dcrec, %s: %x", name, key.Serialize())
		}
		if _, err := koblitz.ParsePrivateKey(b); err == nil {
			t.Errorf("koblitz accepts %s", name)
		}
		if _, err := crypto.ToECDSA(b); err == nil {
			t.Errorf("go-ethereum accepts %s", name)
		}
	}
	zero := make([]byte, 32)
	if pub := secp256k1.PrivKeyFromBytes(zero).PubKey(); pub.IsOnCurve() {
		t.Error("dcrec's public key of zero is a point")
	}
	if _, err := koblitz.ParsePrivateKey(zero); err == nil {
		t.Error("koblitz accepts zero")
	}
	if crypto.ToECDSAUnsafe([]byte{3}).D.Cmp(three) != 0 || crypto.ToECDSAUnsafe(zero) != nil {
		t.Error("go-ethereum's ToECDSAUnsafe")
	}
	// Reduce a number as docs/port.md advises.
	reduced, err := new(group.Scalar).SetBytesReduced(b32(new(big.Int).Add(n, three)))
	if err != nil || !reduced.Equal(new(group.Scalar).SetUint64(3)) {
		t.Errorf("%x, %v", reduced.Bytes(), err)
	}
	if _, err := new(group.Scalar).SetBytes(b32(n)); err == nil {
		t.Error("koblitz accepts a scalar of n")
	}
}

// panics reports whether f panics.
func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

func TestZeroValues(t *testing.T) {
	var a, b secp256k1.PublicKey
	if !a.IsEqual(&b) || a.SerializeCompressed()[0] != 2 || a.IsOnCurve() {
		t.Error("dcrec's zero public key")
	}
	if _, err := koblitz.ParsePublicKey(a.SerializeCompressed()); err == nil {
		t.Error("dcrec's zero public key encodes a point")
	}
	if !panics(func() { (*secp256k1.PublicKey)(nil).IsOnCurve() }) ||
		!panics(func() { (*secp256k1.PrivateKey)(nil).PubKey() }) {
		t.Error("dcrec's nil pointers do not panic")
	}
	if !(*koblitz.PublicKey)(nil).IsZero() || (*koblitz.PrivateKey)(nil).PublicKey() != nil {
		t.Error("koblitz's nil pointers")
	}
	var c, d koblitz.PublicKey
	if c.Equal(&d) || c.Bytes() != nil || !c.IsZero() {
		t.Error("koblitz's zero public key")
	}
	if sig := decdsa.Sign(new(secp256k1.PrivateKey), hash); sig == nil {
		t.Error("dcrec's zero private key does not sign")
	}
	if _, err := ecdsa.Sign(new(koblitz.PrivateKey), hash, nil); err == nil {
		t.Error("koblitz's zero private key signs")
	}
	if ecdsa.Verify(nil, hash, nil) || ecdsa.Verify(&c, hash, new(ecdsa.Signature)) {
		t.Error("nothing verifies")
	}
}

func TestCopies(t *testing.T) {
	theirs, ours := keys(t, secret)
	theirCopy, ourCopy := *theirs, *ours
	theirs.Zero()
	ours.Zeroize()
	if !bytes.Equal(theirCopy.Serialize(), secret) {
		t.Error("dcrec's copy is gone")
	}
	if !ourCopy.IsZero() {
		t.Error("koblitz's copy is still there")
	}
}

func TestPrinting(t *testing.T) {
	theirs, ours := keys(t, secret)
	if text := fmt.Sprintf("%v", *theirs); text != fmt.Sprintf("{%x}", secret) {
		t.Errorf("dcrec prints %s", text)
	}
	if text := fmt.Sprintf("%v", *ours); text != fmt.Sprintf("%v", *koblitz.GenerateKey()) {
		t.Errorf("koblitz prints %s", text)
	}
	if _, err := ours.MarshalText(); err == nil {
		t.Error("a private key was encoded")
	}
}

func TestErrors(t *testing.T) {
	if _, err := btcec.ParsePubKey(nil); !errors.Is(err, secp256k1.ErrPubKeyInvalidLen) {
		t.Errorf("btcec: %v", err)
	}
	_, err := koblitz.ParsePublicKey(nil)
	if err == nil || errors.Is(err, secp256k1.ErrPubKeyInvalidLen) || errors.Unwrap(err) != nil {
		t.Errorf("koblitz: %v", err)
	}
}

func TestHashLengths(t *testing.T) {
	theirs, ours := keys(t, secret)
	ethereum, err := crypto.ToECDSA(secret)
	if err != nil {
		t.Fatal(err)
	}
	long := append(bytes.Clone(hash), 1, 2, 3)
	for size := range len(long) + 1 {
		short := long[:size]
		want := decdsa.Sign(theirs, short)
		if !want.Verify(short, theirs.PubKey()) {
			t.Errorf("dcrec refuses a hash of %d bytes", size)
		}
		sig, err := ecdsa.Sign(ours, short, nil)
		if (err == nil) != (size >= 20) {
			t.Errorf("koblitz, a hash of %d bytes: %v", size, err)
		}
		if err == nil && !bytes.Equal(sig.DER(), want.Serialize()) {
			t.Errorf("other signatures of a hash of %d bytes", size)
		}
		parsed, err := ecdsa.ParseDER(want.Serialize())
		if err != nil || ecdsa.Verify(ours.PublicKey(), short, parsed) != (size >= 20) {
			t.Errorf("koblitz verifies a hash of %d bytes: %v", size, err)
		}
		if _, err := crypto.Sign(short, ethereum); (err == nil) != (size == 32) {
			t.Errorf("go-ethereum, a hash of %d bytes: %v", size, err)
		}
		if sig, err := btcschnorr.Sign(theirs, short); (err == nil) != (size == 32) {
			t.Errorf("btcec's BIP-340, %d bytes: %v, %v", size, sig, err)
		}
		if sig, err := schnorr.Sign(ours, short, nil); err != nil ||
			!schnorr.Verify(ours.XOnlyPublicKey(), short, sig) {
			t.Errorf("BIP-340 of %d bytes: %v", size, err)
		}
	}
	// Pad a short hash as docs/port.md advises.
	padded := append(make([]byte, 32-4), long[:4]...)
	sig, err := ecdsa.Sign(ours, padded, nil)
	if err != nil || !bytes.Equal(sig.DER(), decdsa.Sign(theirs, long[:4]).Serialize()) {
		t.Errorf("a padded hash: %v", err)
	}
}

func TestLargeHashes(t *testing.T) {
	theirs, ours := keys(t, secret)
	large := bytes.Repeat([]byte{0xff}, 32)
	want := decdsa.Sign(theirs, large)
	got, err := ecdsa.Sign(ours, large, nil)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got.DER(), want.Serialize()) {
		t.Error("the signatures are the same")
	}
	other, err := ecdsa.ParseDER(want.Serialize())
	pub := ours.PublicKey()
	if err != nil || !ecdsa.Verify(pub, large, other) || !ecdsa.Verify(pub, large, got) {
		t.Errorf("not both are good: %v", err)
	}
}

func TestLowS(t *testing.T) {
	theirs, ours := keys(t, secret)
	low := decdsa.Sign(theirs, hash)
	r, s := low.R(), low.S()
	high := decdsa.NewSignature(&r, s.Negate())
	rb, sb := r.Bytes(), s.Bytes()
	twin, err := ecdsa.ParseSignature(append(rb[:], sb[:]...))
	if err != nil {
		t.Fatal(err)
	}
	pub := ours.PublicKey()
	if !high.Verify(hash, theirs.PubKey()) ||
		!ecdsa.Verify(pub, hash, twin) || ecdsa.VerifyLowS(pub, hash, twin) {
		t.Error("a high s")
	}
	if !bytes.Equal(high.Serialize(), low.Serialize()) {
		t.Error("dcrec serializes a high s as it is")
	}
	if bytes.Equal(twin.DER(), low.Serialize()) ||
		!bytes.Equal(twin.Normalize().DER(), low.Serialize()) {
		t.Error("DER and Normalize")
	}
	if crypto.VerifySignature(pub.Bytes(), hash, twin.Bytes()) {
		t.Error("go-ethereum's VerifySignature accepts a high s")
	}
	// btcec's VerifyLowS checks only the encoding of the signature. It takes neither a hash nor a
	// key.
	if err := btcecdsa.VerifyLowS(low.Serialize()); err != nil {
		t.Error(err)
	}
	if err := btcecdsa.VerifyLowS(twin.DER()); err == nil {
		t.Error("btcec's VerifyLowS accepts a high s")
	}

	theirID := decdsa.SignCompact(theirs, hash, false)[0] - 27
	sig := append(twin.Bytes(), theirID^1)
	want, err1 := crypto.Ecrecover(hash, sig)
	got, err2 := ecdsa.Recover(hash, sig)
	if err1 != nil || err2 != nil || !bytes.Equal(got.UncompressedBytes(), want) || !got.Equal(pub) {
		t.Errorf("recovery with a high s: %v, %v", err1, err2)
	}
}

func TestDER(t *testing.T) {
	theirs, _ := keys(t, secret)
	der := decdsa.Sign(theirs, hash).Serialize()
	trailing := append(bytes.Clone(der), 1)
	if _, err := btcecdsa.ParseDERSignature(trailing); err != nil {
		t.Errorf("btcec: %v", err)
	}
	if _, err := decdsa.ParseDERSignature(trailing); err == nil {
		t.Error("dcrec accepts a byte more")
	}
	if _, err := ecdsa.ParseDER(trailing); err == nil {
		t.Error("koblitz accepts a byte more")
	}
	if _, err := ecdsa.ParseDERLax(trailing); err != nil {
		t.Errorf("ParseDERLax: %v", err)
	}
	zero := []byte{0x30, 6, 2, 1, 0, 2, 1, 1}
	if _, err := btcecdsa.ParseSignature(zero); err == nil {
		t.Error("btcec accepts an r of 0")
	}
	if sig, err := ecdsa.ParseDERLax(zero); err != nil || !sig.IsZero() {
		t.Errorf("ParseDERLax of an r of 0: %v, %v", sig, err)
	}
	if _, err := ecdsa.ParseDER(zero); err == nil {
		t.Error("koblitz accepts an r of 0")
	}
}

func TestBIP340(t *testing.T) {
	theirs, ours := keys(t, secret)
	var aux [32]byte
	plain, err := btcschnorr.Sign(theirs, hash)
	if err != nil {
		t.Fatal(err)
	}
	again, err := btcschnorr.Sign(theirs, hash)
	if err != nil || !plain.IsEqual(again) {
		t.Errorf("btcec signs at random: %v", err)
	}
	zero, err := schnorr.Sign(ours, hash, &schnorr.SignOptions{Aux: aux[:]})
	if err != nil || bytes.Equal(zero, plain.Serialize()) {
		t.Errorf("32 zero bytes are btcec's default: %v", err)
	}
	first, err1 := schnorr.Sign(ours, hash, nil)
	second, err2 := schnorr.Sign(ours, hash, nil)
	if err1 != nil || err2 != nil || bytes.Equal(first, second) {
		t.Error("nil is no fresh randomness")
	}
	custom, err := btcschnorr.Sign(theirs, hash, btcschnorr.CustomNonce(aux))
	if err != nil || !bytes.Equal(custom.Serialize(), zero) {
		t.Errorf("the nonces of BIP-340 differ: %v", err)
	}
	fast, err := schnorr.Sign(ours, hash, &schnorr.SignOptions{Aux: aux[:], Unchecked: true})
	if err != nil || !bytes.Equal(fast, zero) {
		t.Errorf("Unchecked: %v", err)
	}
	if _, err := schnorr.Sign(ours, hash, &schnorr.SignOptions{Aux: aux[:31]}); err == nil {
		t.Error("koblitz accepts 31 bytes of randomness")
	}

	// btcec parses a signature with s = n, which BIP-340 does not allow.
	bad := append(bytes.Clone(zero[:32]), b32(n)...)
	if _, err := btcschnorr.ParseSignature(bad); err != nil {
		t.Errorf("btcec: %v", err)
	}
	// A key with an odd y has the same x-only key in both libraries. Parsing it gives the point
	// with an even y.
	for i := range 8 {
		theirs, ours := keys(t, sum(fmt.Sprint(i)))
		x := btcschnorr.SerializePubKey(theirs.PubKey())
		if !bytes.Equal(x, ours.PublicKey().XOnlyPublicKey().Bytes()) ||
			!bytes.Equal(x, ours.XOnlyPublicKey().Bytes()) {
			t.Error("x-only keys differ")
		}
		lifted, err := btcschnorr.ParsePubKey(x)
		if err != nil || lifted.IsEqual(theirs.PubKey()) != ours.PublicKey().HasEvenY() {
			t.Errorf("a key that was lifted: %v", err)
		}
	}
	// Decred's Schnorr signatures follow another scheme, EC-Schnorr-DCRv0.
	other, err := dschnorr.Sign(theirs, hash)
	if err != nil || schnorr.Verify(ours.XOnlyPublicKey(), hash, other.Serialize()) {
		t.Errorf("EC-Schnorr-DCRv0 is BIP-340: %v", err)
	}
}

func TestSharedSecrets(t *testing.T) {
	theirs, ours := keys(t, secret)
	theirPeer, ourPeer := keys(t, sum("a peer"))
	x := secp256k1.GenerateSharedSecret(theirs, theirPeer.PubKey())
	got, err := ecdh.SharedX(ours, ourPeer.PublicKey())
	if err != nil || !bytes.Equal(got, x) {
		t.Errorf("SharedX: %x, %v", got, err)
	}
	got, err = ecdh.SharedXOnly(ours, ourPeer.XOnlyPublicKey())
	if err != nil || !bytes.Equal(got, x) {
		t.Errorf("SharedXOnly: %x, %v", got, err)
	}
	raw := sha256.Sum256(x)
	if got, err = ecdh.SharedSHA256(ours, ourPeer.PublicKey()); err != nil ||
		bytes.Equal(got, x) || bytes.Equal(got, raw[:]) {
		t.Errorf("SharedSHA256: %x, %v", got, err)
	}
}

func TestLengths(t *testing.T) {
	theirs, ours := keys(t, secret)
	pub := ours.PublicKey()
	for name, both := range map[string][2][]byte{
		"private":      {theirs.Serialize(), ours.Bytes()},
		"compressed":   {theirs.PubKey().SerializeCompressed(), pub.Bytes()},
		"uncompressed": {theirs.PubKey().SerializeUncompressed(), pub.UncompressedBytes()},
		"go-ethereum":  {crypto.FromECDSAPub(theirs.PubKey().ToECDSA()), pub.UncompressedBytes()},
		"x":            {theirs.PubKey().X().FillBytes(make([]byte, 32)), pub.UncompressedBytes()[1:33]},
		"y":            {theirs.PubKey().Y().FillBytes(make([]byte, 32)), pub.UncompressedBytes()[33:]},
	} {
		if !bytes.Equal(both[0], both[1]) {
			t.Errorf("%s: %x, here %x", name, both[0], both[1])
		}
	}
	if key := btcec.ToSerialized(theirs.PubKey()); [33]byte(pub.Bytes()) != [33]byte(key) ||
		[32]byte(pub.XOnlyPublicKey().Bytes()) != key.SchnorrSerialized() {
		t.Error("keys of maps")
	}
}

func TestIdentity(t *testing.T) {
	var zero btcec.JacobianPoint
	if b := btcec.JacobianToByteSlice(zero); !bytes.Equal(b, new(group.Point).Bytes()) {
		t.Errorf("the identity is %x", b)
	}
	malformed := append([]byte{0}, hash...)
	if _, err := btcec.ParseJacobian(malformed); err != nil {
		t.Errorf("btcec: %v", err)
	}
	if _, err := new(group.Point).SetBytes(malformed); err == nil {
		t.Error("koblitz accepts bytes after the zero of the identity")
	}
}

// TestMuSig2 checks that koblitz verifies the signature of two signers that use btcec's MuSig2.
func TestMuSig2(t *testing.T) {
	first, _ := keys(t, secret)
	second, _ := keys(t, sum("a cosigner"))
	signers := []*btcec.PublicKey{first.PubKey(), second.PubKey()}
	var sessions []*musig2.Session
	var combined *btcec.PublicKey
	for _, key := range []*btcec.PrivateKey{first, second} {
		signer, err := musig2.NewContext(key, true, musig2.WithKnownSigners(signers))
		if err != nil {
			t.Fatal(err)
		}
		session, err := signer.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, session)
		if combined, err = signer.CombinedKey(); err != nil {
			t.Fatal(err)
		}
	}
	for i, session := range sessions {
		if all, err := session.RegisterPubNonce(sessions[1-i].PublicNonce()); err != nil || !all {
			t.Fatalf("%v, %v", all, err)
		}
	}
	if _, err := sessions[0].Sign([32]byte(hash)); err != nil {
		t.Fatal(err)
	}
	partial, err := sessions[1].Sign([32]byte(hash))
	if err != nil {
		t.Fatal(err)
	}
	if all, err := sessions[0].CombineSig(partial); err != nil || !all {
		t.Fatalf("%v, %v", all, err)
	}
	key, err := koblitz.ParseXOnlyPublicKey(btcschnorr.SerializePubKey(combined))
	if err != nil {
		t.Fatal(err)
	}
	if sig := sessions[0].FinalSig().Serialize(); !schnorr.Verify(key, hash, sig) {
		t.Errorf("%x is not good", sig)
	}
}
