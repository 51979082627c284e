package musig2

import (
	"github.com/btcsuite/btcd/btcec/v2"
	impl "github.com/koblitz-go/koblitz/compat/impl/btcec/musig2"
)

// WithTweakedContext tweaks the aggregated key as WithKeyTweaks does.
func WithTweakedContext(tweaks ...KeyTweakDesc) ContextOption {
	return impl.WithTweakedContext(tweaks...)
}

// WithTaprootTweakCtx tweaks the aggregated key as WithTaprootKeyTweak does.
func WithTaprootTweakCtx(scriptRoot []byte) ContextOption {
	return impl.WithTaprootTweakCtx(scriptRoot)
}

// WithBip86TweakCtx tweaks the aggregated key as WithBIP86KeyTweak does.
func WithBip86TweakCtx() ContextOption { return impl.WithBip86TweakCtx() }

// WithKnownSigners sets the keys of all signers.
func WithKnownSigners(signers []*btcec.PublicKey) ContextOption {
	return impl.WithKnownSigners(signers)
}

// WithNumSigners sets the number of signers. The keys of the other signers are registered later.
func WithNumSigners(n int) ContextOption { return impl.WithNumSigners(n) }

// WithEarlyNonceGen generates the nonces for the first session when the context is made.
func WithEarlyNonceGen() ContextOption { return impl.WithEarlyNonceGen() }

// NewContext returns a context for the signer's key. It keeps the pointer signingKey.
func NewContext(
	signingKey *btcec.PrivateKey, shouldSort bool, ctxOpts ...ContextOption,
) (*Context, error) {
	return impl.NewContext(signingKey, shouldSort, ctxOpts...)
}

// WithPreGeneratedNonce sets the signer's nonces, unless the context already has nonces. The
// session overwrites the nonces when it signs.
func WithPreGeneratedNonce(nonce *Nonces) SessionOption {
	return impl.WithPreGeneratedNonce(nonce)
}
