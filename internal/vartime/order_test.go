package vartime

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

func TestAddOrder(t *testing.T) {
	p, n := reference.P(), reference.N()
	numbers := reference.EdgeInts()
	for _, shift := range []uint{0, 63, 64, 65, 127, 128, 129, 192, 255} { // near p − n
		for d := int64(-2); d <= 2; d++ {
			step := new(big.Int).Mul(new(big.Int).Lsh(big.NewInt(1), shift), big.NewInt(d))
			if x := step.Add(step, p).Sub(step, n); x.Sign() >= 0 {
				numbers = append(numbers, x)
			}
		}
	}
	for _, x := range numbers {
		if x.Cmp(n) >= 0 {
			continue
		}
		var r scalar.Scalar
		r.SetBytes((*[32]byte)(x.FillBytes(make([]byte, 32))))
		sum := new(big.Int).Add(x, n)
		var got field.Element
		if ok := AddOrder(&got, &r); ok != (sum.Cmp(p) < 0) {
			t.Errorf("AddOrder(%x) = %v", x, ok)
		} else if ok {
			var b [32]byte
			if got.PutBytes(&b); new(big.Int).SetBytes(b[:]).Cmp(sum) != 0 {
				t.Errorf("%x + n = %x, want %x", x, b, sum)
			}
		}
	}
}

// TestEqualXModN checks that EqualXModN returns true exactly for r = x mod n, for points with an x
// coordinate around 0 and around n. If x is n or more, r is x − n.
func TestEqualXModN(t *testing.T) {
	c, n := reference.Secp256k1(), reference.N()
	near := 0
	for d := int64(-30); d < 60; d++ {
		for _, x := range []*big.Int{new(big.Int).Add(n, big.NewInt(d)), big.NewInt(d)} {
			P, ok := c.LiftX(x, d%2 == 0)
			if x.Sign() < 0 || !ok {
				continue
			}
			j := jacobian(P, big.NewInt(12345))
			for e := int64(-1); e <= 1; e++ {
				r := new(big.Int).Mod(new(big.Int).Add(x, big.NewInt(e)), n)
				var s scalar.Scalar
				s.SetBytes((*[32]byte)(r.FillBytes(make([]byte, 32))))
				if got, want := EqualXModN(j, &s), new(big.Int).Mod(x, n).Cmp(r) == 0; got != want {
					t.Errorf("x = %x, r = %x: %v, want %v", x, r, got, want)
				} else if got && x.Cmp(n) >= 0 {
					near++
				}
			}
			if EqualXModN(new(point.Jacobian).SetInfinity(), new(scalar.Scalar)) {
				t.Error("infinity has an x coordinate")
			}
		}
	}
	if near < 10 {
		t.Errorf("%d points with x ≥ n", near)
	}
}

// TestEvenWithX checks that EvenWithX returns true exactly for the point with an even y and its own
// x. It tries both points of every x, with denominators of both parities, and passes x itself, its
// neighbours and the y coordinate. For infinity the result must be false for any X and Y.
func TestEvenWithX(t *testing.T) {
	c, p := reference.Secp256k1(), reference.P()
	candidates := reference.EdgeInts()
	for d := int64(-40); d < 40; d++ {
		for _, edge := range []*big.Int{new(big.Int), reference.N(), reference.Gx()} {
			candidates = append(candidates, edge.Add(edge, big.NewInt(d)))
		}
	}
	var even, odd int
	for _, x := range candidates {
		for _, wantOdd := range []bool{false, true} {
			if x.Sign() < 0 || x.Cmp(p) >= 0 {
				continue
			}
			P, ok := c.LiftX(x, wantOdd)
			if !ok {
				continue
			}
			for _, z := range []*big.Int{
				big.NewInt(1), big.NewInt(12345), new(big.Int).Sub(p, big.NewInt(1)), P.Y,
			} {
				j := jacobian(P, z)
				for _, asked := range []*big.Int{
					x, new(big.Int).Add(x, big.NewInt(1)), new(big.Int).Sub(x, big.NewInt(1)),
					new(big.Int).Sub(p, x), P.Y, new(big.Int),
				} {
					want := new(big.Int).Mod(asked, p).Cmp(P.X) == 0 && P.Y.Bit(0) == 0
					for _, a := range elements(asked) {
						if got := EvenWithX(j, a); got != want {
							t.Errorf("(%x, %x), Z = %x, x = %x: %v", P.X, P.Y, z, asked, got)
						}
					}
					if want {
						even++
					} else if asked == x {
						odd++
					}
				}
			}
		}
	}
	if even < 100 || odd < 100 {
		t.Errorf("%d points with an even y, %d with an odd one", even, odd)
	}
	for _, x := range []*big.Int{new(big.Int), big.NewInt(1), reference.Gx()} {
		for _, a := range elements(x) {
			if EvenWithX(new(point.Jacobian).SetInfinity(), a) || EvenWithX(new(point.Jacobian), a) ||
				EvenWithX(&point.Jacobian{X: *a, Y: *a}, a) {
				t.Errorf("infinity has the x coordinate %x", x)
			}
		}
	}
}

// jacobian returns P in Jacobian coordinates with the denominator z.
func jacobian(P reference.Point, z *big.Int) *point.Jacobian {
	p := reference.P()
	times := func(x *big.Int, power int64) field.Element {
		f := new(big.Int).Exp(z, big.NewInt(power), p)
		return *elements(f.Mul(f, x))[0]
	}
	return &point.Jacobian{X: times(P.X, 2), Y: times(P.Y, 3), Z: times(big.NewInt(1), 1)}
}

// elements returns the element x and, if it exists, the other representation of x modulo p that is
// below 2^256.
func elements(x *big.Int) (all []*field.Element) {
	for v := new(big.Int).Mod(x, reference.P()); v.BitLen() <= 256; v = v.Add(v, reference.P()) {
		var l [4]uint64
		for k := range l {
			l[k] = new(big.Int).Rsh(v, uint(64*k)).Uint64()
		}
		all = append(all, new(field.Element).SetLimbs(l[0], l[1], l[2], l[3]))
	}
	return all
}
