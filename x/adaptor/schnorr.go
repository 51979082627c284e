package adaptor

import (
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/internal/ct"
	"github.com/koblitz-go/koblitz/x/internal/modn"
)

// A Schnorr is an encrypted BIP-340 signature. With the encryption key T = t·G, the signer's nonce
// k and its secret d, which has a public key P with an even y coordinate, it consists of
//
//	R = k·G + T
//	s = ±k + e·d
//
// where e is the challenge of BIP-340 for R, and the sign is − if R has an odd y coordinate. The
// decrypted signature has the number s ± t. The zero value is no signature: it does not verify, and
// its methods return errors.
type Schnorr struct {
	r *koblitz.PublicKey
	s group.Scalar
}

// SchnorrSize is the size of an encoded Schnorr in bytes: R, compressed, and s.
const SchnorrSize = group.PointSize + group.ScalarSize

var errZero = errors.New("adaptor: signature: nil or a zero value")

// SignSchnorr returns a signature on a message of any length by key, encrypted to the public key
// encryption. It derives the nonce from fresh randomness and all arguments. The time does not
// depend on key.
//
// SignSchnorr verifies the result, with a challenge that it computes again from the arguments.
// There is an error if the message has changed or a fault happened, and if a key holds no key.
func SignSchnorr(
	key *koblitz.PrivateKey, encryption *koblitz.PublicKey, message []byte,
) (*Schnorr, error) {
	if key.IsZero() {
		return nil, fmt.Errorf("adaptor: signing key: %w", koblitz.ErrZeroKey)
	}
	if encryption.IsZero() {
		return nil, fmt.Errorf("adaptor: encryption key: %w", koblitz.ErrZeroKey)
	}
	public := key.XOnlyPublicKey()
	var d group.Scalar
	defer d.Zeroize()
	if _, err := d.SetPrivateKey(key); err != nil {
		return nil, err
	}
	if !key.PublicKey().HasEvenY() {
		d.Negate(&d)
	}
	signed := slices.Clone(message) // for the nonce and the challenge
	k, err := nonce("adaptor/BIP0340/nonce", &d, public.Bytes(), encryption.Bytes(), signed)
	if err != nil {
		return nil, err
	}
	defer k.Zeroize()
	a := new(Schnorr)
	if a.r, err = koblitz.CombineKeys(k.PublicKey(), encryption); err != nil {
		return nil, fmt.Errorf("adaptor: R: %w", err)
	}
	if _, err := a.s.SetPrivateKey(k); err != nil {
		return nil, err
	}
	if !a.r.HasEvenY() {
		a.s.Negate(&a.s)
	}
	a.s.Add(&a.s, d.Mul(&d, a.challenge(public, signed)))
	// The check may take variable time: a valid signature becomes public, and another one, after a
	// fault, is erased.
	b := a.Bytes()
	ct.Declassify(b)
	if check, err := ParseSchnorr(b); err != nil || !check.Verify(public, encryption, message) {
		a.s.Zeroize()
		clear(b)
		return nil, errFault
	}
	return a, nil
}

var errFault = errors.New("adaptor: the new signature is not valid: a fault happened")

// ParseSchnorr decodes an encrypted signature: 65 bytes, R compressed and s. It returns an error if
// R is not the encoding of a key, or if s is not below n.
func ParseSchnorr(b []byte) (*Schnorr, error) {
	if len(b) != SchnorrSize {
		return nil, fmt.Errorf("adaptor: signature: %d bytes, want %d", len(b), SchnorrSize)
	}
	a := new(Schnorr)
	var err error
	if a.r, err = koblitz.ParsePublicKey(b[:group.PointSize]); err != nil {
		return nil, fmt.Errorf("adaptor: R: %w", err)
	}
	if _, err := a.s.SetBytes(b[group.PointSize:]); err != nil {
		return nil, fmt.Errorf("adaptor: s: %w", err)
	}
	return a, nil
}

func (a *Schnorr) isZero() bool { return a == nil || a.r.IsZero() }

// Bytes returns the 65 bytes that encode a, or nil if a is nil or a zero value.
func (a *Schnorr) Bytes() []byte {
	if a.isZero() {
		return nil
	}
	return a.s.AppendBytes(a.r.Bytes())
}

// challenge returns the challenge of BIP-340.
func (a *Schnorr) challenge(key *koblitz.XOnlyPublicKey, message []byte) *group.Scalar {
	digest := schnorr.TaggedHash(
		"BIP0340/challenge", a.r.XOnlyPublicKey().Bytes(), key.Bytes(), message)
	return modn.Reduce(new(group.Scalar), &digest)
}

// product returns ±(R − T) + e·P, the product of s and G if a is valid. It returns nil if a key
// holds no key.
func (a *Schnorr) product(
	key *koblitz.XOnlyPublicKey, encryption *koblitz.PublicKey, message []byte,
) *group.Point {
	var r, t, p group.Point
	_, errR := r.SetPublicKey(a.r)
	_, errT := t.SetPublicKey(encryption)
	_, errP := p.SetXOnlyPublicKey(key)
	if errR != nil || errT != nil || errP != nil {
		return nil
	}
	r.Sub(&r, &t)
	if !a.r.HasEvenY() {
		r.Negate(&r)
	}
	return r.Add(&r, p.ScalarMultVartime(a.challenge(key, message), &p))
}

// own returns a copy of a public key or an encrypted signature, or nil: what is hashed must be what
// is multiplied.
func own[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// Verify reports whether a decrypts, with the private key of encryption, to a valid signature on
// the message under key. It returns false if a or a key is nil or a zero value. The time depends on
// all arguments.
func (a *Schnorr) Verify(
	key *koblitz.XOnlyPublicKey, encryption *koblitz.PublicKey, message []byte,
) bool {
	a = own(a)
	if a.isZero() {
		return false
	}
	right := a.product(own(key), own(encryption), message)
	var left group.Point
	return right != nil && left.ScalarBaseMultVartime(&a.s).Equal(right)
}

// Decrypt returns the BIP-340 signature, 64 bytes, which becomes public. It is valid if a verifies
// for the public key of decryption; verify it otherwise. The time does not depend on decryption.
func (a *Schnorr) Decrypt(decryption *koblitz.PrivateKey) ([]byte, error) {
	if a.isZero() {
		return nil, errZero
	}
	var t group.Scalar
	defer t.Zeroize()
	if _, err := t.SetPrivateKey(decryption); err != nil {
		return nil, fmt.Errorf("adaptor: decryption key: %w", err)
	}
	if !a.r.HasEvenY() {
		t.Negate(&t)
	}
	t.Add(&t, &a.s)
	signature := t.AppendBytes(a.r.XOnlyPublicKey().Bytes())
	ct.Declassify(signature)
	return signature, nil
}

// Recover returns the private key of encryption from the decrypted signature. It returns an error
// if the signature is not one that a decrypts to with that key.
func (a *Schnorr) Recover(
	encryption *koblitz.PublicKey, signature []byte,
) (*koblitz.PrivateKey, error) {
	if a.isZero() {
		return nil, errZero
	}
	if len(signature) != 64 {
		return nil, fmt.Errorf("adaptor: decrypted signature: %d bytes, want 64", len(signature))
	}
	if string(signature[:32]) != string(a.r.XOnlyPublicKey().Bytes()) {
		return nil, errors.New("adaptor: decrypted signature: another R")
	}
	var t group.Scalar
	defer t.Zeroize()
	if _, err := t.SetBytes(signature[32:]); err != nil {
		return nil, fmt.Errorf("adaptor: decrypted signature: s: %w", err)
	}
	t.Sub(&t, &a.s)
	if !a.r.HasEvenY() {
		t.Negate(&t)
	}
	return matching(&t, encryption, false)
}

// matching returns t as a private key if encryption is its public key. If either sign is allowed,
// it returns −t if encryption is the negative of t's public key.
func matching(
	t *group.Scalar, encryption *koblitz.PublicKey, either bool,
) (*koblitz.PrivateKey, error) {
	k, err := t.PrivateKey()
	if err != nil {
		return nil, errOther
	}
	if k.PublicKey().Equal(encryption) {
		return k, nil
	}
	defer k.Zeroize()
	if either && k.PublicKey().Negate().Equal(encryption) {
		return k.Negate(), nil
	}
	return nil, errOther
}

var errOther = errors.New(
	"adaptor: decrypted signature: not decrypted with the private key of the encryption key")
