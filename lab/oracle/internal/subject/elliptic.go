package subject

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"math/big"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
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
	switch kind := t.byte(); {
	case kind < 20:
		return new(big.Int), new(big.Int)
	default:
		k := t.key()
		x, y := k.X(), k.Y()
		switch {
		case kind < 40:
			x.Add(x, secp256k1.Params().P)
		case kind < 60:
			y.Sub(y, secp256k1.Params().P)
		}
		return x, y
	}
}

// curve calls the methods of the curve that the interface elliptic.Curve has.
func curve(t *tape, r *record) {
	x, y := t.pair()
	curveStep(t, r, secp256k1.S256(), x, y, t.below(6))
}

// A curveMethods is a curve of dcrec or of Erigon's module.
type curveMethods interface {
	Add(x, y, u, v *big.Int) (*big.Int, *big.Int)
	Double(x, y *big.Int) (*big.Int, *big.Int)
	ScalarMult(x, y *big.Int, k []byte) (*big.Int, *big.Int)
	ScalarBaseMult(k []byte) (*big.Int, *big.Int)
	IsOnCurve(x, y *big.Int) bool
}

// curveStep calls the method of a curve with the given number, from 0 to 5. x and y are the
// coordinates of its first argument.
func curveStep(t *tape, r *record, c curveMethods, x, y *big.Int, method int) {
	u, v := t.pair()
	switch t.below(5) {
	case 0:
		u, v = x, y
	case 1:
		u, v = x, new(big.Int).Neg(y)
	}
	write := func(a, b *big.Int) { r.results(a, b, a == x, a == u) }
	switch method {
	case 0:
		write(c.Add(x, y, u, v))
	case 1:
		write(c.Double(x, y))
	case 2:
		write(c.ScalarMult(x, y, t.long()))
	case 3:
		write(c.ScalarBaseMult(t.long()))
	case 4:
		r.results(c.IsOnCurve(x, y), c.IsOnCurve(t.integer(), t.integer()))
	case 5:
		// The methods also add and double points off the curve.
		x, y, u, v = t.integer(), t.integer(), t.integer(), t.integer()
		if t.bool() {
			u = x
		}
		if t.bool() {
			v = y
		}
		write(c.Add(x, y, u, v))
		write(c.Double(x, y))
	}
}

// long returns the bytes of a scalar that may be longer or shorter than 32 bytes.
func (t *tape) long() []byte {
	if t.bool() {
		return t.slice()
	}
	return append(t.slice(), t.slice()...)
}

// standardKeys converts keys to the types of crypto/ecdsa and crypto/elliptic, and uses them there.
func standardKeys(t *tape, r *record) {
	k := t.private()
	std := k.ToECDSA()
	r.results(std.D, std.X, std.Y, std.Curve == secp256k1.S256())
	r.bool(std.PublicKey.Equal(k.PubKey().ToECDSA()))
	p := t.key().ToECDSA()
	r.results(p.X, p.Y, p.Curve == secp256k1.S256(), p.Equal(&std.PublicKey))
	b := elliptic.Marshal(p.Curve, p.X, p.Y)
	x, y := elliptic.Unmarshal(p.Curve, b)
	r.results(b, x, y, elliptic.MarshalCompressed(p.Curve, p.X, p.Y))
	hash := t.bytes(32)
	s := new(big.Int).SetBytes(t.number()[:])
	r.bool(ecdsa.Verify(p, hash, s, s))
}
