package musig2

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// ErrNonceUsed is the error of [Session.Sign] if the secret nonce has signed before, or is nil, a
// zero value or zeroized.
var ErrNonceUsed = errors.New("musig2: the secret nonce was used before, or is a zero value")

// A SecretNonce is a signer's secret nonce. It signs once: [Session.Sign] overwrites it. It cannot
// be stored: two signatures with one nonce give away the private key. The zero value holds no
// nonce.
//
// Pass a SecretNonce by its pointer. Copies share one nonce, so that only one of them can sign;
// go vet reports them. A SecretNonce prints as a fixed text, and encoders get an error.
type SecretNonce struct {
	// The pointer is hidden in a function value: printers follow all other kinds of pointers.
	open func() *nonceState

	_ noCopy
	redacted
}

// noEncoding is an unexported alias, so that structs that embed it have no exported field for it.
type noEncoding = secret.NoEncoding

// noCopy makes go vet report copies of the structs that contain it.
type noCopy struct{}

// Lock does nothing.
//
//ct:public does nothing
func (*noCopy) Lock() {}

// Unlock does nothing.
//
//ct:public does nothing
func (*noCopy) Unlock() {}

// A nonceState is the state that all copies of a SecretNonce share.
type nonceState struct {
	mu     sync.Mutex
	k      musig.SecretPair
	live   bool         // k holds a nonce
	signer point.Affine // the signer's public key
	public musig.Nonce
}

// NonceOptions are options of nonce generation. All of them are mixed into the nonce along with
// fresh random bytes. They protect against a weak source of random bytes. Two calls with the same
// options return different nonces.
type NonceOptions struct {
	// AggregateKey is the aggregate key of the session, or nil if it is not known yet.
	AggregateKey *AggregateKey

	// Message is the message, or the zero Input if it is not known yet. An empty message is not the
	// zero Input.
	Message Input

	// Extra is any other input, such as a counter of sessions. It must have less than 2³² bytes.
	Extra Input

	redacted
}

// An Input is bytes that are mixed into a nonce. They may be secret, so an Input prints as a fixed
// text, also in a field of another value, and encoders get an error. The zero value holds no bytes.
type Input struct {
	open func() []byte // hides the bytes: printers follow slices

	redacted
}

// NewInput returns an Input of the bytes b, which it does not copy. If b is nil, the result is the
// zero value.
func NewInput(b []byte) Input {
	if b == nil {
		return Input{}
	}
	//ct:secret len(b) > 0 && b[0]&1 == 1
	return Input{open: func() []byte { return b }}
}

// bytes returns the bytes of i, or nil if i is the zero value.
func (i *Input) bytes() []byte {
	if i.open == nil {
		return nil
	}
	return i.open()
}

// GenerateNonce returns a new secret nonce for the signer with the given key (NonceGen). Its random
// bytes are from crypto/rand, and are masked with the key. If the system has no randomness,
// crypto/rand ends the program. The time depends only on the lengths of the options.
//
// The error is [koblitz.ErrZeroKey] if the key is nil, a zero value or zeroized. GenerateNonce
// also returns an error if Extra has 2³² bytes or more.
func GenerateNonce(key *koblitz.PrivateKey, o *NonceOptions) (*SecretNonce, error) {
	//ct:secret !key.IsZero() && key.Bytes()[31]&1 == 1
	return generate((*keys.Private)(key), (*keys.Private)(key).Public(), o)
}

// GenerateNonceWithoutKey works like [GenerateNonce] for a signer whose private key is not at hand.
// The nonce then depends on the quality of crypto/rand alone.
func GenerateNonceWithoutKey(key *koblitz.PublicKey, o *NonceOptions) (*SecretNonce, error) {
	return generate(nil, (*keys.Public)(key), o)
}

// generate does the work of GenerateNonce. key may be nil.
func generate(key *keys.Private, signer *keys.Public, o *NonceOptions) (*SecretNonce, error) {
	random := make([]byte, 32) // on the heap: on the stack, it would be copied when the stack grows
	rand.Read(random)
	return derive(key, signer, o, (*[32]byte)(random))
}

// derive returns the nonce that the random bytes determine, and wipes them.
func derive(
	key *keys.Private, signer *keys.Public, o *NonceOptions, random *[32]byte,
) (*SecretNonce, error) {
	defer ct.Wipe(random[:])
	a := signer.Affine()
	if a == nil {
		return nil, koblitz.ErrZeroKey
	}
	if o == nil {
		o = new(NonceOptions)
	}
	public, message, extra := musig.Encode(a), o.Message.bytes(), o.Extra.bytes()
	if err := checkExtra(uint64(len(extra))); err != nil { //ct:unrun it takes 4 GiB
		return nil, err
	}
	in := musig.NonceInput{
		PublicKey: public[:], HasMessage: message != nil, Message: message, Extra: extra,
	}
	if k := o.AggregateKey; !k.IsZero() {
		in.AggregateKey = k.XOnlyPublicKey().Bytes()
	}
	//ct:secret random[0]&1 == 1
	return newNonce(key, a, func(k *musig.SecretPair, d *scalar.Scalar) {
		if key != nil {
			in.PrivateKey = d
		}
		k.Derive(&in, random)
	})
}

// checkExtra returns an error if the length of NonceOptions.Extra does not fit in the 4 bytes that
// BIP-327 has for it.
func checkExtra(length uint64) error {
	if length > math.MaxUint32 { //ct:unrun it takes 4 GiB
		return fmt.Errorf("musig2: nonce: Extra: %d bytes, want less than 2^32", length)
	}
	return nil
}

// newNonce returns the secret nonce of the signer that f computes from the private key d. If key is
// nil, d is 0.
func newNonce(
	key *keys.Private, signer *point.Affine, f func(k *musig.SecretPair, d *scalar.Scalar),
) (*SecretNonce, error) {
	s := &nonceState{signer: *signer}
	err := koblitz.ErrZeroKey
	secret.DoDeep(func() {
		var d scalar.Scalar
		if key != nil && !key.Load(&d) { //ct:unrun when another goroutine wipes the key meanwhile
			return
		}
		defer d.Wipe() // f can panic: it reads memory of callers
		f(&s.k, &d)
		//ct:secret s.k[1].IsHigh().Bool()
		if s.k.AnyZero() { //ct:unrun about once in 2^255 times
			err = errors.New("musig2: the nonce is zero")
			return
		}
		err = nil
	})
	if err != nil { //ct:unrun for the errors above
		return nil, err
	}
	var blinding *ecmult.Blinding
	if key != nil {
		blinding = key.Blinding()
	}
	secret.DoDeep(func() { s.k.Publish(&s.public, blinding) })
	s.live = true
	return &SecretNonce{open: func() *nonceState { return s }}, nil
}

// state returns the state of n, or nil if n is nil or a zero value.
func (n *SecretNonce) state() *nonceState {
	if n == nil || n.open == nil {
		return nil
	}
	return n.open()
}

// take moves the nonce to k, which the caller must wipe, and overwrites it in s. It returns false
// if s holds no nonce, or if k1 or k2 is 0. Of several concurrent calls one returns true.
func (s *nonceState) take(k *musig.SecretPair) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	*k = s.k
	//ct:secret s.k[0].IsOdd().Bool()
	s.k.Wipe()
	live := s.live && !k.AnyZero()
	s.live = false
	return live
}

// PublicNonce returns the public nonce, to be sent to the other signers, or nil if n is nil or a
// zero value. After signing it returns the same nonce.
func (n *SecretNonce) PublicNonce() *PublicNonce {
	s := n.state()
	if s == nil {
		return nil
	}
	return &PublicNonce{n: s.public, valid: true}
}

// IsZero reports whether n holds no nonce: it is nil, a zero value, used or zeroized.
func (n *SecretNonce) IsZero() bool {
	s := n.state()
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.live
}

// Zeroize overwrites the nonce of n and of its copies, which cannot sign afterwards.
func (n *SecretNonce) Zeroize() {
	if s := n.state(); s != nil {
		//ct:secret s.k[0].IsHigh().Bool()
		s.mu.Lock()
		s.k.Wipe()
		s.live = false
		s.mu.Unlock()
	}
}
