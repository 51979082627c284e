package secp256k1

import (
	"crypto/elliptic"
	"math/big"
	"sync"

	impl "github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// A BitCurve is a curve y² = x³ + B modulo the prime P as an elliptic.Curve. The point at infinity
// is (0, 0).
type BitCurve struct {
	P       *big.Int // field prime
	N       *big.Int // order of the group
	B       *big.Int // constant of the equation
	Gx, Gy  *big.Int // base point
	BitSize int      // bits of P
}

var curve = sync.OnceValue(func() *BitCurve {
	p := impl.S256().Params()
	return &BitCurve{P: p.P, N: p.N, B: p.B, Gx: p.Gx, Gy: p.Gy, BitSize: p.BitSize}
})

// S256 returns secp256k1, the same pointer at each call.
func S256() *BitCurve { return curve() }

// Params returns the parameters of the curve, without a name.
func (c *BitCurve) Params() *elliptic.CurveParams {
	return &elliptic.CurveParams{P: c.P, N: c.N, B: c.B, Gx: c.Gx, Gy: c.Gy, BitSize: c.BitSize}
}

// IsOnCurve reports whether (x, y), reduced modulo P, is a point of the curve.
func (c *BitCurve) IsOnCurve(x, y *big.Int) bool {
	d := new(big.Int).Exp(x, big.NewInt(3), nil)
	d.Add(d, c.B).Sub(d, new(big.Int).Mul(y, y))
	return d.Mod(d, c.P).Sign() == 0
}

// Add returns (x1, y1) + (x2, y2). Equal points have equal coordinates: two points with coordinates
// that are equal only modulo P have the sum (0, 0).
func (c *BitCurve) Add(x1, y1, x2, y2 *big.Int) (*big.Int, *big.Int) {
	switch {
	case x1.Sign() == 0 && y1.Sign() == 0:
		return x2, y2
	case x2.Sign() == 0 && y2.Sign() == 0:
		return x1, y1
	case x1.Cmp(x2) == 0 && y1.Cmp(y2) == 0:
		return c.Double(x1, y1)
	}
	return c.sum(x1, y1, x2, new(big.Int).Sub(y2, y1), new(big.Int).Sub(x2, x1))
}

// Double returns 2·(x1, y1).
func (c *BitCurve) Double(x1, y1 *big.Int) (*big.Int, *big.Int) {
	rise := new(big.Int).Mul(x1, x1)
	return c.sum(x1, y1, x1, rise.Mul(rise, big.NewInt(3)), new(big.Int).Lsh(y1, 1))
}

// sum returns the sum of (x1, y1) and a point with the x coordinate x2. The line through both, or
// the tangent, has the slope rise/run. It overwrites rise and run.
func (c *BitCurve) sum(x1, y1, x2, rise, run *big.Int) (x, y *big.Int) {
	if run.Mod(run, c.P).Sign() == 0 {
		return new(big.Int), new(big.Int)
	}
	slope := rise.Mul(rise, run.ModInverse(run, c.P))
	slope.Mod(slope, c.P)
	x = new(big.Int).Mul(slope, slope)
	x.Sub(x, x1).Sub(x, x2).Mod(x, c.P)
	y = new(big.Int).Sub(x1, x)
	y.Mul(y, slope).Sub(y, y1).Mod(y, c.P)
	// Set makes the zero that new(big.Int) makes, which programs with reflect.DeepEqual expect.
	return new(big.Int).Set(x), new(big.Int).Set(y)
}

// ScalarMult returns k·(x, y) on secp256k1, for a big-endian number k. It returns nil if k is 0 or
// not below n, and panics if k has more than 32 bytes. The running time depends on the length of k
// and not on its value, except for the conversion of the product to big.Int.
func (c *BitCurve) ScalarMult(x, y *big.Int, k []byte) (*big.Int, *big.Int) {
	ok := valid(k)
	b := S256().Marshal(x, y) // panics if a coordinate is nil, for every k
	if !ok {
		return nil, nil
	}
	return impl.S256().ScalarMult(new(big.Int).SetBytes(b[1:33]), new(big.Int).SetBytes(b[33:]), k)
}

// ScalarBaseMult returns k·(Gx, Gy), as [BitCurve.ScalarMult] does.
func (c *BitCurve) ScalarBaseMult(k []byte) (*big.Int, *big.Int) {
	g := impl.Params()
	if c.Gx.Cmp(g.Gx) != 0 || c.Gy.Cmp(g.Gy) != 0 {
		return c.ScalarMult(c.Gx, c.Gy, k)
	}
	if !valid(k) {
		return nil, nil
	}
	return impl.S256().ScalarBaseMult(k)
}

// valid reports whether k is in [1, n). It panics if k has more than 32 bytes. The running time
// depends on the length of k and the answer.
func valid(k []byte) bool {
	if len(k) > 32 {
		panic("can't handle scalars > 256 bits")
	}
	var s impl.ModNScalar
	overflow, zero := s.SetByteSlice(k), s.IsZero()
	s.Zero()
	return !overflow && !zero
}

// Marshal returns the byte 0x04 and the coordinates, big-endian (ANSI X9.62, section 4.3.6). A
// coordinate loses its sign, and its upper bits if it is too long.
func (c *BitCurve) Marshal(x, y *big.Int) []byte {
	size := (c.BitSize + 7) / 8
	out := append(make([]byte, 0, 1+2*size), 4)
	for _, coordinate := range []*big.Int{x, y} {
		b := coordinate.FillBytes(make([]byte, max(size, (coordinate.BitLen()+7)/8)))
		out = append(out, b[len(b)-size:]...)
	}
	return out
}

// Unmarshal returns the coordinates that [BitCurve.Marshal] encoded, or nil if the length or the
// first byte is wrong. It does not check that they are those of a point.
func (c *BitCurve) Unmarshal(data []byte) (x, y *big.Int) {
	size := (c.BitSize + 7) / 8
	if len(data) != 1+2*size || data[0] != 4 {
		return nil, nil
	}
	return new(big.Int).SetBytes(data[1 : 1+size]), new(big.Int).SetBytes(data[1+size:])
}
