// Command subject does each operation once between two functions that the plugin knows, and
// prints their names, one a line, in the order of what the plugin prints.
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/schnorr"
)

// Begin and End are where the plugin begins and ends to count.
//
//go:noinline
func Begin() {}

//go:noinline
func End() {}

// measure does an operation twice, so that what it does once is done, and then between Begin
// and End.
func measure(name string, f func()) {
	f()
	f()
	Begin()
	f()
	End()
	fmt.Println(name)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	runtime.LockOSThread()
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

	key, err := koblitz.NewPrivateKey(digest[:])
	check(err)
	public := key.PublicKey()
	signature, err := ecdsa.Sign(key, digest[:])
	check(err)
	measure("ECDSA sign", func() {
		_, err := ecdsa.Sign(key, digest[:])
		check(err)
	})
	measure("ECDSA verify, parsed key", func() {
		if !ecdsa.Verify(public, digest[:], signature) {
			panic("an ECDSA signature is refused")
		}
	})
	compressed := public.Compressed()
	measure("parse a compressed key", func() {
		_, err := koblitz.NewPublicKey(compressed[:])
		check(err)
	})
	var aux [32]byte
	xonly := key.XOnlyPublicKey()
	bip340, err := schnorr.Sign(key, digest[:], aux[:])
	check(err)
	measure("BIP-340 sign", func() {
		_, err := schnorr.Sign(key, digest[:], aux[:])
		check(err)
	})
	measure("BIP-340 verify, parsed key", func() {
		if !schnorr.Verify(xonly, digest[:], bip340) {
			panic("a BIP-340 signature is refused")
		}
	})
}
