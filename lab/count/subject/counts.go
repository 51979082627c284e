package main

import (
	"crypto/sha256"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/schnorr"
)

// count runs one operation of each kind, first an empty one, which is the cost of counting itself.
// Go's scheduler may run during one of the three rounds.
func count() {
	measure := func(name string, f func()) { run(name, 2, 3, f) }
	measure("nothing", func() {})

	var x, y, z field.Element
	x.SetLimbs(1, 2, 3, 1<<63)
	y.SetLimbs(5, 6, 7, 1<<62)
	measure("field multiply", func() { z.Mul(&x, &y) })
	measure("field square", func() { z.Square(&x) })
	measure("field square, 100 times", func() { z.SquareN(&x, 100) })
	measure("field inverse", func() { z.Invert(&x) })
	measure("field inverse, variable time", func() { z.InvertVartime(&x) })
	measure("field square root", func() { z.Sqrt(&x) })

	var s, t scalar.Scalar
	digest := sha256.Sum256([]byte("scalar"))
	s.SetBytes(&digest)
	measure("scalar multiply", func() { t.Mul(&s, &s) })
	measure("scalar inverse", func() { t.Invert(&s) })
	measure("scalar inverse, variable time", func() { t.InvertVartime(&s) })

	var g point.Affine
	g.SetGenerator()
	var p, q point.Jacobian
	p.SetAffine(&g)
	p.Double(&p)
	measure("double", func() { q.Double(&p) })
	measure("100 doublings", func() { q.DoubleN(&p, 100) })
	measure("100 doublings, variable time", func() { q.DoubleNVartime(100) })
	measure("mixed addition, incomplete", func() { q.AddMixedIncomplete(&p, &g) })
	measure("mixed addition, variable time", func() { q.AddMixedVartime(&p, &g) })
	measure("addition, variable time", func() { q.AddVartime(&q, &p) })
	measure("k·G, constant time", func() { ecmult.ScalarBaseMult(&q, &s) })
	measure("k·P, constant time", func() { ecmult.ScalarMult(&q, &s, &g) })

	measure("k·G, variable time", func() { vartime.ScalarBaseMult(&q, &s) })
	measure("k·P, variable time", func() { vartime.ScalarMult(&q, &s, &g) })

	var challenge [32]byte
	measure("BIP-340 challenge", func() { hash.Challenge(&challenge, &digest, &digest, digest[:]) })
	measure("nonce of RFC 6979", func() {
		var nonces hash.Nonces
		nonces.Init(&digest, &digest, nil)
		nonces.Next(&challenge)
		nonces.Wipe()
	})

	key := reference.Must(koblitz.ParsePrivateKey(digest[:]))
	public := key.PublicKey()
	unchecked := &ecdsa.SignOptions{Unchecked: true}
	signature := reference.Must(ecdsa.Sign(key, digest[:], unchecked))
	measure("ECDSA sign, unchecked", func() {
		reference.Must(ecdsa.Sign(key, digest[:], unchecked))
	})
	measure("ECDSA verify, parsed key", func() {
		if !ecdsa.Verify(public, digest[:], signature) {
			panic("an ECDSA signature is refused")
		}
	})
	compressed := public.Bytes()
	measure("parse a compressed key", func() {
		reference.Must(koblitz.ParsePublicKey(compressed))
	})
	checked := &schnorr.SignOptions{Aux: make([]byte, 32)}
	xonly := key.XOnlyPublicKey()
	bip340 := reference.Must(schnorr.Sign(key, digest[:], checked))
	measure("BIP-340 sign, checked", func() {
		reference.Must(schnorr.Sign(key, digest[:], checked))
	})
	measure("BIP-340 verify, parsed key", func() {
		if !schnorr.Verify(xonly, digest[:], bip340) {
			panic("a BIP-340 signature is refused")
		}
	})
}
