package ecdsa

import (
	"errors"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

var (
	errNoPrivateKey = errors.New("ecdsa: private key is a zero value or has been zeroized")
	errFault        = errors.New(
		"ecdsa: the signature that was made does not verify: a fault in the computation")
)

// Sign returns a signature of the hash, with the nonce of RFC 6979 and a low s.
// The same key, hash and entropy give the same signature.
//
// There is an error if the key is nil, a zero value or zeroized, or if the hash is
// shorter than 20 bytes, for which the package documentation has the reason; with
// Checked also if the signature does not verify, which is a fault of the machine. The
// time does not depend on the key, the nonce or the entropy. It depends on the
// lengths of the hash and the entropy.
func Sign(key *koblitz.PrivateKey, hash []byte, opts ...SignOption) (*Signature, error) {
	sig := new(Signature)
	if _, err := sig.sign(key, hash, opts, false); err != nil {
		return nil, err
	}
	return sig, nil
}

// AppendSign appends the 64 bytes of the signature that Sign would make, r and
// s of 32 bytes each, big-endian, to dst and returns it. It does not allocate if
// dst has room. If there is an error, it returns dst as it was.
func AppendSign(
	dst []byte, key *koblitz.PrivateKey, hash []byte, opts ...SignOption,
) ([]byte, error) {
	var sig Signature
	if _, err := sig.sign(key, hash, opts, false); err != nil {
		return dst, err
	}
	return sig.AppendBytes(dst), nil
}

// SignRecoverable returns the signature that Sign would make in 65 bytes: r and
// s of 32 bytes each, big-endian, and the recovery id, with which Recover finds
// the public key. Bit 0 of the id is 1 if the y coordinate of the nonce point,
// the one that belongs to this s, is odd; bit 1 is 1 if its x coordinate is
// r + n and not r.
//
// There is an error where Sign has one, and the time depends on the same.
func SignRecoverable(key *koblitz.PrivateKey, hash []byte, opts ...SignOption) ([]byte, error) {
	sig, err := AppendSignRecoverable(make([]byte, 0, 65), key, hash, opts...)
	if err != nil {
		return nil, err
	}
	return sig, nil
}

// AppendSignRecoverable appends the 65 bytes of SignRecoverable to dst and
// returns it. It does not allocate if dst has room. If there is an error, it
// returns dst as it was.
func AppendSignRecoverable(
	dst []byte, key *koblitz.PrivateKey, hash []byte, opts ...SignOption,
) ([]byte, error) {
	var sig Signature
	id, err := sig.sign(key, hash, opts, true)
	if err != nil {
		return dst, err
	}
	return append(sig.AppendBytes(dst), id), nil
}

// sign sets sig to the signature of the hash (SEC 1 version 2, section 4.1.3)
// and returns its recovery id, which Checked verifies too if recoverable is set. sig
// is the zero value if there is an error.
func (sig *Signature) sign(
	key *koblitz.PrivateKey, h []byte, opts []SignOption, recoverable bool,
) (id byte, err error) {
	if tooShort(h) {
		return 0, errShortHash(h)
	}
	o, err := gather(opts)
	if err != nil {
		return 0, err
	}
	k := (*keys.Private)(key)
	var pub *keys.Public
	if o.checked {
		// Before signing: of a key that is zeroized meanwhile the check would find
		// no public key any more.
		pub = k.Public()
	}
	secret.Do(func() { id, err = sig.signInside(k, h, o.entropy) })
	if err != nil || !o.checked {
		return id, err
	}
	good := false
	if recoverable {
		good = checkRecoverable(pub, h, sig, id)
	} else {
		good = check(pub, h, sig)
	}
	if !good {
		*sig = Signature{}
		return 0, errFault
	}
	return id, nil
}

// signInside is sign without options but entropy, and leaves secrets on the stack.
func (sig *Signature) signInside(
	k *keys.Private, h []byte, entropy hash.Pieces,
) (id byte, err error) {
	var d scalar.Scalar
	if !k.Load(&d) {
		return 0, errNoPrivateKey
	}
	var z scalar.Scalar
	dsa.SetHash(&z, h)
	var message [32]byte
	z.PutBytes(&message)
	id = dsa.Sign(&sig.r, &sig.s, k.Blinding(), &d, &z, &message, entropy)
	d.Wipe()
	return id, nil
}
