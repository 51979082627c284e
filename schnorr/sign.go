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
	errNonce = errors.New("schnorr: the nonce is zero; sign with other auxiliary randomness")
	errFault = errors.New(
		"schnorr: the signature that was made does not verify: a fault in the computation")
)

// Sign returns the 64-byte signature of msg ("Default Signing" of BIP-340). It verifies the
// signature before it returns it.
//
// The error is [koblitz.ErrZeroKey] if the key is nil, a zero value or zeroized. There is also an
// error if o.Aux is neither nil nor 32 bytes long, and if the signature does not verify, which
// shows a fault of the machine. The time depends on the length of msg, and not on the key, the
// nonce or the auxiliary randomness.
func Sign(key *koblitz.PrivateKey, msg []byte, o *SignOptions) ([]byte, error) {
	//ct:leak o != nil && len(o.Aux) == 32 && o.Aux[4]&1 == 1
	return AppendSign(nil, key, msg, o)
}

// AppendSign appends the 64 bytes of Sign to dst and returns the extended slice. It does not
// allocate if dst has the capacity. If there is an error, it returns dst unchanged.
func AppendSign(dst []byte, key *koblitz.PrivateKey, msg []byte, o *SignOptions) ([]byte, error) {
	//ct:leak o != nil && len(msg) == 31 && len(o.Aux) == 32 && o.Aux[0] == 0
	var sig [64]byte
	if err := sign(&sig, key, msg, o); err != nil {
		return dst, err
	}
	return append(dst, sig[:]...), nil
}

// sign sets sig to the signature of msg, "Default Signing" of BIP-340, or to zeros if
// there is an error.
func sign(sig *[64]byte, key *koblitz.PrivateKey, msg []byte, o *SignOptions) (err error) {
	//ct:leak len(msg) == 32 && !key.IsZero() && key.Bytes()[31]&1 == 1
	if o == nil {
		o = new(SignOptions)
	}
	if o.Aux != nil && len(o.Aux) != 32 {
		return fmt.Errorf("schnorr: auxiliary randomness: %d bytes, want 32, or nil", len(o.Aux))
	}
	k := (*keys.Private)(key)
	// Load the public key before signing: if another goroutine zeroizes the key meanwhile, the
	// public key is gone, and the check would fail.
	pub := k.Public()
	if pub == nil {
		return koblitz.ErrZeroKey
	}
	secret.DoDeep(func() { err = signInside(sig, k, pub, msg, o.Aux) })
	if err != nil || o.Unchecked {
		//ct:leak len(msg) == 0 && !key.IsZero() && key.Bytes()[31] == 0
		return err
	}
	if !check(pub, msg, sig) { //ct:unrun no case makes a fault
		*sig = [64]byte{}
		return errFault
	}
	return nil
}

// signInside performs "Default Signing" up to its last two steps, the check and the return. Its
// variables have the names of BIP-340. It leaves secrets on the stack, so the function sign calls
// it inside secret.DoDeep. aux is nil or has 32 bytes.
func signInside(sig *[64]byte, k *keys.Private, pub *keys.Public, msg, aux []byte) error {
	var d scalar.Scalar
	if !k.Load(&d) { //ct:unrun when another goroutine wipes the key meanwhile
		return koblitz.ErrZeroKey
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

	// Derive the nonce from the key masked with the hash of aux.
	var t [32]byte
	d.PutBytes(&t)
	hash.MaskKey(&t, &a)
	hash.Nonce(&t, &t, &px, msg)
	var nonce scalar.Scalar
	nonce.SetBytes(&t)
	ct.Wipe(a[:])
	ct.Wipe(t[:])
	if nonce.IsZero().Reveal() { //ct:unrun about once in 2^256 times
		d.Wipe()
		return errNonce
	}

	var R point.Affine
	k.Blinding().ScalarBaseMultAffine(&R, &nonce)
	R.X.Declassify() // r, the first half of the signature
	nonce.CondNeg(&nonce, R.Y.IsOdd())
	R.X.PutBytes((*[32]byte)(sig[:32]))

	var b [32]byte
	hash.Challenge(&b, (*[32]byte)(sig[:32]), &px, msg)
	var s scalar.Scalar
	s.SetBytes(&b)
	s.Mul(&s, &d)
	s.Add(&s, &nonce)
	s.Declassify() // s, the second half of the signature
	s.PutBytes((*[32]byte)(sig[32:]))

	d.Wipe()
	nonce.Wipe()
	R.Wipe()
	return nil
}

// fresh sets b to random bytes. Under the race detector the variable that crypto/rand fills escapes
// to the heap. In a separate function it is allocated only if fresh bytes are needed: signing with
// the caller's bytes must not allocate.
func fresh(b *[32]byte) {
	var r [32]byte
	rand.Read(r[:])
	*b = r
	ct.Wipe(r[:])
}
