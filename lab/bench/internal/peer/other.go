package peer

import (
	stdecdh "crypto/ecdh"
	stdecdsa "crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"runtime"
	"runtime/debug"
)

// moduleVersion returns the version of the module with the given path that is linked into this
// program.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return "unknown"
}

// NewP256 returns a peer that calls the standard library's P-256. Since its curve is not secp256k1,
// only its times are compared, not its results.
func NewP256(in *Inputs) *Peer {
	var (
		keys [Rows]*stdecdsa.PrivateKey
		sigs [Rows][]byte
		dh   [Rows]*stdecdh.PrivateKey
	)
	for i := range Rows {
		keys[i] = must(stdecdsa.GenerateKey(elliptic.P256(), rand.Reader))
		sigs[i] = must(stdecdsa.SignASN1(rand.Reader, keys[i], in.Hash[i]))
		dh[i] = must(keys[i].ECDH())
	}
	drivers := map[string]Driver{
		"ecdsa-verify": verifies(func(i int) bool {
			return stdecdsa.VerifyASN1(&keys[i].PublicKey, in.Hash[i], sigs[i])
		}),
		"ecdsa-sign-unchecked": returns(Constant, func(i int) []byte {
			return must(stdecdsa.SignASN1(rand.Reader, keys[i], in.Hash[i]))
		}),
		"ecdh-x": returns(Constant, func(i int) []byte {
			return must(dh[i].ECDH(dh[(i+1)%Rows].PublicKey()))
		}),
		"keygen": returns(Constant, func(i int) []byte {
			return must(stdecdh.P256().NewPrivateKey(in.Secret[i])).PublicKey().Bytes()
		}),
	}
	return &Peer{
		Name: "p256", Version: runtime.Version(), Note: "another curve, as a yardstick",
		OtherWork: true, Drivers: drivers,
	}
}
