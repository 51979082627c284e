package adaptor

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/x/internal/ct"
	"github.com/koblitz-go/koblitz/x/internal/modn"
)

// An ECDSA is an encrypted ECDSA signature. With the encryption key Y, the signer's nonce k, its
// secret x, the hash m, and the x coordinate r of R modulo n, it consists of
//
//	R = k·Y
//	A = k·G
//	s = (m + r·x)/k
//
// and a proof that R and A have the same k. The decrypted signature is r and s divided by the
// logarithm of Y. The zero value is no signature: it does not verify, and its methods return
// errors.
type ECDSA struct {
	r, a  *koblitz.PublicKey
	s     group.Scalar
	proof proof
}

// ECDSASize is the size of an encoded ECDSA in bytes: R and A, compressed, s, and the proof.
const ECDSASize = 2*group.PointSize + group.ScalarSize + proofSize

// SignECDSA returns a signature on a hash of 32 bytes by key, encrypted to the public key
// encryption (ecdsa_adaptor_encrypt of dlcspecs). It derives nonces from fresh randomness and all
// arguments. The time does not depend on key.
//
// SignECDSA verifies the result with the arguments. There is an error if the hash has changed or a
// fault happened, if a key holds no key, or if the hash has another length.
func SignECDSA(
	key *koblitz.PrivateKey, encryption *koblitz.PublicKey, hash []byte,
) (*ECDSA, error) {
	switch {
	case key.IsZero():
		return nil, fmt.Errorf("adaptor: signing key: %w", koblitz.ErrZeroKey)
	case encryption.IsZero():
		return nil, fmt.Errorf("adaptor: encryption key: %w", koblitz.ErrZeroKey)
	case len(hash) != 32:
		return nil, fmt.Errorf("adaptor: hash: %d bytes, want 32", len(hash))
	}
	var x, k group.Scalar
	defer x.Zeroize()
	defer k.Zeroize()
	if _, err := x.SetPrivateKey(key); err != nil {
		return nil, err
	}
	signed := [32]byte(hash) // for the nonce and s
	secret, err := nonce(
		"ECDSAadaptor/non", &x, key.PublicKey().Bytes(), encryption.Bytes(), signed[:])
	if err != nil {
		return nil, err
	}
	defer secret.Zeroize()
	if _, err := k.SetPrivateKey(secret); err != nil {
		return nil, err
	}
	a := &ECDSA{a: secret.PublicKey()}
	if a.r, err = times(&k, encryption); err != nil {
		return nil, err
	}
	var inverse group.Scalar
	defer inverse.Zeroize()
	a.s.Add(modn.Reduce(&a.s, &signed), x.Mul(&x, a.number()))
	a.s.Mul(&a.s, inverse.Invert(&k))
	if err := a.proof.prove(&k, a.a, encryption, a.r); err != nil {
		a.s.Zeroize()
		return nil, err
	}
	// The check may take variable time, as in SignSchnorr.
	b := a.Bytes()
	ct.Declassify(b)
	if check, err := ParseECDSA(b); err != nil || !check.Verify(key.PublicKey(), encryption, hash) {
		a.s.Zeroize()
		a.proof.c.Zeroize()
		clear(b)
		return nil, errFault
	}
	return a, nil
}

// times returns k·p, which becomes public.
func times(k *group.Scalar, p *koblitz.PublicKey) (*koblitz.PublicKey, error) {
	b := k.Bytes()
	defer clear(b)
	return p.TweakMul(b)
}

// number returns the x coordinate of R modulo n.
func (a *ECDSA) number() *group.Scalar {
	return modn.Reduce(new(group.Scalar), (*[32]byte)(a.r.XOnlyPublicKey().Bytes()))
}

// product returns m·G + r·X, the product of s and A if a is valid, or the identity if key holds no
// key.
func (a *ECDSA) product(key *koblitz.PublicKey, hash [32]byte) *group.Point {
	var p group.Point
	if _, err := p.SetPublicKey(key); err != nil {
		return &p
	}
	m := modn.Reduce(new(group.Scalar), &hash)
	return p.DoubleScalarBaseMultVartime(m, a.number(), &p)
}

// ParseECDSA decodes an encrypted signature: 162 bytes, R and A compressed, s, and the proof's b
// and c. It does not verify the proof. It returns an error if R or A is not the encoding of a key,
// if the x coordinate of R is a multiple of n, if s is not in [1, n), or if b or c is not below n.
func ParseECDSA(b []byte) (*ECDSA, error) {
	if len(b) != ECDSASize {
		return nil, fmt.Errorf("adaptor: signature: %d bytes, want %d", len(b), ECDSASize)
	}
	a := new(ECDSA)
	var err error
	if a.r, err = koblitz.ParsePublicKey(b[:33]); err != nil {
		return nil, fmt.Errorf("adaptor: R: %w", err)
	}
	if a.number().IsZero() {
		return nil, errors.New("adaptor: R: the x coordinate is a multiple of n")
	}
	if a.a, err = koblitz.ParsePublicKey(b[33:66]); err != nil {
		return nil, fmt.Errorf("adaptor: A: %w", err)
	}
	if _, err := a.s.SetBytes(b[66:98]); err != nil {
		return nil, fmt.Errorf("adaptor: s: %w", err)
	}
	if a.s.IsZero() {
		return nil, errors.New("adaptor: s: 0")
	}
	if err := a.proof.parse(b[98:]); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *ECDSA) isZero() bool { return a == nil || a.r.IsZero() }

// Bytes returns the 162 bytes that encode a, or nil if a is nil or a zero value.
func (a *ECDSA) Bytes() []byte {
	if a.isZero() {
		return nil
	}
	return a.proof.append(a.s.AppendBytes(a.a.AppendBytes(a.r.Bytes())))
}

// Verify reports whether a decrypts, with the private key of encryption, to a valid signature on
// the hash under key (ecdsa_adaptor_verify of dlcspecs). It returns false if a or a key is nil or a
// zero value, or if the hash does not have 32 bytes. The time depends on all arguments.
func (a *ECDSA) Verify(key, encryption *koblitz.PublicKey, hash []byte) bool {
	a, key, encryption = own(a), own(key), own(encryption)
	if a.isZero() || key.IsZero() || len(hash) != 32 || !a.proof.verify(a.a, encryption, a.r) {
		return false
	}
	var left group.Point
	if _, err := left.SetPublicKey(a.a); err != nil {
		return false
	}
	return left.ScalarMultVartime(&a.s, &left).Equal(a.product(key, [32]byte(hash)))
}

// Decrypt returns the ECDSA signature, with a low s, which becomes public (ecdsa_adaptor_decrypt of
// dlcspecs). It is valid if a verifies for the public key of decryption; verify it otherwise. The
// time does not depend on decryption.
func (a *ECDSA) Decrypt(decryption *koblitz.PrivateKey) (*ecdsa.Signature, error) {
	if a.isZero() {
		return nil, errZero
	}
	var s group.Scalar
	defer s.Zeroize()
	if _, err := s.SetPrivateKey(decryption); err != nil {
		return nil, fmt.Errorf("adaptor: decryption key: %w", err)
	}
	s.Mul(s.Invert(&s), &a.s)
	encoded := s.AppendBytes(a.number().Bytes())
	ct.Declassify(encoded)
	signature, err := ecdsa.ParseSignature(encoded)
	if err != nil {
		return nil, err
	}
	return signature.Normalize(), nil
}

// Recover returns the private key of encryption from the decrypted signature (ecdsa_adaptor_recover
// of dlcspecs). The s of the signature may be high. Recover returns an error if the signature is
// not the result of decrypting a with that key.
func (a *ECDSA) Recover(
	encryption *koblitz.PublicKey, signature *ecdsa.Signature,
) (*koblitz.PrivateKey, error) {
	if a.isZero() {
		return nil, errZero
	}
	if signature == nil || signature.IsZero() {
		return nil, errors.New("adaptor: decrypted signature: nil or a zero value")
	}
	if signature.R() != [32]byte(a.number().Bytes()) {
		return nil, errors.New("adaptor: decrypted signature: another R")
	}
	s := signature.S()
	y := modn.Reduce(new(group.Scalar), &s)
	defer y.Zeroize()
	y.Mul(y.Invert(y), &a.s)
	return matching(y, encryption, true)
}
