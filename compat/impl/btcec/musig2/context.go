package musig2

import (
	"errors"
	"slices"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// These are errors of a [Context] and a [Session].
var (
	ErrSignersNotSpecified = errors.New("total number of signers or all signers must be known")
	ErrSignerNotInKeySet   = errors.New("signing key is not found in key set")
	// ErrAlredyHaveAllNonces is returned if a nonce is registered after those of all signers, or
	// after the combined nonce was registered.
	ErrAlredyHaveAllNonces = errors.New("already have all nonces")
	// ErrNotEnoughSigners is returned if not all signers are registered yet.
	ErrNotEnoughSigners      = errors.New("not enough signers")
	ErrAlreadyHaveAllSigners = errors.New("all signers registered")
	// ErrAlredyHaveAllSigs is returned if a partial signature is added after those of all signers.
	ErrAlredyHaveAllSigs = errors.New("already have all sigs")
	// ErrSigningContextReuse is returned if the session has already signed, or has tried to sign.
	ErrSigningContextReuse = errors.New("nonce already used")
	ErrFinalSigInvalid     = errors.New("final signature is invalid")
	// ErrCombinedNonceUnavailable is returned if not all nonces are registered yet.
	ErrCombinedNonceUnavailable = errors.New("missing combined nonce")
	// ErrTaprootInternalKeyUnavailable is returned if the key has no taproot tweak.
	ErrTaprootInternalKeyUnavailable = errors.New("taproot tweak not used")
	// ErrNoEarlyNonce is returned if the context was made without [WithEarlyNonceGen], or if a
	// session has already taken the nonce.
	ErrNoEarlyNonce                = errors.New("no early nonce available")
	ErrCombinedNonceAfterPubNonces = errors.New("can't register combined nonce after public nonces")
)

// A Context holds a signer's key and the keys of all signers. It must be used by one goroutine at a
// time.
type Context struct {
	_ [0]func() // makes == on contexts a compile error, as in the replaced package

	signingKey   *secp256k1.PrivateKey
	pubKey       *secp256k1.PublicKey
	combinedKey  *AggregateKey // nil until all signers are known
	known        *knownKey     // nil until all signers are known
	opts         *contextOptions
	shouldSort   bool
	sessionNonce *Nonces // nonces for the next session, or nil
}

// A ContextOption is an option of [NewContext].
type ContextOption func(*contextOptions)

// contextOptions holds the values of the options of NewContext. keySet grows with each signer.
type contextOptions struct {
	tweakOptions
	keySet     []*secp256k1.PublicKey
	numSigners int
	earlyNonce bool
}

// WithTweakedContext tweaks the aggregated key as [WithKeyTweaks] does.
func WithTweakedContext(tweaks ...KeyTweakDesc) ContextOption {
	return func(o *contextOptions) { o.tweaks = tweaks }
}

// WithTaprootTweakCtx tweaks the aggregated key as [WithTaprootKeyTweak] does. It overrides
// WithTweakedContext. A nil root has no effect.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or passes on a pointer
func WithTaprootTweakCtx(scriptRoot []byte) ContextOption {
	return func(o *contextOptions) { o.taprootTweak = scriptRoot }
}

// WithBip86TweakCtx tweaks the aggregated key as [WithBIP86KeyTweak] does. It overrides the other
// tweaks.
func WithBip86TweakCtx() ContextOption { return func(o *contextOptions) { o.bip86Tweak = true } }

// WithKnownSigners sets the keys of all signers.
func WithKnownSigners(signers []*secp256k1.PublicKey) ContextOption {
	return func(o *contextOptions) {
		o.keySet = signers
		o.numSigners = len(signers)
	}
}

// WithNumSigners sets the number of signers. The keys of the other signers are registered later.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or passes on a pointer
func WithNumSigners(n int) ContextOption { return func(o *contextOptions) { o.numSigners = n } }

// WithEarlyNonceGen generates the nonces for the first session when the context is made.
func WithEarlyNonceGen() ContextOption { return func(o *contextOptions) { o.earlyNonce = true } }

// NewContext returns a context for the signer's key. It keeps the pointer signingKey. If shouldSort
// is set, it sorts the keys of the signers in place. It returns an error if neither the signers nor
// the number of signers is set, if the signer is not among them, or if a tweak is invalid.
func NewContext(
	signingKey *secp256k1.PrivateKey, shouldSort bool, ctxOpts ...ContextOption,
) (*Context, error) {
	o := new(contextOptions)
	//ct:secret signingKey.Key.IsOdd()
	for _, option := range ctxOpts {
		option(o)
	}
	c := &Context{
		signingKey: signingKey, pubKey: signingKey.PubKey(), opts: o, shouldSort: shouldSort,
	}
	switch {
	case o.keySet != nil:
		if err := c.combineKeys(); err != nil {
			return nil, err
		}
	case o.numSigners != 0:
		o.keySet = append(make([]*secp256k1.PublicKey, 0, o.numSigners), c.pubKey)
	default:
		return nil, ErrSignersNotSpecified
	}
	if o.earlyNonce {
		var err error
		c.sessionNonce, err = GenNonces(WithPublicKey(c.pubKey), WithNonceSecretKeyAux(signingKey))
		if err != nil { //ct:unrun the system's random bytes do not fail
			return nil, err
		}
	}
	return c, nil
}

// combineKeys computes the aggregated key of the context's signers, and stores it in c.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func (c *Context) combineKeys() error {
	if !slices.ContainsFunc(c.opts.keySet, c.pubKey.IsEqual) {
		return ErrSignerNotInKeySet
	}
	all := c.encodings()
	known, err := newKnownKey(c.opts.keySet, all, c.opts.forKey())
	if err != nil {
		c.combinedKey = nil
		return err
	}
	final, internal := *known.key.final, *known.key.internal
	c.known, c.combinedKey = known, &AggregateKey{FinalKey: &final, PreTweakedKey: &internal}
	return nil
}

// encodings returns the signers' keys in compressed form. If the context sorts keys, it sorts both
// the keys and the encodings.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func (c *Context) encodings() []encoded {
	all := encodings(c.opts.keySet)
	if c.shouldSort {
		sortKeys(c.opts.keySet, all)
	}
	return all
}

// EarlySessionNonce returns the nonces that [WithEarlyNonceGen] has generated, or an error if there
// are none.
func (c *Context) EarlySessionNonce() (*Nonces, error) {
	//ct:secret c.sessionNonce != nil && c.sessionNonce.SecNonce[31]&1 == 1
	if c.sessionNonce == nil {
		return nil, ErrNoEarlyNonce
	}
	return c.sessionNonce, nil
}

// RegisterSigner adds the key of a signer, and reports whether all keys are now known. It returns
// an error if all keys were known before the call. With the last key it can also return the errors
// of [NewContext].
func (c *Context) RegisterSigner(pub *secp256k1.PublicKey) (bool, error) {
	o := c.opts
	if len(o.keySet) == o.numSigners {
		return false, ErrAlreadyHaveAllSigners
	}
	o.keySet = append(o.keySet, pub)
	if len(o.keySet) != o.numSigners {
		return false, nil
	}
	err := c.combineKeys()
	return err == nil, err
}

// NumRegisteredSigners returns the number of known signers, including the signer of the context.
func (c *Context) NumRegisteredSigners() int { return len(c.opts.keySet) }

// CombinedKey returns the aggregated key, or an error if not all signers are known.
func (c *Context) CombinedKey() (*secp256k1.PublicKey, error) {
	if c.combinedKey == nil {
		return nil, ErrNotEnoughSigners
	}
	return c.combinedKey.FinalKey, nil
}

// PubKey returns the signer's public key.
func (c *Context) PubKey() secp256k1.PublicKey { return *c.pubKey }

// SigningKeys returns the keys of all known signers, in a new slice.
func (c *Context) SigningKeys() []*secp256k1.PublicKey {
	return append(make([]*secp256k1.PublicKey, 0, len(c.opts.keySet)), c.opts.keySet...)
}

// TaprootInternalKey returns the aggregated key before the taproot tweak. It returns an error if
// not all signers are known, or if the context has no taproot tweak.
func (c *Context) TaprootInternalKey() (*secp256k1.PublicKey, error) {
	switch {
	case c.combinedKey == nil:
		return nil, ErrNotEnoughSigners
	case c.opts.taprootTweak == nil && !c.opts.bip86Tweak:
		return nil, ErrTaprootInternalKeyUnavailable
	}
	return c.combinedKey.PreTweakedKey, nil
}
