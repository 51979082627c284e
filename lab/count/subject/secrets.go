package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/schnorr"
)

// secrets returns numbers in [2, n): n − 1, numbers with few and with many one bits, and random
// ones.
func secrets() [][32]byte {
	var few, many, high [32]byte
	few[31], high[0], high[31] = 5, 0x80, 1
	for k := range many {
		many[k] = 0x7f
	}
	var one group.Scalar
	all := [][32]byte{few, many, high, [32]byte(one.SetUint64(1).Negate(&one).Bytes())}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var d [32]byte
		for k := range d {
			d[k] = byte(r.Uint32())
		}
		d[0] &= 0x7f
		all = append(all, d)
	}
	return all
}

// These variables hold the operands and the results of the operations.
var (
	d      [32]byte
	s, t   scalar.Scalar
	x, y   field.Element
	p, q   point.Jacobian
	a, g   point.Affine
	gs, gt group.Scalar
	gp, gq group.Point
	buf    [200]byte
)

// trace runs each operation with many different secrets. Command count compares the traces of these
// runs. Except in operations with keys, an operand is in the same variable in each run, so that its
// address is the same.
func trace() {
	g.SetGenerator()
	peer := reference.Must(new(group.Point).ScalarBaseMult(gs.SetUint64(2)).PublicKey())
	for _, d = range secrets() {
		scalars()
		elements()
		points()
		keys(peer)
		signatures(peer)
		measure("planted: a branch", func() {
			if d[3]&1 == 1 {
				buf[0]++
			}
		})
		measure("planted: an index", func() { buf[100] = buf[d[3]&31] })
	}
}

func scalars() {
	measure("scalar from bytes", func() { s.SetBytes(&d) })
	t.Set(&s)
	measure("scalar add", func() { t.Add(&t, &s) })
	measure("scalar subtract", func() { t.Sub(&s, &t) })
	measure("scalar negate", func() { t.Neg(&s) })
	measure("scalar multiply", func() { t.Mul(&t, &s) })
	measure("scalar inverse", func() { t.Invert(&s) })
	measure("scalar half", func() { t.Half(&s) })
	measure("scalar is high", func() { s.IsHigh() })
	measure("group.Scalar from bytes", func() { reference.Must(gs.SetBytes(d[:])) })
	measure("group.Scalar inverse", func() { gt.Invert(&gs) })
	measure("group.Scalar multiply", func() { gt.Mul(&gt, &gs) })
}

func elements() {
	x.SetBytes(&d)
	y.Set(&x)
	measure("field add", func() { y.Add(&y, &x) })
	measure("field subtract", func() { y.Sub(&x, &y) })
	measure("field half", func() { y.Half(&x) })
	measure("field multiply", func() { y.Mul(&y, &x) })
	measure("field square", func() { y.Square(&x) })
	measure("field square, 100 times", func() { y.SquareN(&x, 100) })
	measure("field inverse", func() { y.Invert(&x) })
	measure("field square root", func() { y.Sqrt(&x) })
	measure("field is odd", func() { y.IsOdd() })
	measure("field to bytes", func() { y.PutBytes(&d) })
	x.PutBytes(&d)
}

func points() {
	measure("k·G", func() { ecmult.ScalarBaseMult(&p, &s) })
	measure("k·P", func() { ecmult.ScalarMult(&q, &s, &g) })
	measure("double", func() { q.Double(&p) })
	measure("100 doublings", func() { q.DoubleN(&p, 100) })
	measure("add", func() { q.Add(&q, &p) })
	measure("add a point to itself", func() { q.Add(&p, &p) })
	measure("affine", func() { a.SetJacobian(&p) })
	measure("group.Point k·G", func() { gp.ScalarBaseMult(&gs) })
	measure("group.Point k·P", func() { gq.ScalarMult(&gs, &gp) })
	measure("group.Point add", func() { gq.Add(&gq, &gp) })
	measure("group.Point to bytes", func() { gp.AppendBytes(buf[:0]) })
}

// keys measures the operations with private keys. The recovery ID is public, and branches depend on
// it, so it is part of the operation's name.
func keys(peer *koblitz.PublicKey) {
	key := reference.Must(koblitz.ParsePrivateKey(d[:]))
	message := [32]byte{1, 2, 3}
	unchecked := &ecdsa.SignOptions{Unchecked: true}
	signature := reference.Must(ecdsa.SignRecoverable(key, message[:], unchecked))
	measure(fmt.Sprint("moved: ECDSA sign, not verified, recovery id ", signature[64]), func() {
		reference.Must(ecdsa.Sign(key, message[:], unchecked))
	})
	measure("moved: BIP-340 sign, not verified", func() {
		reference.Must(schnorr.AppendSign(buf[:0], key, message[:],
			&schnorr.SignOptions{Aux: d[:], Unchecked: true}))
	})
	measure("moved: ECDH", func() {
		reference.Must(ecdh.AppendSharedSHA256(buf[:0], key, peer))
	})
}

// signatures measures operations with public operands.
func signatures(peer *koblitz.PublicKey) {
	key := reference.Must(koblitz.ParsePrivateKey(d[:]))
	signature := reference.Must(ecdsa.Sign(key, d[:], nil))
	bip340 := reference.Must(schnorr.Sign(key, d[:], nil))
	public, xonly, compressed := key.PublicKey(), key.XOnlyPublicKey(), peer.Bytes()
	measure("public: k·G", func() { vartime.ScalarBaseMult(&q, &s) })
	measure("public: k·P", func() { vartime.ScalarMult(&q, &s, &g) })
	measure("public: ECDSA verify", func() { ecdsa.Verify(public, d[:], signature) })
	measure("public: BIP-340 verify", func() { schnorr.Verify(xonly, d[:], bip340) })
	measure("public: parse a compressed key", func() {
		reference.Must(koblitz.ParsePublicKey(compressed))
	})
}
