//ct:public takes public keys, nonces and parts of signatures of MuSig2

package musig2

// A KeyTweakDesc describes a tweak of an aggregated key.
type KeyTweakDesc struct {
	// Tweak is a number, big-endian. The key is tweaked by adding Tweak·G.
	Tweak [32]byte
	// IsXOnly says that the tweak is x-only: a key with an odd y coordinate is negated before the
	// tweak is added.
	IsXOnly bool
}

// A KeyAggOption is an option of [AggregateKeys].
type KeyAggOption func(*keyAggOption)

// keyAggOption holds the values of the options of AggregateKeys.
type keyAggOption struct {
	keyHash        []byte
	uniqueKeyIndex *int
	tweaks         []KeyTweakDesc
	taprootTweak   bool // whether the first tweak is the root of a script tree
	bip86Tweak     bool // whether the output has no script tree
}

// WithKeysHash sets the hash of all keys, so that AggregateKeys need not compute it.
func WithKeysHash(keyHash []byte) KeyAggOption {
	return func(o *keyAggOption) { o.keyHash = keyHash }
}

// WithUniqueKeyIndex sets the index of the first key that differs from keys[0], or −1 if all keys
// are equal, so that AggregateKeys need not search for it.
func WithUniqueKeyIndex(idx int) KeyAggOption {
	return func(o *keyAggOption) { o.uniqueKeyIndex = &idx }
}

// WithKeyTweaks tweaks the aggregated key by each of the tweaks, in order.
func WithKeyTweaks(tweaks ...KeyTweakDesc) KeyAggOption {
	return func(o *keyAggOption) { o.tweaks = tweaks }
}

// WithTaprootKeyTweak tweaks the aggregated key as the internal key of an output with the given
// root of a script tree (BIP-341). Only the first 32 bytes of the root count; a shorter root is
// padded with zeros at its end.
func WithTaprootKeyTweak(scriptRoot []byte) KeyAggOption {
	return func(o *keyAggOption) {
		tweak := KeyTweakDesc{IsXOnly: true}
		copy(tweak.Tweak[:], scriptRoot)
		o.tweaks = []KeyTweakDesc{tweak}
		o.taprootTweak = true
	}
}

// WithBIP86KeyTweak tweaks the aggregated key as the internal key of an output without a script
// tree (BIP-86).
func WithBIP86KeyTweak() KeyAggOption {
	return func(o *keyAggOption) {
		o.tweaks = []KeyTweakDesc{{IsXOnly: true}}
		o.taprootTweak = true
		o.bip86Tweak = true
	}
}

// A SignOption is an option of [Sign] and of [PartialSignature.Verify].
type SignOption func(*signOptions)

// signOptions holds the values of the options of Sign.
type signOptions struct {
	fastSign bool
	sortKeys bool
	tweakOptions
}

func gather(options []SignOption) *signOptions {
	var o signOptions
	for _, option := range options {
		option(&o)
	}
	return &o
}

// tweakOptions are the options that say how the aggregated key is tweaked. Only one of them is
// used: bip86Tweak overrides taprootTweak, which overrides tweaks.
type tweakOptions struct {
	tweaks       []KeyTweakDesc
	taprootTweak []byte
	bip86Tweak   bool
}

// forKey returns the options for the aggregated key.
func (t *tweakOptions) forKey() *keyAggOption {
	o := new(keyAggOption)
	switch {
	case t.bip86Tweak:
		WithBIP86KeyTweak()(o)
	case t.taprootTweak != nil:
		WithTaprootKeyTweak(t.taprootTweak)(o)
	case len(t.tweaks) != 0:
		WithKeyTweaks(t.tweaks...)(o)
	}
	return o
}

// WithFastSign makes Sign skip the verification of the partial signature.
func WithFastSign() SignOption { return func(o *signOptions) { o.fastSign = true } }

// WithSortedKeys makes Sign first sort the keys in place.
func WithSortedKeys() SignOption { return func(o *signOptions) { o.sortKeys = true } }

// WithTweaks makes Sign sign under a key that is tweaked as by [WithKeyTweaks].
func WithTweaks(tweaks ...KeyTweakDesc) SignOption {
	return func(o *signOptions) { o.tweaks = tweaks }
}

// WithTaprootSignTweak makes Sign sign under a key that is tweaked as by [WithTaprootKeyTweak]. It
// overrides WithTweaks. A nil root has no effect.
func WithTaprootSignTweak(scriptRoot []byte) SignOption {
	return func(o *signOptions) { o.taprootTweak = scriptRoot }
}

// WithBip86SignTweak makes Sign sign under a key that is tweaked as by [WithBIP86KeyTweak]. It
// overrides the other tweaks.
func WithBip86SignTweak() SignOption { return func(o *signOptions) { o.bip86Tweak = true } }
