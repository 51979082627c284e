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
	secret.DoDeep(func() {
		var s signing
		err = s.run(k, pub, msg, o)
		*sig = s.sig
		s.wipe()
	})
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

// A signing holds the values of "Default Signing" of BIP-340, with the names of BIP-340. They stay
// in it from step to step, so that TestFault can change them between any two steps.
type signing struct {
	d, k    scalar.Scalar // the key and the nonce, for points with an even y coordinate
	a       [32]byte      // auxiliary randomness
	t       [32]byte      // the key, masked with the hash of a
	px      [32]byte      // x coordinate of the public key
	again   [32]byte      // the bytes of the nonce, computed a second time
	e       [32]byte      // challenge
	message [shortMessage]byte
	R       point.Affine
	sig     [64]byte
}

// shortMessage is the length of the longest message that is copied.
const shortMessage = 64

// run performs "Default Signing" up to its last two steps, the check and the return. It sets s.sig
// to zeros if there is an error. It leaves secrets on the stack, so the function sign calls it
// inside secret.DoDeep.
//
// The nonce and the challenge must be for the same message. Two challenges under one nonce reveal
// the private key, and the check at the end sees only the challenge. A short message is copied. A
// long one is read once for the nonce, and once more for the challenge. Each byte of the second
// read goes to the challenge and to a second computation of the nonce (hash.ChallengeAndNonce), and
// run returns an error if the nonces differ. If o.Unchecked is not set, run computes the nonce
// again for short messages too, from the caller's bytes: a fault that changes the nonce before its
// point is computed would make a valid signature.
func (s *signing) run(k *keys.Private, pub *keys.Public, msg []byte, o *SignOptions) error {
	if !s.load(k, pub, msg, o.Aux) { //ct:unrun when another goroutine wipes the key meanwhile
		return koblitz.ErrZeroKey
	}
	if !s.nonce(msg) { //ct:unrun about once in 2^256 times
		return errNonce
	}
	s.multiply(k.Blinding())
	s.commit()
	s.respond(msg, o.Aux)
	if !s.agrees(msg, o) { //ct:unrun no case makes a fault
		s.sig = [64]byte{}
		return errFault
	}
	return nil
}

// load sets the key, the public key, the auxiliary randomness and the copy of a short message. aux
// is nil or has 32 bytes. load returns false if k holds no key.
func (s *signing) load(k *keys.Private, pub *keys.Public, msg, aux []byte) bool {
	if !k.Load(&s.d) { //ct:unrun when another goroutine wipes the key meanwhile
		return false
	}
	if aux == nil {
		fresh(&s.a)
	}
	if len(msg) <= shortMessage {
		copy(s.message[:], msg)
	}
	pub.Affine().X.PutBytes(&s.px)
	s.d.CondNeg(&s.d, pub.OddY())
	s.mask(aux)
	return true
}

// mask sets s.t to the key masked with the hash of the auxiliary randomness, which it reads from
// aux unless aux is nil.
func (s *signing) mask(aux []byte) {
	copy(s.a[:], aux)
	s.d.PutBytes(&s.t)
	hash.MaskKey(&s.t, &s.a)
}

// nonce derives the nonce. It returns false if the nonce is zero.
func (s *signing) nonce(msg []byte) bool {
	var b [32]byte
	hash.Nonce(&b, &s.t, &s.px, s.copied(msg))
	s.k.SetBytes(&b)
	ct.Wipe(b[:])
	return !s.k.IsZero().Reveal()
}

// copied returns the copy of msg if msg is short, and otherwise msg.
func (s *signing) copied(msg []byte) []byte {
	if len(msg) <= shortMessage {
		return s.message[:len(msg)]
	}
	return msg
}

// multiply sets s.R to k·G.
func (s *signing) multiply(blinding *ecmult.Blinding) {
	blinding.ScalarBaseMultAffine(&s.R, &s.k)
	s.R.X.Declassify() // r, the first half of the signature
}

// commit sets the first half of the signature, and negates the nonce if s.R has an odd y
// coordinate.
func (s *signing) commit() {
	s.k.CondNeg(&s.k, s.R.Y.IsOdd())
	s.R.X.PutBytes((*[32]byte)(s.sig[:32]))
}

// respond sets the second half of the signature, k + e·d. For a long message it also sets s.again.
func (s *signing) respond(msg, aux []byte) {
	r := (*[32]byte)(s.sig[:32])
	if len(msg) <= shortMessage {
		hash.Challenge(&s.e, r, &s.px, s.message[:len(msg)])
	} else {
		s.mask(aux)
		hash.ChallengeAndNonce(&s.e, &s.again, r, &s.t, &s.px, msg)
	}
	var sum scalar.Scalar
	sum.SetBytes(&s.e)
	sum.Mul(&sum, &s.d)
	sum.Add(&sum, &s.k)
	sum.Declassify() // s, the second half of the signature
	sum.PutBytes((*[32]byte)(s.sig[32:]))
}

// agrees reports whether the nonce, computed a second time, is the one that signed. It computes it
// for short messages only if the signature is checked.
func (s *signing) agrees(msg []byte, o *SignOptions) bool {
	if len(msg) <= shortMessage {
		if o.Unchecked {
			return true
		}
		s.mask(o.Aux)
		hash.Nonce(&s.again, &s.t, &s.px, msg)
	}
	var k, minus scalar.Scalar
	k.SetBytes(&s.again)
	minus.Neg(&k) // commit may have negated the nonce
	same := (k.Equal(&s.k) | minus.Equal(&s.k)).Reveal()
	k.Wipe()
	minus.Wipe()
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
