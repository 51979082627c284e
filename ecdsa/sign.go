package ecdsa

import (
	"errors"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

var (
	errNoPrivateKey = errors.New("ecdsa: private key is a zero value or has been zeroized")
	errNotEncoded   = errors.New("ecdsa: an option is not encoded, since it may hold a secret")
	errFault        = errors.New("ecdsa: the signature that was made does not verify: a fault in the computation")
)

// An Option changes how a signature is made. The zero value changes nothing.
//
// An Option prints as an address, and encoders get an error: what WithEntropy was
// given may be secret.
type Option struct {
	entropy hash.Pieces // nil: none was given
}

// WithEntropy mixes extra into the derivation of the nonce, as the additional
// data of RFC 6979, section 3.6. Fresh random bytes, 32 of them as a rule, make
// signing harder to attack with faults and side channels; a constant separates
// one use of a key from another. Any length is good, and an empty one is the
// same as no option; of several such options the last one counts. extra is not
// copied: it is read when a signature is made, so overwrite it after that.
func WithEntropy(extra []byte) Option { return Option{entropy: hash.PiecesOf(extra)} }

// MarshalText returns an error: an option is not for storing.
func (Option) MarshalText() ([]byte, error) { return nil, errNotEncoded }

// Sign returns a signature of the hash, with the nonce of RFC 6979 and a low s.
// The same key, hash and options give the same signature.
//
// There is an error if the key is nil, a zero value or zeroized. The time does
// not depend on the key or the nonce.
func Sign(key *koblitz.PrivateKey, hash []byte, opts ...Option) (*Signature, error) {
	sig := new(Signature)
	if _, err := sig.sign(key, hash, opts); err != nil {
		return nil, err
	}
	return sig, nil
}

// SignChecked is Sign, and then verifies the signature before it returns it,
// against the key's public key: a fault in the computation becomes an error,
// and no faulty signature gets out, from which the key could be found. It takes
// as long as Sign and Verify together.
func SignChecked(key *koblitz.PrivateKey, hash []byte, opts ...Option) (*Signature, error) {
	sig := new(Signature)
	if err := sig.signChecked(key, hash, opts); err != nil {
		return nil, err
	}
	return sig, nil
}

// AppendSign appends the 64 bytes of the signature that Sign would make, r and
// s of 32 bytes each, big-endian, to dst and returns it. It does not allocate if
// dst has room. If there is an error, it returns dst as it was.
func AppendSign(dst []byte, key *koblitz.PrivateKey, hash []byte, opts ...Option) ([]byte, error) {
	var sig Signature
	if _, err := sig.sign(key, hash, opts); err != nil {
		return dst, err
	}
	return sig.AppendBytes(dst), nil
}

// AppendSignChecked appends the 64 bytes of the signature that SignChecked would
// make, as AppendSign does. It does not allocate if dst has room. If there is an
// error, it returns dst as it was.
func AppendSignChecked(dst []byte, key *koblitz.PrivateKey, hash []byte, opts ...Option) ([]byte, error) {
	var sig Signature
	if err := sig.signChecked(key, hash, opts); err != nil {
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
// There is an error if the key is nil, a zero value or zeroized. The time does
// not depend on the key or the nonce.
func SignRecoverable(key *koblitz.PrivateKey, hash []byte, opts ...Option) ([]byte, error) {
	sig, err := AppendSignRecoverable(make([]byte, 0, 65), key, hash, opts...)
	if err != nil {
		return nil, err
	}
	return sig, nil
}

// AppendSignRecoverable appends the 65 bytes of SignRecoverable to dst and
// returns it. It does not allocate if dst has room. If there is an error, it
// returns dst as it was.
func AppendSignRecoverable(dst []byte, key *koblitz.PrivateKey, hash []byte, opts ...Option) ([]byte, error) {
	var sig Signature
	id, err := sig.sign(key, hash, opts)
	if err != nil {
		return dst, err
	}
	return append(sig.AppendBytes(dst), id), nil
}

// SignRecoverableChecked is SignRecoverable with the verification of
// SignChecked, which looks at the recovery id as well: what it returns is a
// signature from which Recover finds the key's public key. It takes as long as
// SignRecoverable and Verify together, and one inversion more.
func SignRecoverableChecked(key *koblitz.PrivateKey, hash []byte, opts ...Option) ([]byte, error) {
	sig, err := AppendSignRecoverableChecked(make([]byte, 0, 65), key, hash, opts...)
	if err != nil {
		return nil, err
	}
	return sig, nil
}

// AppendSignRecoverableChecked appends the 65 bytes of SignRecoverableChecked to
// dst and returns it. It does not allocate if dst has room. If there is an
// error, it returns dst as it was.
func AppendSignRecoverableChecked(dst []byte, key *koblitz.PrivateKey, hash []byte, opts ...Option) ([]byte, error) {
	pub := (*keys.Private)(key).Public() // first, as in signChecked
	var sig Signature
	id, err := sig.sign(key, hash, opts)
	if err != nil {
		return dst, err
	}
	if !checkRecoverable(pub, hash, &sig, id) {
		return dst, errFault
	}
	return append(sig.AppendBytes(dst), id), nil
}

// signChecked is sign, and then verifies; sig is the zero value if there is an
// error.
func (sig *Signature) signChecked(key *koblitz.PrivateKey, h []byte, opts []Option) error {
	// Before signing: of a key that is zeroized meanwhile the check would find
	// no public key any more.
	pub := (*keys.Private)(key).Public()
	if _, err := sig.sign(key, h, opts); err != nil {
		return err
	}
	if !check(pub, h, sig) {
		*sig = Signature{}
		return errFault
	}
	return nil
}

// sign sets sig to the signature of the hash (SEC 1 version 2, section 4.1.3)
// and returns its recovery id.
func (sig *Signature) sign(key *koblitz.PrivateKey, h []byte, opts []Option) (id byte, err error) {
	secret.Do(func() { id, err = sig.signInside((*keys.Private)(key), h, opts) })
	return id, err
}

// signInside is sign, and leaves secrets on the stack.
func (sig *Signature) signInside(k *keys.Private, h []byte, opts []Option) (id byte, err error) {
	var d scalar.Scalar
	if !k.Load(&d) {
		return 0, errNoPrivateKey
	}
	var extra hash.Pieces
	for _, o := range opts {
		if o.entropy != nil {
			extra = o.entropy
		}
	}
	var z, nonce scalar.Scalar
	setHash(&z, h)
	var candidate, digest [32]byte
	d.PutBytes(&candidate)
	z.PutBytes(&digest)
	var nonces hash.Nonces
	nonces.Init(&candidate, &digest, extra)

	for ok := false; !ok; {
		nonces.Next(&candidate)
		// That a candidate is refused says nothing about the next one, and
		// happens once in 2¹²⁷ times.
		if nonce.SetNonzeroBytes(&candidate).Reveal() {
			id, ok = sig.signWith(k, &d, &z, &nonce)
		}
	}
	d.Wipe()
	nonce.Wipe()
	nonces.Wipe()
	ct.Wipe(candidate[:])
	return id, nil
}

// signWith sets sig to the signature of the number z by the key d of k with a
// nonce in [1, n), which it overwrites, and returns its recovery id. ok is
// false, and sig the zero value for all who look, if r or s is zero: another
// nonce must be tried.
func (sig *Signature) signWith(k *keys.Private, d, z, nonce *scalar.Scalar) (id byte, ok bool) {
	var R point.Affine
	k.Blinding().ScalarBaseMultAffine(&R, nonce)
	R.X.Declassify() // r, and whether it was reduced, are in what is returned
	var x [32]byte
	R.X.PutBytes(&x)
	overflow := sig.r.SetBytes(&x).Not()

	// s = (z + r·d)/k
	var s scalar.Scalar
	s.Mul(&sig.r, d)
	s.Add(&s, z)
	nonce.Invert(nonce)
	s.Mul(&s, nonce)
	high := s.IsHigh()
	sig.s.CondNeg(&s, high)
	sig.s.Declassify()
	// The parity of the R that belongs to sig.s: whoever verifies computes this
	// R. The parity of the other one, and with it which of s and n - s came out
	// first, stays secret.
	odd := (R.Y.IsOdd() ^ high).Reveal()
	R.Wipe()
	s.Wipe()
	id = byte(overflow) << 1
	if odd {
		id |= 1
	}
	return id, !sig.IsZero()
}
