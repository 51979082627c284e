package schnorr

import (
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

var (
	errNonce = errors.New("schnorr: the nonce is zero; sign with other auxiliary randomness")
	errFault = errors.New("schnorr: the signature that was made does not verify: " +
		"a fault in the computation, or an argument that changed meanwhile")
)

// Sign returns the 64-byte signature of msg ("Default Signing" of BIP-340). It verifies the
// signature before it returns it.
//
// The error is [koblitz.ErrZeroKey] if the key is nil, a zero value or zeroized. There is also an
// error if o.Aux is neither nil nor 32 bytes long, and if the signature does not verify, which
// shows a fault of the machine. The time depends on the length of msg, and not on the key, the
// nonce or the auxiliary randomness.
func Sign(key *koblitz.PrivateKey, msg []byte, o *SignOptions) ([]byte, error) {
	//ct:secret o != nil && len(o.Aux) == 32 && o.Aux[4]&1 == 1
	return AppendSign(nil, key, msg, o)
}

// AppendSign appends the 64 bytes of Sign to dst and returns the extended slice. It does not
// allocate if dst has the capacity. If there is an error, it returns dst unchanged.
func AppendSign(dst []byte, key *koblitz.PrivateKey, msg []byte, o *SignOptions) ([]byte, error) {
	//ct:secret o != nil && len(msg) == 31 && len(o.Aux) == 32 && o.Aux[0] == 0
	var sig [64]byte
	if err := sign(&sig, key, msg, o); err != nil {
		return dst, err
	}
	return append(dst, sig[:]...), nil
}

// sign sets sig to the signature of msg, "Default Signing" of BIP-340, or to zeros if
// there is an error.
func sign(sig *[64]byte, key *koblitz.PrivateKey, msg []byte, o *SignOptions) (err error) {
	//ct:secret len(msg) == 32 && !key.IsZero() && key.Bytes()[31]&1 == 1
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
	secret.DoDeep(func() {
		var s signing
		if err = s.run(k, pub, msg, o); err == nil {
			*sig = s.sig
		}
		s.wipe()
	})
	if err != nil || o.Unchecked {
		//ct:secret len(msg) == 0 && !key.IsZero() && key.Bytes()[31] == 0
		return err
	}
	if !check(pub, msg, sig) { //ct:unrun no case makes a fault
		*sig = [64]byte{}
		return errFault
	}
	return nil
}

// A signing holds the values of "Default Signing" of BIP-340, with the names of BIP-340. They stay
// in it from step to step, so that TestFault can change them between any two steps.
type signing struct {
	d, k scalar.Scalar // the key, for a point with an even y coordinate, and the nonce
	a    [32]byte      // auxiliary randomness
	px   [32]byte      // x coordinate of the public key
	R    point.Affine
	sig  [64]byte
}

// run performs "Default Signing" up to its last two steps, the check and the return. It leaves
// secrets on the stack, so the function sign calls it inside secret.DoDeep.
//
// The nonce and the challenge must be for the same message: two challenges under one nonce reveal
// the private key, and the check at the end sees only the challenge. So run reads msg once for the
// nonce, and once for the challenge and a second computation of the nonce. It returns an error if
// the nonces differ. This also finds a fault that changes the nonce before its point is computed,
// which would make a valid signature. If o.Unchecked is set, a short message is copied instead.
func (s *signing) run(k *keys.Private, pub *keys.Public, msg []byte, o *SignOptions) error {
	var buf [64]byte
	again := !o.Unchecked || len(msg) > len(buf)
	if !again {
		msg = buf[:copy(buf[:], msg)]
	}
	if !s.load(k, pub, o.Aux) { //ct:unrun when another goroutine wipes the key meanwhile
		return koblitz.ErrZeroKey
	}
	if !s.nonce(msg, o.Aux) { //ct:unrun about once in 2^256 times
		return errNonce
	}
	s.multiply(k.Blinding())
	if !s.respond(msg, o.Aux, again) { //ct:unrun no case makes a fault
		return errFault
	}
	return nil
}

// load sets the key, the public key, and auxiliary randomness if aux is nil. Otherwise aux has 32
// bytes. load returns false if k holds no key.
//
// The randomness comes first: if the program has replaced rand.Reader, that reader can need more
// stack than package secret grew. The runtime then frees the old stack, with a key on it.
func (s *signing) load(k *keys.Private, pub *keys.Public, aux []byte) bool {
	if aux == nil {
		fresh(&s.a)
	}
	if !k.Load(&s.d) { //ct:unrun when another goroutine wipes the key meanwhile
		return false
	}
	pub.Affine().X.PutBytes(&s.px)
	s.d.CondNeg(&s.d, pub.OddY())
	return true
}

// mask sets t to the key masked with the hash of the auxiliary randomness, which it reads from aux
// unless aux is nil.
func (s *signing) mask(t *[32]byte, aux []byte) {
	copy(s.a[:], aux)
	s.d.PutBytes(t)
	hash.MaskKey(t, &s.a)
}

// nonce derives the nonce. It returns false if the nonce is zero.
func (s *signing) nonce(msg, aux []byte) bool {
	var t [32]byte
	s.mask(&t, aux)
	hash.Nonce(&t, &t, &s.px, msg)
	s.k.SetBytes(&t)
	ct.Wipe(t[:])
	return !s.k.IsZero().Reveal()
}

// multiply sets R to k·G, and the first half of the signature.
func (s *signing) multiply(blinding *ecmult.Blinding) {
	blinding.ScalarBaseMultAffine(&s.R, &s.k)
	s.R.X.Declassify() // r, the first half of the signature
	s.R.X.PutBytes((*[32]byte)(s.sig[:32]))
}

// respond sets the second half of the signature, k + e·d, for the nonce k or −k whose point has an
// even y coordinate. If again is set, it computes the nonce a second time, and returns false if it
// is another one.
func (s *signing) respond(msg, aux []byte, again bool) bool {
	r, same := (*[32]byte)(s.sig[:32]), true
	var e [32]byte
	var sum scalar.Scalar
	if again {
		var t [32]byte
		s.mask(&t, aux)
		hash.ChallengeAndNonce(&e, &t, r, &t, &s.px, msg)
		sum.SetBytes(&t)
		same = sum.Equal(&s.k).Reveal()
		ct.Wipe(t[:])
	} else {
		hash.Challenge(&e, r, &s.px, msg)
	}
	s.k.CondNeg(&s.k, s.R.Y.IsOdd())
	sum.SetBytes(&e)
	sum.Mul(&sum, &s.d)
	sum.Add(&sum, &s.k)
	sum.Declassify() // s, the second half of the signature
	sum.PutBytes((*[32]byte)(s.sig[32:]))
	return same
}

// wipe overwrites s with zeros.
//
//go:noinline
func (s *signing) wipe() { *s = signing{} }

// fresh sets b to random bytes. Under the race detector the variable that crypto/rand fills escapes
// to the heap. In a separate function it is allocated only if fresh bytes are needed: signing with
// the caller's bytes must not allocate.
func fresh(b *[32]byte) {
	var r [32]byte
	rand.Read(r[:])
	*b = r
	ct.Wipe(r[:])
}
