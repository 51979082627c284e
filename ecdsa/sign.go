package ecdsa

import (
	"errors"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

var errFault = errors.New("ecdsa: the signature that was made does not verify: " +
	"a fault in the computation, or an argument that changed meanwhile")

// Sign returns a signature of the hash. It derives the nonce by RFC 6979, makes s the lower of s
// and n - s, and verifies the signature before it returns it. The same key, hash and entropy always
// give the same signature.
//
// The error is [koblitz.ErrZeroKey] if the key is nil, a zero value or zeroized. There is also an
// error if the hash is shorter than 20 bytes (the package documentation says why), and if the
// signature does not verify, which shows a fault of the machine. The time depends on the lengths of
// the hash and the entropy, and not on the key, the nonce or the entropy.
func Sign(key *koblitz.PrivateKey, hash []byte, o *SignOptions) (*Signature, error) {
	sig := new(Signature)
	if _, err := sig.sign(key, hash, o, false); err != nil {
		return nil, err
	}
	return sig, nil
}

// AppendSign appends the signature of Sign to dst, as 64 bytes, r and s of 32 bytes each,
// big-endian, and returns the extended slice. It does not allocate if dst has the capacity. If
// there is an error, it returns dst unchanged.
func AppendSign(
	dst []byte, key *koblitz.PrivateKey, hash []byte, o *SignOptions,
) ([]byte, error) {
	var sig Signature
	if _, err := sig.sign(key, hash, o, false); err != nil {
		return dst, err
	}
	return sig.AppendBytes(dst), nil
}

// SignRecoverable returns the signature of Sign as 65 bytes: r and s of 32 bytes each, big-endian,
// and the recovery id, with which Recover finds the public key. Bit 0 of the id is 1 if the nonce
// point that belongs to this s has an odd y coordinate. Bit 1 is 1 if the x coordinate of that
// point is r + n, and 0 if it is r.
//
// Errors and time are those of Sign.
func SignRecoverable(key *koblitz.PrivateKey, hash []byte, o *SignOptions) ([]byte, error) {
	//ct:secret !key.IsZero() && key.Bytes()[0]&1 == 1
	sig, err := AppendSignRecoverable(make([]byte, 0, 65), key, hash, o)
	if err != nil {
		return nil, err
	}
	return sig, nil
}

// AppendSignRecoverable appends the 65 bytes of SignRecoverable to dst and returns the extended
// slice. It does not allocate if dst has the capacity. If there is an error, it returns dst
// unchanged.
func AppendSignRecoverable(
	dst []byte, key *koblitz.PrivateKey, hash []byte, o *SignOptions,
) ([]byte, error) {
	var sig Signature
	id, err := sig.sign(key, hash, o, true)
	if err != nil {
		return dst, err
	}
	return append(sig.AppendBytes(dst), id), nil
}

// sign sets sig to the signature of the hash h (SEC 1 version 2, section 4.1.3) and returns its
// recovery id. If recoverable is set, the check at the end covers the id too. If there is an error,
// sig is the zero value.
func (sig *Signature) sign(
	key *koblitz.PrivateKey, h []byte, o *SignOptions, recoverable bool,
) (id byte, err error) {
	//ct:secret len(h) == 32 && !key.IsZero() && key.Bytes()[31]&1 == 1
	if tooShort(h) {
		return 0, errShortHash(h)
	}
	if o == nil {
		o = new(SignOptions)
	}
	k := (*keys.Private)(key)
	var pub *keys.Public
	if !o.Unchecked {
		// Load the public key before signing: if another goroutine zeroizes the key
		// meanwhile, the public key is gone, and the check would fail.
		pub = k.Public()
	}
	secret.DoDeep(func() { id, err = sig.signInside(k, h, o) })
	if err != nil || o.Unchecked {
		return id, err
	}
	good := false
	if recoverable {
		good = checkRecoverable(pub, h, sig, id)
	} else {
		good = check(pub, h, sig)
	}
	if !good { //ct:unrun no case makes a fault
		*sig = Signature{}
		return 0, errFault
	}
	return id, nil
}

// signInside does the work of sign up to the final check. It leaves secrets on the stack, so the
// method sign calls it inside secret.DoDeep.
//
// The nonce and the equation use the same read of h. Unless o.Unchecked is set, signInside returns
// an error if a fault changed the nonce, which the check at the end does not see.
func (sig *Signature) signInside(k *keys.Private, h []byte, o *SignOptions) (id byte, err error) {
	//ct:secret len(o.Entropy) > 32 && o.Entropy[32] == 0
	var g dsa.Signing
	if !k.Load(&g.D) {
		return 0, koblitz.ErrZeroKey
	}
	var message [32]byte
	setMessage(&g.Z, &message, h)
	//ct:secret g.D.IsHigh().Bool()
	g.Sign(k.Blinding(), &message, o.Entropy)
	if !o.Unchecked {
		setMessage(new(scalar.Scalar), &message, h)
		if !g.SameNonce(&message) { //ct:unrun no case makes a fault
			err = errFault
		}
	}
	if err == nil {
		r, s := sig.numbers()
		*r, *s, id = g.R, g.S, g.ID
	}
	g.Wipe()
	return id, err
}

// setMessage sets z to the number that ECDSA signs for the hash h, and message to its encoding,
// bits2octets(h) of RFC 6979.
func setMessage(z *scalar.Scalar, message *[32]byte, h []byte) {
	dsa.SetHash(z, h)
	z.PutBytes(message)
}
