//go:build cgo

package peer

import "github.com/ethereum/go-ethereum/crypto/secp256k1"

// NewGeth returns a peer that calls go-ethereum's copy of libsecp256k1 through cgo.
func NewGeth(in *Inputs) (*Peer, error) {
	short := func(k []byte) []byte { return append([]byte{2 + k[64]&1}, k[1:33]...) }
	sign := func(i int) []byte { return must(secp256k1.Sign(in.Hash[i], in.Secret[i])) }
	drivers := map[string]Driver{
		"ecdsa-verify-parse": verifies(func(i int) bool {
			return secp256k1.VerifySignature(in.Key[i], in.Hash[i], in.ECDSA[i])
		}).noted("signature of 64 bytes"),
		"ecdsa-sign-unchecked": {
			Do:     func(i int) { sign(i) },
			Out:    func(i int) []byte { return sign(i)[:64] },
			Timing: Constant,
			Note:   "with recovery id",
		},
		"recover": {
			Do: func(i int) { must(secp256k1.RecoverPubkey(in.Hash[i], in.Recoverable[i])) },
			Out: func(i int) []byte {
				return short(must(secp256k1.RecoverPubkey(in.Hash[i], in.Recoverable[i])))
			},
		},
		"parse": {
			Do: func(i int) { secp256k1.DecompressPubkey(in.Key[i]) },
			Out: func(i int) []byte {
				return secp256k1.CompressPubkey(secp256k1.DecompressPubkey(in.Key[i]))
			},
		},
	}
	version := moduleVersion("github.com/ethereum/go-ethereum")
	note := "libsecp256k1 by cgo, compiled with cgo's flags"
	return &Peer{Name: "geth", Version: version, Note: note, Drivers: drivers, Functions: Functions{
		LowS:        true,
		ECDSASign:   func(s, h []byte) []byte { sig, _ := secp256k1.Sign(h, s); return sig[:64] },
		ECDSAVerify: func(k, h, s []byte) bool { return secp256k1.VerifySignature(k, h, s) },
		Recover: func(h, s []byte) []byte {
			k, err := secp256k1.RecoverPubkey(h, s)
			if err != nil {
				return nil
			}
			return short(k)
		},
	}}, nil
}
