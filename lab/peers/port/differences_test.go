package port

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"slices"
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
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// The tests in this file check that koblitz and the other libraries differ as docs/port.md says.

// claim fails the test if a claim does not hold.
func claim(t *testing.T, claim string, holds bool) {
	t.Helper()
	if !holds {
		t.Errorf("wrong: %s", claim)
	}
}

// accepted reports whether a function has returned no error, and refused the opposite.
func accepted[T any](_ T, err error) bool { return err == nil }
func refused[T any](_ T, err error) bool  { return err != nil }

// panics reports whether f panics.
func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

var (
	n      = reference.N()
	secret = sum("a secret")
	hash   = sum("a message")

	// One private key, as a key of dcrec and of koblitz.
	theirs, ours = keys(secret)
	public       = ours.PublicKey()
)

func sum(text string) []byte {
	h := sha256.Sum256([]byte(text))
	return h[:]
}

// b32 returns the 32 bytes of x, big-endian.
func b32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

func keys(secret []byte) (*secp256k1.PrivateKey, *koblitz.PrivateKey) {
	return secp256k1.PrivKeyFromBytes(secret), reference.Must(koblitz.ParsePrivateKey(secret))
}

func TestHybridKeys(t *testing.T) {
	plain := theirs.PubKey().SerializeUncompressed()
	hybrid := bytes.Clone(plain)
	hybrid[0] = 6 | hybrid[64]&1
	sig := decdsa.SignCompact(theirs, hash, false)
	claim(t, "btcec accepts", accepted(btcec.ParsePubKey(hybrid)))
	claim(t, "koblitz refuses", refused(koblitz.ParsePublicKey(hybrid)))
	claim(t, "go-ethereum verifies", crypto.VerifySignature(hybrid, hash, sig[1:]))
	claim(t, "go-ethereum does not unmarshal", refused(crypto.UnmarshalPubkey(hybrid)))
	claim(t, "with 4 as its first byte it is a key",
		reference.Must(koblitz.ParsePublicKey(plain)).Equal(public))
}

func TestPrivateKeys(t *testing.T) {
	three, zero := big.NewInt(3), make([]byte, 32)
	large := b32(new(big.Int).Add(n, three))
	for name, b := range map[string][]byte{
		"n + 3": large, "one byte": {3}, "a byte at the end": append(b32(three), 9),
	} {
		claim(t, "dcrec reads 3 from "+name,
			secp256k1.PrivKeyFromBytes(b).Key.String() == fmt.Sprintf("%064x", 3))
		claim(t, "koblitz refuses "+name, refused(koblitz.ParsePrivateKey(b)))
		claim(t, "go-ethereum also refuses "+name, refused(crypto.ToECDSA(b)))
	}
	reduced := reference.Must(new(group.Scalar).SetBytesReduced(large))
	claim(t, "dcrec's public key of zero is off the curve",
		!secp256k1.PrivKeyFromBytes(zero).PubKey().IsOnCurve())
	claim(t, "koblitz refuses zero", refused(koblitz.ParsePrivateKey(zero)))
	claim(t, "ToECDSAUnsafe takes one byte", crypto.ToECDSAUnsafe([]byte{3}).D.Cmp(three) == 0)
	claim(t, "ToECDSAUnsafe refuses zero", crypto.ToECDSAUnsafe(zero) == nil)
	claim(t, "SetBytesReduced reduces", reduced.Equal(new(group.Scalar).SetUint64(3)))
	claim(t, "SetBytes refuses n", refused(new(group.Scalar).SetBytes(b32(n))))
}

func TestZeroValues(t *testing.T) {
	var a secp256k1.PublicKey
	var c koblitz.PublicKey
	encoded := a.SerializeCompressed()
	claim(t, "dcrec's zero keys are equal", a.IsEqual(new(secp256k1.PublicKey)))
	claim(t, "dcrec encodes a zero key", encoded[0] == 2 && len(encoded) == 33)
	claim(t, "it is off the curve", !a.IsOnCurve())
	claim(t, "its encoding is no point", refused(koblitz.ParsePublicKey(encoded)))
	claim(t, "dcrec's nil public key panics",
		panics(func() { (*secp256k1.PublicKey)(nil).IsOnCurve() }))
	claim(t, "dcrec's nil private key panics",
		panics(func() { (*secp256k1.PrivateKey)(nil).PubKey() }))
	claim(t, "dcrec's zero private key signs", decdsa.Sign(new(secp256k1.PrivateKey), hash) != nil)
	claim(t, "koblitz's nil public key is zero", (*koblitz.PublicKey)(nil).IsZero())
	claim(t, "koblitz's nil private key has none", (*koblitz.PrivateKey)(nil).PublicKey() == nil)
	claim(t, "koblitz's zero keys are not equal", !c.Equal(new(koblitz.PublicKey)))
	claim(t, "koblitz encodes a zero key as nil", c.Bytes() == nil && c.IsZero())
	claim(t, "koblitz's zero private key cannot sign",
		refused(ecdsa.Sign(new(koblitz.PrivateKey), hash, nil)))
	claim(t, "nothing verifies under nil", !ecdsa.Verify(nil, hash, nil))
	claim(t, "nothing verifies under a zero key", !ecdsa.Verify(&c, hash, new(ecdsa.Signature)))
}

func TestCopies(t *testing.T) {
	theirs, ours := keys(secret)
	theirCopy, ourCopy := *theirs, *ours
	theirs.Zero()
	ours.Zeroize()
	claim(t, "dcrec's copy is there", bytes.Equal(theirCopy.Serialize(), secret))
	claim(t, "koblitz's copy is gone", ourCopy.IsZero())
}

func TestPrinting(t *testing.T) {
	other := koblitz.GenerateKey()
	claim(t, "dcrec prints the secret", fmt.Sprintf("%v", *theirs) == fmt.Sprintf("{%x}", secret))
	claim(t, "koblitz prints all keys alike", fmt.Sprintf("%v", *ours) == fmt.Sprintf("%v", *other))
	claim(t, "koblitz refuses to marshal keys", refused(ours.MarshalText()))
}

func TestErrors(t *testing.T) {
	_, err1 := btcec.ParsePubKey(nil)
	_, err2 := koblitz.ParsePublicKey(nil)
	claim(t, "btcec's errors have kinds", errors.Is(err1, secp256k1.ErrPubKeyInvalidLen))
	claim(t, "koblitz has an error", err2 != nil && !errors.Is(err2, secp256k1.ErrPubKeyInvalidLen))
	claim(t, "koblitz's errors wrap nothing", errors.Unwrap(err2) == nil)
}

func TestHashLengths(t *testing.T) {
	ethereum := reference.Must(crypto.ToECDSA(secret))
	long := append(bytes.Clone(hash), 1, 2, 3)
	for size := range len(long) + 1 {
		short := long[:size]
		want := decdsa.Sign(theirs, short)
		sig, err := ecdsa.Sign(ours, short, nil)
		parsed := reference.Must(ecdsa.ParseDER(want.Serialize()))
		bip340 := reference.Must(schnorr.Sign(ours, short, nil))
		of := fmt.Sprintf(" a hash of %d bytes", size)
		claim(t, "dcrec verifies"+of, want.Verify(short, theirs.PubKey()))
		claim(t, "from 20 bytes on koblitz signs"+of, (err == nil) == (size >= 20))
		claim(t, "koblitz signs as dcrec"+of,
			err != nil || bytes.Equal(sig.DER(), want.Serialize()))
		claim(t, "from 20 bytes on koblitz verifies"+of,
			ecdsa.Verify(public, short, parsed) == (size >= 20))
		claim(t, "go-ethereum signs only 32 bytes, not"+of,
			accepted(crypto.Sign(short, ethereum)) == (size == 32))
		claim(t, "btcec's BIP-340 signs only 32 bytes, not"+of,
			accepted(btcschnorr.Sign(theirs, short)) == (size == 32))
		claim(t, "BIP-340 signs"+of, schnorr.Verify(ours.XOnlyPublicKey(), short, bip340))
	}
	padded := append(make([]byte, 32-4), long[:4]...)
	large := bytes.Repeat([]byte{0xff}, 32)
	got := reference.Must(ecdsa.Sign(ours, large, nil))
	want := decdsa.Sign(theirs, large).Serialize()
	claim(t, "a padded hash is the same number", bytes.Equal(
		reference.Must(ecdsa.Sign(ours, padded, nil)).DER(),
		decdsa.Sign(theirs, long[:4]).Serialize()))
	claim(t, "signatures of a hash above n differ", !bytes.Equal(got.DER(), want))
	claim(t, "koblitz's is valid", ecdsa.Verify(public, large, got))
	claim(t, "dcrec's is valid", ecdsa.Verify(public, large, reference.Must(ecdsa.ParseDER(want))))
}

func TestLowS(t *testing.T) {
	low := decdsa.Sign(theirs, hash)
	r, s := low.R(), low.S()
	high := decdsa.NewSignature(&r, s.Negate())
	rb, sb := r.Bytes(), s.Bytes()
	highSig := reference.Must(ecdsa.ParseSignature(append(rb[:], sb[:]...)))
	sig := append(highSig.Bytes(), (decdsa.SignCompact(theirs, hash, false)[0]-27)^1)
	claim(t, "dcrec verifies a high s", high.Verify(hash, theirs.PubKey()))
	claim(t, "Verify accepts a high s", ecdsa.Verify(public, hash, highSig))
	claim(t, "VerifyLowS refuses a high s", !ecdsa.VerifyLowS(public, hash, highSig))
	claim(t, "go-ethereum refuses a high s",
		!crypto.VerifySignature(public.Bytes(), hash, highSig.Bytes()))
	claim(t, "dcrec's Serialize makes s low", bytes.Equal(high.Serialize(), low.Serialize()))
	claim(t, "DER does not", !bytes.Equal(highSig.DER(), low.Serialize()))
	claim(t, "Normalize does", bytes.Equal(highSig.Normalize().DER(), low.Serialize()))
	claim(t, "btcec's VerifyLowS takes no key", btcecdsa.VerifyLowS(low.Serialize()) == nil)
	claim(t, "btcec's VerifyLowS refuses a high s", btcecdsa.VerifyLowS(highSig.DER()) != nil)
	claim(t, "Ecrecover accepts a high s",
		bytes.Equal(reference.Must(crypto.Ecrecover(hash, sig)), public.UncompressedBytes()))
	claim(t, "Recover finds the key from a high s",
		reference.Must(ecdsa.Recover(hash, sig)).Equal(public))
}

func TestDER(t *testing.T) {
	trailing := append(decdsa.Sign(theirs, hash).Serialize(), 1)
	zero := []byte{0x30, 6, 2, 1, 0, 2, 1, 1}
	claim(t, "btcec ignores a byte at the end", accepted(btcecdsa.ParseDERSignature(trailing)))
	claim(t, "dcrec refuses it", refused(decdsa.ParseDERSignature(trailing)))
	claim(t, "ParseDER refuses it", refused(ecdsa.ParseDER(trailing)))
	claim(t, "ParseDERLax ignores it", accepted(ecdsa.ParseDERLax(trailing)))
	claim(t, "btcec refuses an r of 0", refused(btcecdsa.ParseSignature(zero)))
	claim(t, "ParseDER refuses an r of 0", refused(ecdsa.ParseDER(zero)))
	claim(t, "ParseDERLax has a zero value for r of 0",
		reference.Must(ecdsa.ParseDERLax(zero)).IsZero())
}

func TestBIP340(t *testing.T) {
	var aux [32]byte
	sign := func(o *schnorr.SignOptions) []byte {
		return reference.Must(schnorr.Sign(ours, hash, o))
	}
	btcSign := func(o ...btcschnorr.SignOption) []byte {
		return reference.Must(btcschnorr.Sign(theirs, hash, o...)).Serialize()
	}
	zero, plain := sign(&schnorr.SignOptions{Aux: aux[:]}), btcSign()
	decred := reference.Must(dschnorr.Sign(theirs, hash))
	claim(t, "btcec has no randomness", bytes.Equal(plain, btcSign()))
	claim(t, "btcec's nonce is not BIP-340's", !bytes.Equal(plain, zero))
	claim(t, "nil is fresh randomness", !bytes.Equal(sign(nil), sign(nil)))
	claim(t, "CustomNonce is Aux", bytes.Equal(btcSign(btcschnorr.CustomNonce(aux)), zero))
	claim(t, "Unchecked has the same result",
		bytes.Equal(sign(&schnorr.SignOptions{Aux: aux[:], Unchecked: true}), zero))
	claim(t, "Aux has 32 bytes",
		refused(schnorr.Sign(ours, hash, &schnorr.SignOptions{Aux: aux[:31]})))
	claim(t, "btcec v2.5.0 parses an s of n",
		accepted(btcschnorr.ParseSignature(slices.Concat(zero[:32], b32(n)))))
	claim(t, "EC-Schnorr-DCRv0 is not BIP-340",
		!schnorr.Verify(ours.XOnlyPublicKey(), hash, decred.Serialize()))
	for i := range 8 { // some keys have an odd y, which parsing an x-only key replaces
		theirs, ours := keys(sum(fmt.Sprint(i)))
		x := btcschnorr.SerializePubKey(theirs.PubKey())
		lifted := reference.Must(btcschnorr.ParsePubKey(x))
		claim(t, "x-only keys are equal", bytes.Equal(x, ours.XOnlyPublicKey().Bytes()))
		claim(t, "those of public keys are, too",
			bytes.Equal(x, ours.PublicKey().XOnlyPublicKey().Bytes()))
		claim(t, "btcec's parsed key has an even y",
			lifted.IsEqual(theirs.PubKey()) == ours.PublicKey().HasEvenY())
	}
}

func TestSharedSecrets(t *testing.T) {
	theirPeer, ourPeer := keys(sum("a peer"))
	x := secp256k1.GenerateSharedSecret(theirs, theirPeer.PubKey())
	raw := sha256.Sum256(x)
	hashed := reference.Must(ecdh.SharedSHA256(ours, ourPeer.PublicKey()))
	claim(t, "SharedX is GenerateSharedSecret",
		bytes.Equal(reference.Must(ecdh.SharedX(ours, ourPeer.PublicKey())), x))
	claim(t, "SharedXOnly is too",
		bytes.Equal(reference.Must(ecdh.SharedXOnly(ours, ourPeer.XOnlyPublicKey())), x))
	claim(t, "SharedSHA256 hashes more than x",
		!bytes.Equal(hashed, x) && !bytes.Equal(hashed, raw[:]))
}

func TestLengths(t *testing.T) {
	key, uncompressed := theirs.PubKey(), public.UncompressedBytes()
	serialized := btcec.ToSerialized(key)
	claim(t, "private keys", bytes.Equal(theirs.Serialize(), ours.Bytes()))
	claim(t, "compressed keys", bytes.Equal(key.SerializeCompressed(), public.Bytes()))
	claim(t, "uncompressed keys", bytes.Equal(key.SerializeUncompressed(), uncompressed))
	claim(t, "go-ethereum's keys", bytes.Equal(crypto.FromECDSAPub(key.ToECDSA()), uncompressed))
	claim(t, "x coordinates", bytes.Equal(b32(key.X()), uncompressed[1:33]))
	claim(t, "y coordinates", bytes.Equal(b32(key.Y()), uncompressed[33:]))
	claim(t, "keys of maps", [33]byte(public.Bytes()) == [33]byte(serialized))
	claim(t, "x-only keys of maps",
		[32]byte(public.XOnlyPublicKey().Bytes()) == serialized.SchnorrSerialized())
}

func TestIdentity(t *testing.T) {
	var zero btcec.JacobianPoint
	malformed := append([]byte{0}, hash...)
	claim(t, "the identity is 33 zeros",
		bytes.Equal(btcec.JacobianToByteSlice(zero), new(group.Point).Bytes()))
	claim(t, "btcec looks at the first of them", accepted(btcec.ParseJacobian(malformed)))
	claim(t, "koblitz looks at all", refused(new(group.Point).SetBytes(malformed)))
}

// TestMuSig2 checks that koblitz verifies the signature of two signers that use btcec's MuSig2.
func TestMuSig2(t *testing.T) {
	second, _ := keys(sum("a cosigner"))
	signers := []*btcec.PublicKey{theirs.PubKey(), second.PubKey()}
	var sessions []*musig2.Session
	var combined *btcec.PublicKey
	for _, key := range []*btcec.PrivateKey{theirs, second} {
		signer := reference.Must(musig2.NewContext(key, true, musig2.WithKnownSigners(signers)))
		sessions = append(sessions, reference.Must(signer.NewSession()))
		combined = reference.Must(signer.CombinedKey())
	}
	for i, session := range sessions {
		reference.Must(session.RegisterPubNonce(sessions[1-i].PublicNonce()))
	}
	reference.Must(sessions[0].Sign([32]byte(hash)))
	reference.Must(sessions[0].CombineSig(reference.Must(sessions[1].Sign([32]byte(hash)))))
	key := reference.Must(koblitz.ParseXOnlyPublicKey(btcschnorr.SerializePubKey(combined)))
	if sig := sessions[0].FinalSig().Serialize(); !schnorr.Verify(key, hash, sig) {
		t.Errorf("%x is not good", sig)
	}
}
