package subject

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/btcsuite/btcd/btcec/v2/schnorr/musig2"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// signers returns one to four private keys, some of which may be equal, and their public keys.
func (t *tape) signers() (private []*secp256k1.PrivateKey, public []*secp256k1.PublicKey) {
	for range 1 + t.below(4) {
		k := t.private()
		if k.Key.IsZero() {
			k.Key.SetInt(uint32(1 + t.below(5)))
		}
		if len(private) > 0 && t.byte() < 40 {
			k = private[t.below(len(private))]
		}
		private = append(private, k)
		public = append(public, k.PubKey())
	}
	return private, public
}

// tweaks holds the tweaks of an aggregated key. Each of its methods returns them as options for one
// of the functions that take tweaks.
type tweaks struct {
	kind int // which kind of tweak; 0 means none
	list []musig2.KeyTweakDesc
	root []byte
}

func (t *tape) tweaks() tweaks {
	w := tweaks{kind: t.below(4)}
	for range t.below(4) {
		b := *t.number()
		if t.byte() < 200 {
			b[0] &= 0x7f
		}
		w.list = append(w.list, musig2.KeyTweakDesc{Tweak: b, IsXOnly: t.bool()})
	}
	w.root = t.number()[:]
	if t.byte() < 30 {
		w.root = t.bytes(t.below(40))
	}
	return w
}

// options returns the option for the kind of the tweaks: one of three functions makes it.
func options[O any](
	w tweaks, list func(...musig2.KeyTweakDesc) O, root func([]byte) O, bip86 func() O,
) []O {
	switch w.kind {
	case 1:
		return []O{list(w.list...)}
	case 2:
		return []O{root(w.root)}
	case 3:
		return []O{bip86()}
	}
	return nil
}

func (w tweaks) keys() []musig2.KeyAggOption {
	return options(w,
		musig2.WithKeyTweaks, musig2.WithTaprootKeyTweak, musig2.WithBIP86KeyTweak)
}

func (w tweaks) sign() []musig2.SignOption {
	return options(w,
		musig2.WithTweaks, musig2.WithTaprootSignTweak, musig2.WithBip86SignTweak)
}

func (w tweaks) context() []musig2.ContextOption {
	return options(w,
		musig2.WithTweakedContext, musig2.WithTaprootTweakCtx, musig2.WithBip86TweakCtx)
}

func (w tweaks) combine(
	msg [32]byte, keys []*secp256k1.PublicKey, sort bool,
) (o []musig2.CombineOption) {
	switch w.kind {
	case 1:
		o = append(o, musig2.WithTweakedCombine(msg, keys, w.list, sort))
	case 2:
		o = append(o, musig2.WithTaprootTweakedCombine(msg, keys, w.root, sort))
	case 3:
		o = append(o, musig2.WithBip86TweakedCombine(msg, keys, sort))
	}
	return o
}

// order writes the keys in their present order, and the index that each key has in the list old.
func (r *record) order(keys, old []*secp256k1.PublicKey) {
	for _, k := range keys {
		r.write(k.SerializeCompressed(), slices.Index(old, k))
	}
}

// musigKeys aggregates keys. Sometimes it uses a tweak that makes the aggregated key infinity.
func musigKeys(t *tape, r *record) {
	private, keys := t.signers()
	w := t.tweaks()
	o := w.keys()
	if t.byte() < 20 {
		// A single key has the coefficient 1, so the aggregated key is d·G for the private key d.
		// The tweak −d makes it infinity.
		private, keys = private[:1], keys[:1]
		d := new(secp256k1.ModNScalar).NegateVal(&private[0].Key).Bytes()
		o = []musig2.KeyAggOption{musig2.WithUniqueKeyIndex(0),
			musig2.WithKeyTweaks(musig2.KeyTweakDesc{Tweak: d, IsXOnly: t.bool()})}
	}
	switch t.below(8) {
	case 0:
		o = append(o, musig2.WithKeysHash(t.slice()))
	case 1:
		o = append(o, musig2.WithUniqueKeyIndex(t.below(6)-1))
	case 2:
		o = append(o, t.tweaks().keys()...) // may override earlier options, or combine with them
	}
	if t.byte() < 20 {
		// Taproot tweaks are left out, because the real module panics if it hashes the key of no
		// signers.
		keys, o = nil, []musig2.KeyAggOption{musig2.WithKeyTweaks(w.list...)}
	}
	before := append([]*secp256k1.PublicKey{}, keys...)
	r.try(func() {
		key, parity, tweak, err := musig2.AggregateKeys(keys, t.bool(), o...)
		r.write(err)
		if err == nil {
			r.write(key.FinalKey, key.PreTweakedKey, key.FinalKey == key.PreTweakedKey, parity, tweak)
		}
	})
	r.order(keys, before)
	for _, d := range w.list { // some options overwrite the tweaks
		r.write(d.Tweak)
	}
}

// musigNonces makes nonces from given random bytes, with any combination of options. The source
// returns all bytes with one call. After a call that returns fewer, the original takes the others
// as zeros, and the replacement calls again.
func musigNonces(t *tape, r *record) {
	k := t.private()
	var in io.Reader = bytes.NewReader(t.number()[:])
	if t.byte() < 10 {
		in = &reader{tape: t, err: errors.New("broken")}
	}
	o := []musig2.NonceGenOption{musig2.WithCustomRand(in)}
	for i, option := range []musig2.NonceGenOption{
		musig2.WithPublicKey(k.PubKey()), musig2.WithNonceSecretKeyAux(k),
		musig2.WithNonceCombinedKeyAux(t.key()), musig2.WithNonceMessageAux(*t.number()),
		musig2.WithNonceAuxInput(t.slice()),
	} {
		if t.byte() < 160 || i == 0 && t.byte() < 240 {
			o = append(o, option)
		}
	}
	n, err := musig2.GenNonces(o...)
	r.write(err, n == nil)
	if n != nil {
		r.write(n.PubNonce, n.SecNonce)
	}
}

// secretNonces returns nonces that random bytes of the tape make for a key.
func (t *tape) secretNonces(k *secp256k1.PrivateKey) *musig2.Nonces {
	n, err := musig2.GenNonces(musig2.WithCustomRand(bytes.NewReader(t.number()[:])),
		musig2.WithPublicKey(k.PubKey()))
	if err != nil {
		panic(err)
	}
	return n
}

// pubNonce returns a public nonce that consists of points of the curve, of infinity, or of faulty
// encodings.
func (t *tape) pubNonce() (n [musig2.PubNonceSize]byte) {
	for half := range 2 {
		b := t.key().SerializeCompressed()
		switch kind := t.byte(); {
		case kind < 30:
			b[0] = 0
		case kind < 60:
			clear(b)
		case kind < 80:
			copy(b, t.mutate(b))
		}
		copy(n[33*half:], b)
	}
	return n
}

// musigSums aggregates public nonces, some of which cancel out.
func musigSums(t *tape, r *record) {
	var all [][musig2.PubNonceSize]byte
	for range t.below(5) {
		n := t.pubNonce()
		all = append(all, n)
		if t.byte() < 60 {
			n[0] ^= 1
			all = append(all, n)
		}
		if t.byte() < 60 {
			n[33] ^= 1
			all = append(all, n)
		}
	}
	r.write(musig2.AggregateNonces(all))
}

// musigSign makes partial signatures without sessions, verifies and combines them, often with
// faults.
func musigSign(t *tape, r *record) {
	private, keys := t.signers()
	w, msg, sort := t.tweaks(), *t.number(), t.bool()
	var nonces []*musig2.Nonces
	var public [][musig2.PubNonceSize]byte
	for _, k := range private {
		n := t.secretNonces(k)
		switch t.below(40) {
		case 0:
			clear(n.SecNonce[:32])
		case 1:
			clear(n.SecNonce[32:64])
		case 2:
			n.SecNonce[64+t.below(33)] ^= 1
		}
		nonces, public = append(nonces, n), append(public, n.PubNonce)
	}
	sum, err := musig2.AggregateNonces(public)
	r.write(err)
	if t.byte() < 60 {
		sum = t.pubNonce()
	}
	if t.byte() < 20 { // the aggregated nonce is infinity
		sum = [musig2.PubNonceSize]byte{}
	}
	before := append([]*secp256k1.PublicKey{}, keys...)
	if t.byte() < 10 {
		keys[0] = t.key()
	}
	if t.byte() < 10 {
		private[0].Zero()
	}
	options := w.sign()
	if sort {
		options = append(options, musig2.WithSortedKeys())
	}
	if t.byte() < 60 {
		options = append(options, musig2.WithFastSign())
	}
	var parts []*musig2.PartialSignature
	for i, k := range private {
		part, err := musig2.Sign(nonces[i].SecNonce, k, sum, keys, msg, options...)
		r.write(part, err)
		r.order(keys, before)
		if part == nil {
			continue
		}
		parts = append(parts, part)
		r.write(part.Verify(nonces[i].PubNonce, sum, keys, k.PubKey(), msg, options...))
		n, s, at := nonces[i].PubNonce, sum, msg
		signer, other := k.PubKey(), musig2.NewPartialSignature(part.S, part.R)
		switch t.below(9) {
		case 0:
			n = t.pubNonce()
		case 1:
			s = t.pubNonce()
		case 2:
			at[t.below(32)] ^= 1
		case 3:
			signer = t.key()
		case 4:
			other.S = t.scalar()
		case 5:
			n[0] ^= 1
		case 6:
			other.S = new(secp256k1.ModNScalar).NegateVal(part.S)
		case 7:
			n[33] ^= 1
		case 8:
			s[0] ^= 1
		}
		r.write(other.Verify(n, s, keys, signer, at, options...))
	}
	if len(parts) == 0 {
		return
	}
	r.try(func() {
		sig := musig2.CombineSigs(parts[0].R, parts, w.combine(msg, keys, sort)...)
		key, _, _, err := musig2.AggregateKeys(keys, sort, w.keys()...)
		r.write(sig, err, sig.Verify(msg[:], key.FinalKey))
	})
	r.order(keys, before)
}

// musigSession lets signers run sessions. One of them takes its steps in any order and any number
// of times, while keys and tweaks change.
func musigSession(t *tape, r *record) {
	private, keys := t.signers()
	w, msg, sort := t.tweaks(), *t.number(), t.bool()
	signerKeys := append([]*secp256k1.PublicKey{}, keys...)
	before := append([]*secp256k1.PublicKey{}, keys...)
	lonely := t.byte() < 60 // the other signers are registered one by one
	var sessions []*musig2.Session
	var contexts []*musig2.Context
	for i, k := range private {
		o := w.context()
		switch kind := t.byte(); {
		case lonely:
			o = append(o, musig2.WithNumSigners(len(keys)))
		case kind < 250:
			o = append(o, musig2.WithKnownSigners(keys))
		}
		if t.byte() < 8 {
			o = append(o, musig2.WithNumSigners(t.below(5)))
		}
		c, err := musig2.NewContext(k, sort, o...)
		r.write(err)
		if err != nil {
			return
		}
		for j := range keys {
			if lonely && (j != i || t.byte() < 10) {
				r.write(c.RegisterSigner(signerKeys[j]))
			}
		}
		p := c.PubKey()
		r.write(c.NumRegisteredSigners(), &p)
		r.order(c.SigningKeys(), before)
		r.write(c.CombinedKey())
		r.write(c.TaprootInternalKey())
		_, err = c.EarlySessionNonce()
		r.write(err)
		contexts = append(contexts, c)

		s, err := c.NewSession(musig2.WithPreGeneratedNonce(t.secretNonces(k)))
		r.write(err)
		if err != nil {
			return
		}
		sessions = append(sessions, s)
	}
	for i, s := range sessions {
		if t.byte() < 30 {
			r.write(s.RegisterCombinedNonce(t.pubNonce()))
		}
		for j, other := range sessions {
			if j != i || t.byte() < 10 {
				r.write(s.RegisterPubNonce(other.PublicNonce()))
			}
		}
		if t.byte() < 30 {
			r.write(s.RegisterCombinedNonce(t.pubNonce()))
		}
		r.write(s.NumRegisteredNonces())
		r.write(s.CombinedNonce())
	}
	var options []musig2.SignOption
	if t.byte() < 60 {
		options = append(options, musig2.WithSortedKeys())
	}
	if t.byte() < 60 {
		options = append(options, t.tweaks().sign()...)
	}
	var parts []*musig2.PartialSignature
	for i, s := range sessions {
		switch t.below(24) { // change data that the contexts still refer to
		case 0:
			keys[0], keys[len(keys)-1] = keys[len(keys)-1], keys[0]
		case 1:
			*keys[t.below(len(keys))] = *t.key()
		case 2:
			w.root = append(w.root, 1)
			w.root[0] ^= 1
		case 3:
			for j := range w.list {
				w.list[j].Tweak[31] ^= 1
			}
		case 4:
			private[i].Key.Negate()
		case 5:
			if key, err := contexts[i].CombinedKey(); err == nil {
				*key = *t.key()
			}
		}
		part, err := s.Sign(msg, options...)
		r.write(part, err)
		r.order(keys, before)
		if part != nil {
			parts = append(parts, part)
		}
		r.write(s.Sign(msg))
	}
	for _, part := range parts[min(len(parts), 1):] {
		r.try(func() {
			r.write(sessions[0].CombineSig(part))
			r.order(keys, before)
		})
	}
	r.write(sessions[0].FinalSig())
}

// musigSystem runs sessions with nonces from the operating system's random numbers, and with nonces
// generated before the session.
func musigSystem(t *tape, r *record) {
	k, other := t.private(), t.key()
	c, err := musig2.NewContext(k, t.bool(), musig2.WithNumSigners(2), musig2.WithEarlyNonceGen())
	r.write(err)
	n, err := c.EarlySessionNonce()
	r.write(err)
	again, err := c.EarlySessionNonce()
	r.write(err, n == again)
	r.write(c.RegisterSigner(other))
	r.write(c.RegisterSigner(other))
	s, err := c.NewSession()
	r.write(err, s.PublicNonce() == n.PubNonce)
	_, err = c.EarlySessionNonce()
	r.write(err)
	next, err := c.NewSession()
	r.write(err, next.PublicNonce() == s.PublicNonce())
	_, err = next.Sign(*t.number())
	r.write(err)
}

// givenNonces writes the error of a second session with the same nonces, and whether signing has
// overwritten the secret nonces that the caller gave to the first one.
func givenNonces(t *tape, r *record) {
	k := t.private()
	if k.Key.IsZero() {
		return
	}
	n, err := t.secretNonces(k), error(nil)
	signers := musig2.WithKnownSigners([]*secp256k1.PublicKey{k.PubKey(), k.PubKey()})
	for range 2 {
		c, _ := musig2.NewContext(k, false, signers)
		s, _ := c.NewSession(musig2.WithPreGeneratedNonce(n))
		s.RegisterPubNonce(n.PubNonce)
		_, err = s.Sign([32]byte{})
	}
	r.write(fmt.Sprint(err), [64]byte(n.SecNonce[:64]) == [64]byte{})
}
