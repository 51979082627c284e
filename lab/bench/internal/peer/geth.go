//go:build cgo

package peer

import "github.com/ethereum/go-ethereum/crypto/secp256k1"

// NewGeth returns a peer that recovers keys, from which senders of transactions follow, by
// go-ethereum's copy of libsecp256k1 through cgo.
func NewGeth(in *Inputs) (*Peer, error) {
	drivers := in.single(map[string]func(s *Set) Driver{
		"recover": func(s *Set) Driver {
			return gives(Public, func(i int) []byte {
				return must(secp256k1.RecoverPubkey(s.Hash[i], s.Recoverable[i]))
			}, func(k []byte) []byte { return append([]byte{2 + k[64]&1}, k[1:33]...) })
		},
	})
	return &Peer{Name: "geth", Version: moduleVersion("github.com/ethereum/go-ethereum"),
		Note: "libsecp256k1 by cgo, compiled with cgo's flags", Drivers: drivers}, nil
}
