//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind

package secret_test

import (
	"bytes"
	"errors"
	"math/big"
	"slices"
	"sync"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/secret"
	"github.com/koblitz-go/koblitz/musig2"
)

// musigs holds the operations of package musig2. The signer's key is D, and the other signer's
// public key is 2·G.
var musigs = []operation{
	{"musig2.GenerateNonce", withNonce(func(_ *subject, n *musig2.SecretNonce) error {
		n.Zeroize()
		return nil
	}), needKeys, aMuSig2Nonce},
	{"musig2.GenerateNonceWithoutKey", func(s *subject) error {
		n, err := musig2.GenerateNonceWithoutKey(s.peer, nil)
		if err != nil {
			return err
		}
		s.takeNonce(n)
		n.Zeroize()
		return nil
	}, 0, aMuSig2Nonce},
	{"musig2.SecretNonce.PublicNonce", withNonce(func(_ *subject, n *musig2.SecretNonce) error {
		n.PublicNonce()
		n.Zeroize()
		return nil
	}), needKeys, aMuSig2Nonce},
	{"musig2.SecretNonce.IsZero", withNonce(func(_ *subject, n *musig2.SecretNonce) error {
		if n.IsZero() {
			return errors.New("a nonce is zero")
		}
		n.Zeroize()
		return nil
	}), needKeys, aMuSig2Nonce},
	{"musig2.SecretNonce.Zeroize", withNonce(func(_ *subject, n *musig2.SecretNonce) error {
		n.Zeroize()
		return nil
	}), needKeys, aMuSig2Nonce},
	{"musig2.Session.Sign", withNonce(func(s *subject, n *musig2.SecretNonce) error {
		all, err := musig2.AggregateNonces(n.PublicNonce(), n.PublicNonce())
		if err != nil {
			return err
		}
		k, err := musig2.AggregateKeys(s.key.PublicKey(), s.peer)
		if err != nil {
			return err
		}
		session, err := musig2.NewSession(k, all, s.Hash[:])
		if err != nil {
			return err
		}
		_, err = session.Sign(n, s.key)
		return err
	}), needKeys, aMuSig2Nonce},
	{"musig2.DeterministicSign", func(s *subject) error {
		k, err := musig2.AggregateKeys(s.key.PublicKey(), s.peer)
		if err != nil {
			return err
		}
		_, _, err = musig2.DeterministicSign(s.key, k, others(s.peer), s.Hash[:], nil)
		return err
	}, needKeys, aDeterministicNonce},
}

// withNonce returns an operation that calls f with a new nonce of the key D.
func withNonce(f func(s *subject, n *musig2.SecretNonce) error) func(s *subject) error {
	return func(s *subject) error {
		n, err := musig2.GenerateNonce(s.key, &musig2.NonceOptions{Message: musig2.NewInput(s.Hash[:])})
		if err != nil {
			return err
		}
		s.takeNonce(n)
		return f(s, n)
	}
}

// takeNonce stores k1 and k2 of the nonce n as the answer of the subject. The first fields of a
// SecretNonce and of what it points to are those below; other fields give other numbers, which the
// scan would find nowhere, and the leaks of aMuSig2Nonce would then not be found.
func (s *subject) takeNonce(n *musig2.SecretNonce) {
	type state struct {
		_ sync.Mutex
		k musig.SecretPair
	}
	k := &(*(*func() *state)(unsafe.Pointer(n)))().k
	secret.Do(func() {
		k[0].PutBytes((*[32]byte)(s.Out[:]))
		k[1].PutBytes((*[32]byte)(s.Out[32:]))
	})
}

// others returns an aggregate nonce of two equal points.
func others(p *koblitz.PublicKey) *musig2.AggregateNonce {
	n, _ := musig2.ParseAggregateNonce(bytes.Repeat(p.Bytes(), 2))
	return n
}

// aDeterministicNonce adds to n the key d and the nonces that DeterministicSign derives from it.
func aDeterministicNonce(v *values, n *needles) {
	aKey(v, n)
	d := v.d.FillBytes(make([]byte, 32))
	key, err := koblitz.ParsePrivateKey(d)
	if err != nil {
		panic(err)
	}
	two, err := koblitz.ParsePrivateKey(big.NewInt(2).FillBytes(make([]byte, 32)))
	if err != nil {
		panic(err)
	}
	k, err := musig2.AggregateKeys(key.PublicKey(), two.PublicKey())
	if err != nil {
		panic(err)
	}
	for i := range byte(2) {
		var digest [32]byte
		hash.Tagged(&digest, "MuSig/deterministic/nonce", d, others(two.PublicKey()).Bytes(),
			k.XOnlyPublicKey().Bytes(), slices.Concat(make([]byte, 7), []byte{32}), v.hash, []byte{i})
		n.nonce(bigInt(digest[:]))
	}
}
