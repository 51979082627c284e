package operations

import (
	"bytes"
	"sync"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/secret"
	"github.com/koblitz-go/koblitz/musig2"
)

// musigs holds the operations of package musig2. The signer's key is D, and the other signer's
// public key is 2·G. Results are k1 and k2 of the secret nonce.
var musigs = []Operation{
	{"musig2.GenerateNonce", Keys | Hash, withNonce(nothing)},
	{"musig2.GenerateNonceWithoutKey", 0, func(o *Operands) error {
		n, err := musig2.GenerateNonceWithoutKey(o.Peer, nil)
		if err != nil {
			return err
		}
		o.giveNonce(n)
		n.Zeroize()
		return nil
	}},
	{"musig2.SecretNonce.PublicNonce", Keys | Hash,
		withNonce(returns((*musig2.SecretNonce).PublicNonce))},
	{"musig2.SecretNonce.IsZero", Keys | Hash, withNonce(isZero((*musig2.SecretNonce).IsZero))},
	{"musig2.SecretNonce.Zeroize", Keys | Hash, withNonce(zeroize((*musig2.SecretNonce).Zeroize))},
	// Sign wipes the nonce, so the operation does not.
	{"musig2.Session.Sign", Keys | Verifies | Hash, func(o *Operands) error {
		n, err := newNonce(o)
		if err != nil {
			return err
		}
		all, err := musig2.AggregateNonces(n.PublicNonce(), n.PublicNonce())
		if err != nil {
			return err
		}
		k, err := musig2.AggregateKeys(o.Key.PublicKey(), o.Peer)
		if err != nil {
			return err
		}
		session, err := musig2.NewSession(k, all, o.Hash)
		if err != nil {
			return err
		}
		_, err = session.Sign(n, o.Key)
		return err
	}},
	{"musig2.DeterministicSign", Keys | Verifies | Hash, func(o *Operands) error {
		k, err := musig2.AggregateKeys(o.Key.PublicKey(), o.Peer)
		if err != nil {
			return err
		}
		_, _, err = musig2.DeterministicSign(o.Key, k, o.PeerNonce(), o.Hash, nil)
		return err
	}},
}

// PeerNonce returns an aggregate nonce of two points that are both the peer's key, or nil if there
// is no peer.
func (o *Operands) PeerNonce() *musig2.AggregateNonce {
	n, _ := musig2.ParseAggregateNonce(bytes.Repeat(o.Peer.Bytes(), 2))
	return n
}

// newNonce returns a new nonce of the key D, and stores it.
func newNonce(o *Operands) (*musig2.SecretNonce, error) {
	n, err := musig2.GenerateNonce(o.Key, &musig2.NonceOptions{Message: musig2.NewInput(o.Hash)})
	if err == nil {
		o.giveNonce(n)
	}
	return n, err
}

// withNonce returns the method Run of an operation that calls f with a new nonce of the key D, and
// wipes the nonce.
func withNonce(f func(o *Operands, n *musig2.SecretNonce) error) func(o *Operands) error {
	return with(newNonce, f)
}

// giveNonce stores k1 and k2 of the nonce n. The first fields of a SecretNonce and of what it
// points to are those below; with other fields, a search of the memory would find nothing where it
// must find a leak.
func (o *Operands) giveNonce(n *musig2.SecretNonce) {
	type state struct {
		_ sync.Mutex
		k musig.SecretPair
	}
	k := &(*(*func() *state)(unsafe.Pointer(n)))().k
	secret.Do(func() {
		k[0].PutBytes((*[32]byte)(o.Out[:]))
		k[1].PutBytes((*[32]byte)(o.Out[32:]))
	})
}
