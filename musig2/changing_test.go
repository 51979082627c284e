package musig2_test

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/musig2"
)

// TestChangingLists calls functions that take several keys, nonces or partial signatures with
// memory that changes when it is read again. The result is that of the first content.
func TestChangingLists(t *testing.T) {
	const n = 4
	message := []byte("message")
	var private []*koblitz.PrivateKey
	var keys []*koblitz.PublicKey
	var secret []*musig2.SecretNonce
	var nonces []*musig2.PublicNonce
	for i := range n {
		private = append(private, koblitz.GenerateKey())
		keys = append(keys, private[i].PublicKey())
		nonce, err := musig2.GenerateNonce(private[i], nil)
		if err != nil {
			t.Fatal(err)
		}
		secret, nonces = append(secret, nonce), append(nonces, nonce.PublicNonce())
	}
	key, _ := musig2.AggregateKeys(keys...)
	sum, _ := musig2.AggregateNonces(nonces...)
	session, err := musig2.NewSession(key, sum, message)
	if err != nil {
		t.Fatal(err)
	}
	var sigs []*musig2.PartialSignature
	for i := range n {
		sig, err := session.Sign(secret[i], private[i])
		if err != nil {
			t.Fatal(err)
		}
		sigs = append(sigs, sig)
	}

	other := koblitz.GenerateKey().PublicKey()
	changing.Each(t, content(keys[0]), content(other), func(b []byte) {
		changed := (*koblitz.PublicKey)(unsafe.Pointer(&b[0]))
		got, err := musig2.AggregateKeys(append([]*koblitz.PublicKey{changed}, keys[1:]...)...)
		if err != nil || !got.PublicKey().Equal(key.PublicKey()) {
			t.Errorf("AggregateKeys: another key, %v", err)
		}
	})
	changed, _ := musig2.AggregateNonces(nonces[0])
	changing.Each(t, content(sum), content(changed), func(b []byte) {
		got, err := musig2.NewSession(key, (*musig2.AggregateNonce)(unsafe.Pointer(&b[0])), message)
		if err != nil || got.VerifyAll(sigs, nonces) != nil {
			t.Errorf("NewSession: another session, %v", err)
		}
	})
	changing.Each(t, elements(nonces), make([]byte, len(elements(nonces))), func(b []byte) {
		got, err := musig2.AggregateNonces(over[musig2.PublicNonce](b)...)
		if err != nil || !got.Equal(sum) {
			t.Errorf("AggregateNonces: another sum, %v", err)
		}
	})
	changing.Each(t, elements(nonces), make([]byte, len(elements(nonces))), func(b []byte) {
		if err := session.VerifyAll(sigs, over[musig2.PublicNonce](b)); err != nil {
			t.Errorf("VerifyAll: nonces: %v", err)
		}
	})
	changing.Each(t, elements(sigs), make([]byte, len(elements(sigs))), func(b []byte) {
		if err := session.VerifyAll(over[musig2.PartialSignature](b), nonces); err != nil {
			t.Errorf("VerifyAll: partial signatures: %v", err)
		}
	})
	runtime.KeepAlive(nonces) // bytes keep no elements alive
	runtime.KeepAlive(sigs)
}

// TestChangingDeterministic signs deterministically while the aggregate key, or the other signers'
// nonce, changes. The nonce and the partial signature are those of the first content: one nonce in
// two sessions would reveal the key.
func TestChangingDeterministic(t *testing.T) {
	key, peer, third := koblitz.GenerateKey(), koblitz.GenerateKey(), koblitz.GenerateKey()
	own, other, others := key.PublicKey(), peer.PublicKey(), [2]*musig2.AggregateNonce{}
	for i := range others {
		nonce, err := musig2.GenerateNonce(peer, nil)
		if err != nil {
			t.Fatal(err)
		}
		others[i], _ = musig2.AggregateNonces(nonce.PublicNonce())
	}
	aggregate, _ := musig2.AggregateKeys(own, other)
	second, _ := musig2.AggregateKeys(own, third.PublicKey())
	message := []byte("message")
	public, sig, err := musig2.DeterministicSign(key, aggregate, others[0], message, nil)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, aggregate *musig2.AggregateKey, others *musig2.AggregateNonce) {
		p, s, err := musig2.DeterministicSign(key, aggregate, others, message, nil)
		if err != nil || !p.Equal(public) || !s.Equal(sig) {
			t.Errorf("a changing %s: another partial signature, %v", name, err)
		}
	}
	changing.Each(t, content(others[0]), content(others[1]), func(b []byte) {
		check("nonce", aggregate, (*musig2.AggregateNonce)(unsafe.Pointer(&b[0])))
	})
	changing.Each(t, content(aggregate), content(second), func(b []byte) {
		check("key", (*musig2.AggregateKey)(unsafe.Pointer(&b[0])), others[0])
	})
	tweaked, _ := aggregate.TaprootTweak(nil)
	changing.Each(t, content(aggregate), content(second), func(b []byte) {
		k, err := (*musig2.AggregateKey)(unsafe.Pointer(&b[0])).TaprootTweak(nil)
		if err != nil || !k.PublicKey().Equal(tweaked.PublicKey()) {
			t.Errorf("TaprootTweak: another key, %v", err)
		}
	})
	runtime.KeepAlive(second) // bytes keep no signers alive
}

// content returns the bytes of *p.
func content[T any](p *T) []byte {
	return slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)))
}

// elements returns the bytes of the pointers in s.
func elements[T any](s []*T) []byte {
	size := uintptr(len(s)) * unsafe.Sizeof(s[0])
	return slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), size))
}

// over returns b as a slice of pointers.
func over[T any](b []byte) []*T {
	return unsafe.Slice((**T)(unsafe.Pointer(&b[0])), uintptr(len(b))/unsafe.Sizeof((*T)(nil)))
}
