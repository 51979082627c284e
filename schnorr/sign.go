package schnorr

import (
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

var (
	errNoPrivateKey = errors.New("schnorr: private key is a zero value or has been zeroized")
	errNonce        = errors.New("schnorr: the nonce is zero; sign with other auxiliary randomness")
	errFault        = errors.New(
		"schnorr: the signature that was made does not verify: a fault in the computation")
)

// Sign returns the 64-byte signature of msg ("Default Signing" of BIP-340), and
// verifies it before it does. aux is 32 bytes of auxiliary randomness, or nil
// for fresh ones; 32 zero bytes make the signature depend on the key and msg
// alone.
//
// There is an error if the key is nil, a zero value or zeroized, if aux is
// neither nil nor 32 bytes long, or if the signature does not verify, which is
// a fault of the machine. The time does not depend on the key, the nonce or
// aux. It depends on the length of msg.
func Sign(key *koblitz.PrivateKey, msg, aux []byte, opts ...SignOption) ([]byte, error) {
	var sig [64]byte
	if err := sign(&sig, key, msg, aux, opts); err != nil {
		return nil, err
	}
	return append([]byte(nil), sig[:]...), nil
}

// AppendSign appends the 64 bytes of Sign to dst and returns it. It does not
// allocate if dst has room. If there is an error, it returns dst as it was.
func AppendSign(
	dst []byte, key *koblitz.PrivateKey, msg, aux []byte, opts ...SignOption,
) ([]byte, error) {
	var sig [64]byte
	if err := sign(&sig, key, msg, aux, opts); err != nil {
		return dst, err
	}
	return append(dst, sig[:]...), nil
}

// sign sets sig to the signature of msg, "Default Signing" of BIP-340, or to zeros if
// there is an error.
func sign(sig *[64]byte, key *koblitz.PrivateKey, msg, aux []byte, opts []SignOption) (err error) {
	if aux != nil && len(aux) != 32 {
		return fmt.Errorf("schnorr: auxiliary randomness: %d bytes, want 32, or nil", len(aux))
	}
	o, err := gather(opts)
	if err != nil {
		return err
	}
	k := (*keys.Private)(key)
	// Before signing: of a key that is zeroized meanwhile the check would find no
	// public key any more.
	pub := k.Public()
	if pub == nil {
		return errNoPrivateKey
	}
	secret.Do(func() { err = signInside(sig, k, pub, msg, aux) })
	if err != nil || o.unchecked {
		return err
	}
	if !check(pub, msg, sig) {
		*sig = [64]byte{}
		return errFault
	}
	return nil
}

// signInside is sign up to the check, the last two steps of "Default Signing". It has
// the specification's names and leaves secrets on the stack. aux is nil or has 32
// bytes.
func signInside(sig *[64]byte, k *keys.Private, pub *keys.Public, msg, aux []byte) error {
	var d scalar.Scalar
	if !k.Load(&d) {
		return errNoPrivateKey
	}
	var a [32]byte
	if aux == nil {
		fresh(&a)
	} else {
		copy(a[:], aux)
	}
	var px [32]byte
	pub.Affine().X.PutBytes(&px)
	d.CondNeg(&d, pub.OddY())

	// The nonce, from the key masked with the hash of aux.
	var t [32]byte
	d.PutBytes(&t)
	hash.Aux(&a, &a)
	for i := range t {
		t[i] ^= a[i]
	}
	hash.Nonce(&t, &t, &px, msg)
	var nonce scalar.Scalar
	nonce.SetBytes(&t)
	ct.Wipe(a[:])
	ct.Wipe(t[:])
	if nonce.IsZero().Reveal() {
		d.Wipe()
		return errNonce
	}

	var R point.Affine
	k.Blinding().ScalarBaseMultAffine(&R, &nonce)
	R.X.Declassify() // it is the first half of the signature
	nonce.CondNeg(&nonce, R.Y.IsOdd())
	R.X.PutBytes((*[32]byte)(sig[:32]))

	var b [32]byte
	hash.Challenge(&b, (*[32]byte)(sig[:32]), &px, msg)
	var s scalar.Scalar
	s.SetBytes(&b)
	s.Mul(&s, &d)
	s.Add(&s, &nonce)
	s.Declassify() // it is the second half
	s.PutBytes((*[32]byte)(sig[32:]))

	d.Wipe()
	nonce.Wipe()
	R.Wipe()
	return nil
}

// fresh sets b to random bytes. It is a function of its own because under the race
// detector the variable that crypto/rand fills escapes, and signing with the caller's
// bytes must not allocate there either.
func fresh(b *[32]byte) {
	var r [32]byte
	rand.Read(r[:])
	*b = r
	ct.Wipe(r[:])
}
