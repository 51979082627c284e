package musig2

// A KeyTweakDesc is a tweak of an aggregated key.
type KeyTweakDesc struct {
	// Tweak is a number, big-endian, times which the generator is added to the key.
	Tweak [32]byte
	// IsXOnly says that the key is negated before if its y coordinate is odd.
	IsXOnly bool
}

// A KeyAggOption is an option of [AggregateKeys].
type KeyAggOption func(*keyAggOption)

// keyAggOption is what options of AggregateKeys say.
type keyAggOption struct {
	keyHash        []byte
	uniqueKeyIndex *int
	tweaks         []KeyTweakDesc
	taprootTweak   bool // the first tweak is the root of a tree of scripts
	bip86Tweak     bool // there is no tree
}

// WithKeysHash gives the hash of all keys, which is computed otherwise.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer
func WithKeysHash(keyHash []byte) KeyAggOption {
	return func(o *keyAggOption) { o.keyHash = keyHash }
}

// WithUniqueKeyIndex gives the index of the first key that is not the first one, or −1 if
// there is none. It is looked for otherwise.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer
func WithUniqueKeyIndex(idx int) KeyAggOption {
	return func(o *keyAggOption) { o.uniqueKeyIndex = &idx }
}

// WithKeyTweaks tweaks the aggregated key, by one tweak after the other.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer
func WithKeyTweaks(tweaks ...KeyTweakDesc) KeyAggOption {
	return func(o *keyAggOption) { o.tweaks = tweaks }
}

// WithTaprootKeyTweak makes the aggregated key the internal key of an output with this tree of
// scripts (BIP-341). Of the root the first 32 bytes count; fewer are filled up with zeros.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer
func WithTaprootKeyTweak(scriptRoot []byte) KeyAggOption {
	return func(o *keyAggOption) {
		tweak := KeyTweakDesc{IsXOnly: true}
		copy(tweak.Tweak[:], scriptRoot)
		o.tweaks = []KeyTweakDesc{tweak}
		o.taprootTweak = true
	}
}

// WithBIP86KeyTweak makes the aggregated key the internal key of an output without a tree of
// scripts (BIP-86).
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer
func WithBIP86KeyTweak() KeyAggOption {
	return func(o *keyAggOption) {
		o.tweaks = []KeyTweakDesc{{IsXOnly: true}}
		o.taprootTweak = true
		o.bip86Tweak = true
	}
}

// A SignOption is an option of [Sign] and of [PartialSignature.Verify].
type SignOption func(*signOptions)

// signOptions is what options of Sign say.
type signOptions struct {
	fastSign     bool
	sortKeys     bool
	tweaks       []KeyTweakDesc
	taprootTweak []byte
	bip86Tweak   bool
}

func gather(options []SignOption) *signOptions {
	var o signOptions
	for _, option := range options {
		option(&o)
	}
	return &o
}

// tweaking returns the options of the aggregated key: one way to tweak it, if there are several.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func tweaking(tweaks []KeyTweakDesc, taproot []byte, bip86 bool) *keyAggOption {
	o := new(keyAggOption)
	switch {
	case bip86:
		WithBIP86KeyTweak()(o)
	case taproot != nil:
		WithTaprootKeyTweak(taproot)(o)
	case len(tweaks) != 0:
		WithKeyTweaks(tweaks...)(o)
	}
	return o
}

// WithFastSign leaves out the check of the partial signature that was made.
func WithFastSign() SignOption { return func(o *signOptions) { o.fastSign = true } }

// WithSortedKeys sorts the keys first, in place.
func WithSortedKeys() SignOption { return func(o *signOptions) { o.sortKeys = true } }

// WithTweaks signs for a key that is tweaked as by [WithKeyTweaks].
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer
func WithTweaks(tweaks ...KeyTweakDesc) SignOption {
	return func(o *signOptions) { o.tweaks = tweaks }
}

// WithTaprootSignTweak signs for a key that is tweaked as by [WithTaprootKeyTweak]. It goes
// before WithTweaks. A root that is nil is none.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer
func WithTaprootSignTweak(scriptRoot []byte) SignOption {
	return func(o *signOptions) { o.taprootTweak = scriptRoot }
}

// WithBip86SignTweak signs for a key that is tweaked as by [WithBIP86KeyTweak]. It goes before
// the other tweaks.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer
func WithBip86SignTweak() SignOption { return func(o *signOptions) { o.bip86Tweak = true } }
