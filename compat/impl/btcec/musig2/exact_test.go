package musig2

import (
	"bytes"
	"io"
	"reflect"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/changing"
)

// TestShortReads checks that GenNonces fills all 32 random bytes from a reader that returns fewer
// with each call, and returns an error if the reader ends before.
func TestShortReads(t *testing.T) {
	_, keys := signers(1)
	random, want := digest(0, 1), noncesOf(t, keys[0], 0)
	for name, short := range map[string]func(io.Reader) io.Reader{
		"one byte": iotest.OneByteReader, "half": iotest.HalfReader, "end": iotest.DataErrReader,
	} {
		n, err := GenNonces(WithPublicKey(keys[0]),
			WithCustomRand(short(bytes.NewReader(random[:]))))
		if err != nil || *n != *want {
			t.Errorf("%s: %v, %v", name, n, err)
		}
		for size := range random {
			_, err := GenNonces(WithPublicKey(keys[0]),
				WithCustomRand(short(bytes.NewReader(random[:size]))))
			if want := io.ErrUnexpectedEOF; size == 0 && err != io.EOF || size > 0 && err != want {
				t.Errorf("%s: %d random bytes: %v, want %v", name, size, err, want)
			}
		}
	}
}

// TestChanging checks that no function uses two values of memory that changes during the call: each
// result is that of the first value.
func TestChanging(t *testing.T) {
	private, keys := signers(2)
	random, msg := digest(1), digest(2)
	n := noncesOf(t, keys[0], 0)
	sum, two := n.PubNonce, append(n.PubNonce[:], n.PubNonce[:]...)
	final := func(key *AggregateKey, _, _ *secp256k1.ModNScalar, err error) any {
		return []any{key.FinalKey.SerializeCompressed(), err}
	}
	sign := func(options ...SignOption) *PartialSignature {
		part, err := Sign(n.SecNonce, private[0], sum, keys, msg, options...)
		if err != nil {
			t.Fatal(err)
		}
		return part
	}
	root := digest(3)
	part := sign(WithTaprootSignTweak(root[:]))
	for name, test := range map[string]struct {
		first []byte
		call  func(b []byte) any
	}{
		"GenNonces": {root[:], func(b []byte) any {
			n, err := GenNonces(WithPublicKey(keys[0]), WithNonceAuxInput(b),
				WithCustomRand(bytes.NewReader(random[:])))
			return []any{n, err}
		}},
		"AggregateKeys, hash": {root[:], func(b []byte) any {
			return final(AggregateKeys(keys, false, WithKeysHash(b)))
		}},
		"AggregateKeys, taproot": {root[:], func(b []byte) any {
			return final(AggregateKeys(keys, false, WithTaprootKeyTweak(b)))
		}},
		"Sign": {root[:], func(b []byte) any { return sign(WithTaprootSignTweak(b)) }},
		"Verify": {root[:], func(b []byte) any {
			return part.Verify(n.PubNonce, sum, keys, keys[0], msg, WithTaprootSignTweak(b))
		}},
		"CombineSigs": {root[:], func(b []byte) any {
			return CombineSigs(part.R, []*PartialSignature{part},
				WithTaprootTweakedCombine(msg, keys, b, false)).Serialize()
		}},
		"NewContext": {root[:], func(b []byte) any {
			c, err := NewContext(private[0], false, WithKnownSigners(keys), WithTaprootTweakCtx(b))
			if err != nil {
				t.Fatal(err)
			}
			key, err := c.CombinedKey()
			return []any{key, err}
		}},
		"AggregateNonces": {two, func(b []byte) any {
			sum, err := AggregateNonces(unsafe.Slice((*[PubNonceSize]byte)(b), 2))
			return []any{sum, err}
		}},
	} {
		want := test.call(test.first)
		for _, change := range []byte{1, 0xff} {
			second := bytes.Clone(test.first)
			for i := range second {
				second[i] ^= change
			}
			changing.Each(t, test.first, second, func(b []byte) {
				if got := test.call(b); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %v, want %v", name, got, want)
				}
			})
		}
	}
}

// TestChangingKeys makes a context while a signer's key changes. The context must have the key of
// one of both lists, and not add up a key with the coefficient of another.
func TestChangingKeys(t *testing.T) {
	private, keys := signers(3)
	content := func(k *secp256k1.PublicKey) []byte {
		return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(k)), unsafe.Sizeof(*k)))
	}
	changing.Each(t, content(keys[1]), content(keys[2]), func(b []byte) {
		changed := (*secp256k1.PublicKey)(unsafe.Pointer(&b[0]))
		c, err := NewContext(private[0], false,
			WithKnownSigners([]*secp256k1.PublicKey{keys[0], changed}))
		if err != nil {
			t.Fatal(err)
		}
		list := pointers(c.known.keys)
		k, err := newKnownKey(list, encodings(list), new(keyAggOption))
		if err != nil || *k.key.final != *c.known.key.final {
			t.Errorf("the key of another list, %v", err)
		}
	})
	// A knownKey keeps the keys that it has added up, also if none was read before.
	list := encodings(keys[:2])
	changing.Each(t, content(keys[1]), content(keys[2]), func(b []byte) {
		changed := (*secp256k1.PublicKey)(unsafe.Pointer(&b[0]))
		k, err := newKnownKey([]*secp256k1.PublicKey{keys[0], changed}, list, new(keyAggOption))
		if err != nil {
			t.Fatal(err)
		}
		want, err := newKnownKey(pointers(k.keys), list, new(keyAggOption))
		if err != nil || *k.key.final != *want.key.final {
			t.Errorf("the key of another list is kept, %v", err)
		}
	})
}

// pointers returns pointers to keys.
func pointers(keys []secp256k1.PublicKey) (p []*secp256k1.PublicKey) {
	for i := range keys {
		p = append(p, &keys[i])
	}
	return p
}

// TestInfinity checks that a tweak that makes a key infinity, or that is too large, is refused, and
// that signing replaces a sum of nonces that is infinity by the generator.
func TestInfinity(t *testing.T) {
	private, keys := signers(1)
	d := new(secp256k1.ModNScalar).NegateVal(&private[0].Key).Bytes()
	one := WithUniqueKeyIndex(0)
	if _, _, _, err := AggregateKeys(keys, false, one,
		WithKeyTweaks(KeyTweakDesc{Tweak: d})); err != ErrTweakedKeyIsInfinity {
		t.Error(err)
	}
	// A tweak of 0 is accepted even if the aggregated key is infinity.
	if _, _, _, err := AggregateKeys(nil, false, WithKeyTweaks(KeyTweakDesc{})); err != nil {
		t.Error(err)
	}
	if _, _, _, err := AggregateKeys(keys, false, WithKeyTweaks(KeyTweakDesc{
		Tweak: [32]byte(bytes.Repeat([]byte{255}, 32))})); err != ErrTweakedKeyOverflows {
		t.Error(err)
	}
	n := noncesOf(t, keys[0], 1)
	part, err := Sign(n.SecNonce, private[0], [PubNonceSize]byte{}, keys, digest(3))
	if err != nil {
		t.Fatal(err)
	}
	if *part.R != *secp256k1.PrivKeyFromBytes([]byte{1}).PubKey() {
		t.Error("R is not the generator")
	}
	if !part.Verify(n.PubNonce, [PubNonceSize]byte{}, keys, keys[0], digest(3)) {
		t.Error("a good part does not verify")
	}
}
