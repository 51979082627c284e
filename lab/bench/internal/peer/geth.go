//go:build cgo

package peer

import "github.com/ethereum/go-ethereum/crypto/secp256k1"

// NewGeth returns a peer that recovers keys, from which senders of transactions follow, by
// go-ethereum's copy of libsecp256k1 through cgo.
func NewGeth(in *Inputs) (*Peer, error) {
	drivers := single(in.rows, map[string]op[*Row]{"recover": gives(Public, func(r *Row) []byte {
		return must(secp256k1.RecoverPubkey(r.Hash, r.Recoverable))
	}, shortKey)})
	return &Peer{Name: "geth", Version: moduleVersion("github.com/ethereum/go-ethereum"),
		Note: "libsecp256k1 by cgo, compiled with cgo's flags", Drivers: drivers}, nil
}
