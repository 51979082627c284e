package musig2

import (
	"fmt"

	"github.com/koblitz-go/koblitz/compat/impl/btcec/schnorr"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
)

// A SessionOption is an option of [Context.NewSession].
type SessionOption func(*sessionOptions)

// sessionOptions is what options of NewSession say.
type sessionOptions struct{ externalNonce *Nonces }

// WithPreGeneratedNonce gives the signer's nonces, unless the context has some. The session keeps
// the pointer, and [Session.Sign] overwrites the secret nonces.
func WithPreGeneratedNonce(nonce *Nonces) SessionOption {
	return func(o *sessionOptions) { o.externalNonce = nonce }
}

// A Session is one signer's part in one signature: it exchanges nonces, signs, and combines the
// parts of all signers. It serves one goroutine at a time.
type Session struct {
	ctx           *Context
	localNonces   *Nonces // nil after signing
	ownNonces     bool    // the session made localNonces, and has the only pointer to them
	pubNonces     [][PubNonceSize]byte
	combinedNonce *commonNonce // nil until it is known
	msg           [32]byte
	ourSig        *PartialSignature
	sigs          []*PartialSignature
	finalSig      *schnorr.Signature
}

// NewSession returns a session, with the nonces that the context has, those of the option, or new
// ones. There is an error if not all signers are known, or if the system has no randomness.
func (c *Context) NewSession(options ...SessionOption) (*Session, error) {
	var o sessionOptions
	//ct:leak c.signingKey.Key.IsOdd()
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

// PublicNonce returns the signer's public nonce. It panics after signing.
func (s *Session) PublicNonce() [PubNonceSize]byte { return s.localNonces.PubNonce }

// NumRegisteredNonces returns how many public nonces are known, the own one included.
func (s *Session) NumRegisteredNonces() int { return len(s.pubNonces) }

// RegisterPubNonce adds another signer's public nonce, and reports whether all are known. There
// is an error if they were before, or their sum was. With the last one there are the errors of
// [AggregateNonces].
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

// CombinedNonce returns the sum of all public nonces, or an error if it is not known.
func (s *Session) CombinedNonce() ([PubNonceSize]byte, error) {
	if s.combinedNonce == nil {
		return [PubNonceSize]byte{}, ErrCombinedNonceUnavailable
	}
	return s.combinedNonce.bytes, nil
}

// RegisterCombinedNonce gives the sum of all public nonces, in place of the nonces. There is an
// error if the sum or another signer's nonce is known, or if it is not two public keys:
// infinity is none.
func (s *Session) RegisterCombinedNonce(combinedNonce [PubNonceSize]byte) error {
	switch {
	case s.combinedNonce != nil:
		return ErrAlredyHaveAllNonces
	case len(s.pubNonces) > 1:
		return ErrCombinedNonceAfterPubNonces
	}
	points := new(noncePair)
	for i := range points {
		b := combinedNonce[i*len(encoded{}):][:len(encoded{})]
		key, err := secp256k1.ParsePubKey(b)
		if err != nil {
			return fmt.Errorf("invalid combined nonce: %w", err)
		}
		points[i].Affine, points[i].finite = affine(key)
	}
	s.combinedNonce = &commonNonce{combinedNonce, points}
	return nil
}

// Sign returns the signer's part of the signature of the message, as the function [Sign] does,
// with the same errors. There is an error if the sum of all public nonces is not known, or if
// Sign has been called with it before. The context's tweaks go before those of options.
//
// Sign overwrites k1 and k2 of the nonces with zeros, so that another session with the same
// [Nonces] gets [ErrSecretNonceZero]. If Sign returns an error, nonces that the session was given
// stay as they are.
func (s *Session) Sign(msg [32]byte, signOpts ...SignOption) (*PartialSignature, error) {
	switch {
	case s.localNonces == nil:
		return nil, ErrSigningContextReuse
	case s.combinedNonce == nil:
		return nil, ErrCombinedNonceUnavailable
	}
	c := s.ctx.opts
	o := gather(signOpts)
	//ct:leak s.localNonces.SecNonce[31]&1 == 1
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

// CombineSig adds another signer's part of the signature, and reports whether all are there. With
// the last one it makes the signature. There is an error if that is invalid, or if all parts were
// there before.
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
	if o := c.tweaking(); len(o.tweaks) != 0 {
		options = append(options, s.tweaked(o))
	}
	final := CombineSigs(s.ourSig.R, s.sigs, options...)
	if !final.Verify(s.msg[:], c.combinedKey.FinalKey) {
		return false, ErrFinalSigInvalid
	}
	s.finalSig = final
	return true, nil
}

// tweaked returns the option for the context's key, with these tweaks.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func (s *Session) tweaked(o *keyAggOption) CombineOption {
	c := s.ctx
	all := c.encodings()
	// As where there is no context: see aggregated.
	key, _ := c.known.aggregate(c.opts.keySet, all, o)
	return func(o *combineOptions) {
		tweakAcc := key.tweak
		o.msg, o.combinedKey, o.tweakAcc = s.msg, key.final, (*secp256k1.ModNScalar)(&tweakAcc)
	}
}

// FinalSig returns the signature, or nil if it is not made.
func (s *Session) FinalSig() *schnorr.Signature { return s.finalSig }
