package subject

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"math/big"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	erigon "github.com/erigontech/secp256k1"
)

// integer returns an integer, which may be negative and of any length.
func (t *tape) integer() *big.Int {
	x := new(big.Int).SetBytes(t.slice())
	if t.byte() < 30 {
		x.Neg(x)
	}
	if t.byte() < 10 {
		x.Add(x, secp256k1.Params().P)
	}
	return x
}

// pair returns two coordinates, those of infinity or of a point of the curve. They may not be
// reduced modulo p.
func (t *tape) pair() (x, y *big.Int) {
	kind := t.byte()
	if kind < 20 {
		return new(big.Int), new(big.Int)
	}
	k := t.key()
	x, y = k.X(), k.Y()
	switch {
	case kind < 40:
		x.Add(x, secp256k1.Params().P)
	case kind < 60:
		y.Sub(y, secp256k1.Params().P)
	}
	return x, y
}

// A curveMethods is a curve of dcrec or of Erigon's module.
type curveMethods interface {
	Add(x, y, u, v *big.Int) (*big.Int, *big.Int)
	Double(x, y *big.Int) (*big.Int, *big.Int)
	ScalarMult(x, y *big.Int, k []byte) (*big.Int, *big.Int)
	ScalarBaseMult(k []byte) (*big.Int, *big.Int)
	IsOnCurve(x, y *big.Int) bool
}

// curve calls the methods of the curve that the interface elliptic.Curve has.
func curve(t *tape, r *record) { curveStep(t, r, secp256k1.S256()) }

// curveStep calls a method of a curve.
func curveStep(t *tape, r *record, c curveMethods) {
	x, y := t.pair()
	u, v := t.pair()
	switch t.below(5) {
	case 0:
		u, v = x, y
	case 1:
		u, v = x, new(big.Int).Neg(y)
	case 2: // points off the curve
		x, y, u, v = t.integer(), t.integer(), t.integer(), t.integer()
		if t.bool() {
			u = x
		}
		if t.bool() {
			v = y
		}
	}
	write := func(a, b *big.Int) { r.write(a, b, a == x, a == u) }
	switch t.below(5) {
	case 0:
		write(c.Add(x, y, u, v))
	case 1:
		write(c.Double(x, y))
	case 2:
		if e, ok := c.(*erigon.BitCurve); ok && t.byte() < 50 {
			// Erigon's curve ignores the sign and the bits above 2²⁵⁶.
			x, y = x.Add(x, new(big.Int).Lsh(e.P, 256)), y.Neg(y)
		}
		if !offCurve256(x, y) { // erigonOffCurve has such points
			write(c.ScalarMult(x, y, t.long()))
		}
	case 3:
		write(c.ScalarBaseMult(t.long()))
	case 4:
		r.write(c.IsOnCurve(x, y))
	}
}

// long returns the bytes of a scalar that may be longer or shorter than 32 bytes.
func (t *tape) long() []byte {
	if t.bool() {
		return t.slice()
	}
	return append(t.slice(), t.slice()...)
}

// erigonCurve calls the methods of Erigon's curve, and of another one with some of its parameters.
func erigonCurve(t *tape, r *record) {
	c := erigon.S256()
	if t.byte() < 60 {
		c = &erigon.BitCurve{P: c.P, N: c.N, B: t.integer(), Gx: c.Gx, Gy: c.Gy, BitSize: t.below(300)}
		if t.bool() {
			k := t.key()
			c.Gx, c.Gy = k.X(), k.Y()
		}
	}
	if t.below(7) != 0 {
		curveStep(t, r, c)
		return
	}
	x, y := t.pair()
	if t.bool() {
		x, y = t.integer(), t.integer()
	}
	b := c.Marshal(x, y)
	r.write(b)
	b[t.below(len(b))] ^= t.byte() & 7
	r.write(c.Unmarshal(b[:len(b)-t.below(len(b))/60]))
	r.write(erigon.CompressPubkey(x, y))
}

// offCurve256 reports whether x and y, without their signs and modulo 2²⁵⁶, are the coordinates
// neither of a point of the curve nor of infinity.
func offCurve256(x, y *big.Int) bool {
	var low [2]*big.Int
	for i, v := range []*big.Int{x, y} {
		low[i] = new(big.Int).Mod(new(big.Int).Abs(v), new(big.Int).Lsh(big.NewInt(1), 256))
		low[i].Mod(low[i], erigon.S256().P)
	}
	return !erigon.S256().IsOnCurve(low[0], low[1]) && low[0].Sign()|low[1].Sign() != 0
}

// erigonOffCurve multiplies a point off the curve. It writes whether the product is a point of the
// curve, and whether it is the same in a second call.
func erigonOffCurve(t *tape, r *record) {
	c := erigon.S256()
	x, y, k := t.integer(), t.integer(), t.number()[:]
	if !offCurve256(x, y) {
		return
	}
	u, v := c.ScalarMult(x, y, k)
	if u == nil {
		return
	}
	w, _ := c.ScalarMult(x, y, k)
	r.write(c.IsOnCurve(u, v), u.Cmp(w) == 0)
}

// standard uses keys and both curves in crypto/ecdsa and crypto/elliptic.
func standard(t *tape, r *record) {
	k, hash, other := t.private(), t.bytes(32), t.key().ToECDSA()
	std := k.ToECDSA()
	r.write(std.D, std.X, std.Y, std.Curve == secp256k1.S256(), std.PublicKey.Equal(other),
		std.PublicKey.Equal(k.PubKey().ToECDSA()))
	sig, err := erigon.Sign(hash, k.Serialize())
	r.output(sig, err)
	if err != nil {
		return
	}
	sig[t.below(64)] ^= t.byte() & 1
	rr, s := new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:64])
	for _, c := range []elliptic.Curve{secp256k1.S256(), erigon.S256()} {
		std.PublicKey.Curve = c
		b := elliptic.Marshal(c, other.X, other.Y)
		x, y := elliptic.Unmarshal(c, b)
		r.write(b, x, y, elliptic.MarshalCompressed(c, other.X, other.Y))
		r.try(func() { r.write(ecdsa.Verify(&std.PublicKey, hash, rr, s)) })
	}
}
