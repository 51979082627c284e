package musig2

import (
	"github.com/btcsuite/btcd/btcec/v2"
	impl "github.com/koblitz-go/koblitz/compat/impl/btcec/musig2"
)

// WithTweakedContext tweaks the key of all signers as WithKeyTweaks does.
func WithTweakedContext(tweaks ...KeyTweakDesc) ContextOption {
	return impl.WithTweakedContext(tweaks...)
}

// WithTaprootTweakCtx tweaks the key of all signers as WithTaprootKeyTweak does.
func WithTaprootTweakCtx(scriptRoot []byte) ContextOption {
	return impl.WithTaprootTweakCtx(scriptRoot)
}

// WithBip86TweakCtx tweaks the key of all signers as WithBIP86KeyTweak does.
func WithBip86TweakCtx() ContextOption { return impl.WithBip86TweakCtx() }

// WithKnownSigners gives the keys of all signers.
func WithKnownSigners(signers []*btcec.PublicKey) ContextOption {
	return impl.WithKnownSigners(signers)
}

// WithNumSigners gives the number of signers, of which all but the own one will be registered.
func WithNumSigners(n int) ContextOption { return impl.WithNumSigners(n) }

// WithEarlyNonceGen makes the nonces of the first session with the context.
func WithEarlyNonceGen() ContextOption { return impl.WithEarlyNonceGen() }

// NewContext returns a context for the signer's key, which it keeps.
func NewContext(
	signingKey *btcec.PrivateKey, shouldSort bool, ctxOpts ...ContextOption,
) (*Context, error) {
	return impl.NewContext(signingKey, shouldSort, ctxOpts...)
}

// WithPreGeneratedNonce gives the signer's nonces, unless the context has some. The session
// overwrites them when it signs.
func WithPreGeneratedNonce(nonce *Nonces) SessionOption {
	return impl.WithPreGeneratedNonce(nonce)
}
