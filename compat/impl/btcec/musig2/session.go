package musig2

import (
	"fmt"

	"github.com/koblitz-go/koblitz/compat/impl/btcec/schnorr"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/musig"
)

// A SessionOption is an option of [Context.NewSession].
type SessionOption func(*sessionOptions)

// sessionOptions holds the values of the options of NewSession.
type sessionOptions struct{ externalNonce *Nonces }

// WithPreGeneratedNonce sets the signer's nonces, unless the context already has nonces. The
// session keeps the pointer, and [Session.Sign] overwrites the secret nonces.
func WithPreGeneratedNonce(nonce *Nonces) SessionOption {
	return func(o *sessionOptions) { o.externalNonce = nonce }
}

// A Session is one signer's part in making one signature: it registers nonces, signs, and combines
// the partial signatures of all signers. It must be used by one goroutine at a time.
type Session struct {
	ctx           *Context
	localNonces   *Nonces // nil after signing
	ownNonces     bool    // whether the session generated localNonces and holds the only reference
	pubNonces     [][PubNonceSize]byte
	combinedNonce *commonNonce // nil until the sum is known
	msg           [32]byte
	ourSig        *PartialSignature
	sigs          []*PartialSignature
	finalSig      *schnorr.Signature
}

// NewSession returns a session. Its nonces are those of the context if it has nonces, otherwise
// those of the option, and otherwise new ones. It returns an error if not all signers are known, or
// if the system provides no random bytes.
func (c *Context) NewSession(options ...SessionOption) (*Session, error) {
	var o sessionOptions
	//ct:secret c.signingKey.Key.IsOdd()
	for _, option := range options {
		option(&o)
	}
	if len(c.opts.keySet) != c.opts.numSigners {
		return nil, ErrNotEnoughSigners
	}
	s := &Session{
		ctx:       c,
		pubNonces: make([][PubNonceSize]byte, 0, c.opts.numSigners),
		sigs:      make([]*PartialSignature, 0, c.opts.numSigners),
	}
	switch {
	case c.sessionNonce != nil:
		s.localNonces, c.sessionNonce = c.sessionNonce, nil
	case o.externalNonce != nil:
		s.localNonces = o.externalNonce
	default:
		var err error
		s.localNonces, err = GenNonces(WithPublicKey(c.pubKey),
			WithNonceSecretKeyAux(c.signingKey), WithNonceCombinedKeyAux(c.combinedKey.FinalKey))
		if err != nil { //ct:unrun the system's random bytes do not fail
			return nil, err
		}
		s.ownNonces = true
	}
	s.pubNonces = append(s.pubNonces, s.localNonces.PubNonce)
	return s, nil
}

// PublicNonce returns the signer's public nonce. It panics if the session has signed.
func (s *Session) PublicNonce() [PubNonceSize]byte { return s.localNonces.PubNonce }

// NumRegisteredNonces returns the number of known public nonces, including the signer's own.
func (s *Session) NumRegisteredNonces() int { return len(s.pubNonces) }

// RegisterPubNonce adds another signer's public nonce, and reports whether all nonces are now
// known. It returns an error if all were known before the call, or if the combined nonce was
// registered. With the last nonce it can also return the errors of [AggregateNonces].
func (s *Session) RegisterPubNonce(nonce [PubNonceSize]byte) (bool, error) {
	if len(s.pubNonces) == s.ctx.opts.numSigners || s.combinedNonce != nil {
		return false, ErrAlredyHaveAllNonces
	}
	s.pubNonces = append(s.pubNonces, nonce)
	if len(s.pubNonces) != s.ctx.opts.numSigners {
		return false, nil
	}
	sum, points, err := aggregateNonces(s.pubNonces)
	if err != nil {
		return false, err
	}
	s.combinedNonce = &commonNonce{sum, &points}
	return true, nil
}

// CombinedNonce returns the sum of all public nonces, or an error if it is not known yet.
func (s *Session) CombinedNonce() ([PubNonceSize]byte, error) {
	if s.combinedNonce == nil {
		return [PubNonceSize]byte{}, ErrCombinedNonceUnavailable
	}
	return s.combinedNonce.bytes, nil
}

// RegisterCombinedNonce sets the sum of all public nonces, in place of the nonces of other signers.
// It returns an error if the sum or the nonce of another signer is already known, or if the sum is
// not two compressed public keys. Infinity is refused.
func (s *Session) RegisterCombinedNonce(combinedNonce [PubNonceSize]byte) error {
	switch {
	case s.combinedNonce != nil:
		return ErrAlredyHaveAllNonces
	case len(s.pubNonces) > 1:
		return ErrCombinedNonceAfterPubNonces
	}
	points := new(musig.Nonce)
	for i := range points {
		b := combinedNonce[i*len(encoded{}):][:len(encoded{})]
		key, err := secp256k1.ParsePubKey(b)
		if err != nil {
			return fmt.Errorf("invalid combined nonce: %w", err)
		}
		points[i] = secp256k1.Affine(key)
	}
	s.combinedNonce = &commonNonce{combinedNonce, points}
	return nil
}

// Sign returns the signer's partial signature of msg, as the function [Sign] does, with the same
// errors. It also returns an error if the sum of all public nonces is not known, or if Sign has
// been called before, after the sum was known. Tweaks of the context override tweaks of signOpts.
//
// Sign overwrites k1 and k2 of the nonces with zeros, so that another session with the same
// [Nonces] gets [ErrSecretNonceZero]. If Sign returns an error, it does not overwrite nonces that
// the session was given.
func (s *Session) Sign(msg [32]byte, signOpts ...SignOption) (*PartialSignature, error) {
	switch {
	case s.localNonces == nil:
		return nil, ErrSigningContextReuse
	case s.combinedNonce == nil:
		return nil, ErrCombinedNonceUnavailable
	}
	c := s.ctx.opts
	o := gather(signOpts)
	//ct:secret s.localNonces.SecNonce[31]&1 == 1
	switch {
	case c.bip86Tweak:
		o.bip86Tweak = true
	case c.taprootTweak != nil:
		o.taprootTweak = c.taprootTweak
	case len(c.tweaks) != 0:
		o.tweaks = c.tweaks
	}
	sig, err := sign(&s.localNonces.SecNonce, s.ctx.signingKey, s.combinedNonce, c.keySet,
		s.ctx.known, &msg, o)
	if err == nil || s.ownNonces {
		ct.Wipe(s.localNonces.SecNonce[:2*secp256k1.PrivKeyBytesLen])
	}
	s.localNonces = nil
	if err != nil {
		return nil, err
	}
	s.msg, s.ourSig = msg, sig
	s.sigs = append(s.sigs, sig)
	return sig, nil
}

// CombineSig adds another signer's partial signature, and reports whether those of all signers are
// now known. With the last partial signature it makes the signature. It returns an error if the
// signature is not valid, or if all partial signatures were known before the call.
func (s *Session) CombineSig(sig *PartialSignature) (bool, error) {
	c := s.ctx
	if len(s.sigs) == len(c.opts.keySet) {
		return false, ErrAlredyHaveAllSigs
	}
	s.sigs = append(s.sigs, sig)
	if len(s.sigs) != len(c.opts.keySet) {
		return false, nil
	}
	var options []CombineOption
	if o := c.opts.forKey(); len(o.tweaks) != 0 {
		options = append(options, s.tweaked(o))
	}
	final := CombineSigs(s.ourSig.R, s.sigs, options...)
	if !final.Verify(s.msg[:], c.combinedKey.FinalKey) {
		return false, ErrFinalSigInvalid
	}
	s.finalSig = final
	return true, nil
}

// tweaked returns the option for signatures under the context's key with the tweaks of o.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func (s *Session) tweaked(o *keyAggOption) CombineOption {
	c := s.ctx
	all := c.encodings()
	// The error is ignored: if the tweak is invalid, the key is nil and applying the option panics,
	// as in the replaced package, so no signature is made without a key.
	key, _ := c.known.aggregate(c.opts.keySet, all, o)
	return func(o *combineOptions) {
		tweakAcc := key.key.TAcc
		o.msg, o.combinedKey, o.tweakAcc = s.msg, key.final, (*secp256k1.ModNScalar)(&tweakAcc)
	}
}

// FinalSig returns the signature, or nil if partial signatures are missing.
func (s *Session) FinalSig() *schnorr.Signature { return s.finalSig }
