package musig2

import (
	"errors"
	"slices"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// The errors of a [Context] and of a [Session].
var (
	ErrSignersNotSpecified = errors.New("total number of signers or all signers must be known")
	ErrSignerNotInKeySet   = errors.New("signing key is not found in key set")
	// ErrAlredyHaveAllNonces says that one nonce more is registered than there are signers, or
	// that their sum has been.
	ErrAlredyHaveAllNonces = errors.New("already have all nonces")
	// ErrNotEnoughSigners says that more signers must be registered first.
	ErrNotEnoughSigners      = errors.New("not enough signers")
	ErrAlreadyHaveAllSigners = errors.New("all signers registered")
	// ErrAlredyHaveAllSigs says that one signature more is combined than there are signers.
	ErrAlredyHaveAllSigs = errors.New("already have all sigs")
	// ErrSigningContextReuse says that the session has signed, or tried to.
	ErrSigningContextReuse = errors.New("nonce already used")
	ErrFinalSigInvalid     = errors.New("final signature is invalid")
	// ErrCombinedNonceUnavailable says that more nonces must be registered first.
	ErrCombinedNonceUnavailable = errors.New("missing combined nonce")
	// ErrTaprootInternalKeyUnavailable says that the key has no taproot tweak.
	ErrTaprootInternalKeyUnavailable = errors.New("taproot tweak not used")
	// ErrNoEarlyNonce says that there was no [WithEarlyNonceGen], or that a session has the
	// nonce.
	ErrNoEarlyNonce                = errors.New("no early nonce available")
	ErrCombinedNonceAfterPubNonces = errors.New("can't register combined nonce after public nonces")
)

// A Context is what a signer signs with: its key and those of all signers. It serves one
// goroutine at a time.
type Context struct {
	_ [0]func() // contexts cannot be compared with ==, as there

	signingKey   *secp256k1.PrivateKey
	pubKey       *secp256k1.PublicKey
	combinedKey  *AggregateKey // nil until all signers are known
	known        *knownKey     // the same
	opts         *contextOptions
	shouldSort   bool
	sessionNonce *Nonces // for the next session, or nil
}

// A ContextOption is an option of [NewContext].
type ContextOption func(*contextOptions)

// contextOptions is what options of NewContext say. keySet grows with each signer.
type contextOptions struct {
	tweaks       []KeyTweakDesc
	taprootTweak []byte
	bip86Tweak   bool
	keySet       []*secp256k1.PublicKey
	numSigners   int
	earlyNonce   bool
}

// WithTweakedContext tweaks the key of all signers as [WithKeyTweaks] does.
func WithTweakedContext(tweaks ...KeyTweakDesc) ContextOption {
	return func(o *contextOptions) { o.tweaks = tweaks }
}

// WithTaprootTweakCtx tweaks the key of all signers as [WithTaprootKeyTweak] does. It goes before
// WithTweakedContext. A root that is nil is none.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer
func WithTaprootTweakCtx(scriptRoot []byte) ContextOption {
	return func(o *contextOptions) { o.taprootTweak = scriptRoot }
}

// WithBip86TweakCtx tweaks the key of all signers as [WithBIP86KeyTweak] does. It goes before the
// other tweaks.
func WithBip86TweakCtx() ContextOption { return func(o *contextOptions) { o.bip86Tweak = true } }

// WithKnownSigners gives the keys of all signers.
func WithKnownSigners(signers []*secp256k1.PublicKey) ContextOption {
	return func(o *contextOptions) {
		o.keySet = signers
		o.numSigners = len(signers)
	}
}

// WithNumSigners gives the number of signers, of which all but the own one will be registered.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer
func WithNumSigners(n int) ContextOption { return func(o *contextOptions) { o.numSigners = n } }

// WithEarlyNonceGen makes the nonces of the first session with the context.
func WithEarlyNonceGen() ContextOption { return func(o *contextOptions) { o.earlyNonce = true } }

// NewContext returns a context for the signer's key, which it keeps. If shouldSort is true, it
// sorts the keys of the signers, in place. There is an error if neither the signers nor their
// number are given, or if the signer is none of them, or if a tweak has one.
func NewContext(
	signingKey *secp256k1.PrivateKey, shouldSort bool, ctxOpts ...ContextOption,
) (*Context, error) {
	o := new(contextOptions)
	//ct:leak signingKey.Key.IsOdd()
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

// combineKeys sets the key of all signers.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func (c *Context) combineKeys() error {
	if !slices.ContainsFunc(c.opts.keySet, c.isSigner) {
		return ErrSignerNotInKeySet
	}
	all := c.encodings()
	known, err := newKnownKey(c.opts.keySet, all, c.tweaking())
	if err != nil {
		c.combinedKey = nil
		return err
	}
	final, internal := *known.key.final, *known.key.internal
	c.known, c.combinedKey = known, &AggregateKey{FinalKey: &final, PreTweakedKey: &internal}
	return nil
}

// isSigner reports whether the key is that of the context.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func (c *Context) isSigner(key *secp256k1.PublicKey) bool { return key.IsEqual(c.pubKey) }

// encodings returns the signers' keys in compressed form, and sorts both if they should be.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func (c *Context) encodings() []encoded {
	all := encodings(c.opts.keySet)
	if c.shouldSort {
		sortKeys(c.opts.keySet, all)
	}
	return all
}

// tweaking returns the tweaks of the key.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func (c *Context) tweaking() *keyAggOption {
	return tweaking(c.opts.tweaks, c.opts.taprootTweak, c.opts.bip86Tweak)
}

// EarlySessionNonce returns the nonces of [WithEarlyNonceGen], or an error if there are none.
func (c *Context) EarlySessionNonce() (*Nonces, error) {
	//ct:leak c.sessionNonce != nil && c.sessionNonce.SecNonce[31]&1 == 1
	if c.sessionNonce == nil {
		return nil, ErrNoEarlyNonce
	}
	return c.sessionNonce, nil
}

// RegisterSigner adds the key of a signer, and reports whether all are known. There is an error
// if they were before. With the last one there are the errors of [NewContext].
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

// NumRegisteredSigners returns how many signers are known, the own one included.
func (c *Context) NumRegisteredSigners() int { return len(c.opts.keySet) }

// CombinedKey returns the key of all signers, or an error if not all are known.
func (c *Context) CombinedKey() (*secp256k1.PublicKey, error) {
	if c.combinedKey == nil {
		return nil, ErrNotEnoughSigners
	}
	return c.combinedKey.FinalKey, nil
}

// PubKey returns the signer's public key.
func (c *Context) PubKey() secp256k1.PublicKey { return *c.pubKey }

// SigningKeys returns the keys of all signers that are known, in a new slice.
func (c *Context) SigningKeys() []*secp256k1.PublicKey {
	return append(make([]*secp256k1.PublicKey, 0, len(c.opts.keySet)), c.opts.keySet...)
}

// TaprootInternalKey returns the key of all signers without the tweak of taproot. There is an
// error if not all are known, or if there is no such tweak.
func (c *Context) TaprootInternalKey() (*secp256k1.PublicKey, error) {
	switch {
	case c.combinedKey == nil:
		return nil, ErrNotEnoughSigners
	case c.opts.taprootTweak == nil && !c.opts.bip86Tweak:
		return nil, ErrTaprootInternalKeyUnavailable
	}
	return c.combinedKey.PreTweakedKey, nil
}
