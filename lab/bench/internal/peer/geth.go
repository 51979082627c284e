//go:build cgo

package peer

import (
	"math/big"

	"github.com/ethereum/go-ethereum/crypto/secp256k1"
)

// NewGeth returns a peer that calls go-ethereum's copy of libsecp256k1 through cgo.
func NewGeth(in *Inputs) (*Peer, error) {
	drivers := in.single(map[string]func(s *Set) Driver{
		"ecdsa-verify-parse": func(s *Set) Driver {
			return verifies(func(i int) bool {
				return secp256k1.VerifySignature(s.Key[i], s.Hash[i], s.ECDSA[i])
			}).noted("signature of 64 bytes")
		},
		"ecdsa-sign-unchecked": func(s *Set) Driver {
			return gives(Constant, func(i int) []byte {
				return must(secp256k1.Sign(s.Hash[i], s.Secret[i]))
			}, func(sig []byte) []byte { return sig[:64] }).noted("with recovery id")
		},
		"recover": func(s *Set) Driver {
			return gives(Public, func(i int) []byte {
				return must(secp256k1.RecoverPubkey(s.Hash[i], s.Recoverable[i]))
			}, func(k []byte) []byte { return append([]byte{2 + k[64]&1}, k[1:33]...) })
		},
		"parse": func(s *Set) Driver {
			var x, y *big.Int
			return stores(Public, func(i int) { x, y = secp256k1.DecompressPubkey(s.Key[i]) },
				func() []byte { return secp256k1.CompressPubkey(x, y) })
		},
	})
	version := moduleVersion("github.com/ethereum/go-ethereum")
	note := "libsecp256k1 by cgo, compiled with cgo's flags"
	return &Peer{Name: "geth", Version: version, Note: note, Drivers: drivers}, nil
}
