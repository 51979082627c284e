package secp256k1

import (
	"math/big"
	"testing"
)

// multiple returns k·G in Jacobian coordinates with the given z.
func multiple(k, z uint16) (p JacobianPoint) {
	ScalarBaseMultNonConst(new(ModNScalar).SetInt(uint32(k)), &p)
	p.Z.SetInt(z)
	square := new(FieldVal).SquareVal(&p.Z)
	p.X.Mul(square).Normalize()
	p.Y.Mul(square.Mul(&p.Z)).Normalize()
	return p
}

// TestAddCoordinates checks that sums have the Z that the formulas of the replaced module give,
// because programs compare sums without converting them to affine coordinates.
func TestAddCoordinates(t *testing.T) {
	for _, z := range [][2]uint16{{1, 1}, {1, 5}, {5, 1}, {5, 5}, {5, 7}} {
		for _, k := range [][2]uint16{{2, 3}, {3, 2}, {200, 7}} {
			p, q := multiple(k[0], z[0]), multiple(k[1], z[1])
			var h, u, want FieldVal
			h.SquareVal(&p.Z).Mul(&q.X)
			u.SquareVal(&q.Z).Mul(&p.X).Normalize()
			h.Add(u.Negate(1))
			want.Mul2(&p.Z, &q.Z).Mul(&h).MulInt(2)
			if z[0] == z[1] && z[0] != 1 {
				h.Set(&p.X).Negate(1).Add(&q.X)
				want.Mul2(&p.Z, &h)
			}
			want.Normalize()

			var sum JacobianPoint
			AddNonConst(&p, &q, &sum)
			if sum.Z != want {
				t.Errorf("%v + %v over %v: Z = %v, want %v", k[0], k[1], z, sum.Z, want)
			}
			again := q
			AddNonConst(&p, &again, &again)
			if again != sum {
				t.Errorf("%v + %v over %v: another sum in place of a point", k[0], k[1], z)
			}
			sum.ToAffine()
			if sum != multiple(k[0]+k[1], 1) {
				t.Errorf("%v + %v over %v is another point", k[0], k[1], z)
			}
		}
		p, q := multiple(3, z[0]), multiple(3, z[1])
		var sum, twice JacobianPoint
		AddNonConst(&p, &q, &sum)
		DoubleNonConst(&p, &twice)
		if sum != twice {
			t.Errorf("3 + 3 over %v: %v, want the double of the first: %v", z, sum, twice)
		}
		q.Y.Negate(1).Normalize()
		AddNonConst(&p, &q, &sum)
		if sum != (JacobianPoint{}) {
			t.Errorf("3 − 3 over %v: %v, want zeros", z, sum)
		}
	}
}

func TestDoubleCoordinates(t *testing.T) {
	for _, z := range []uint16{1, 5} {
		p := multiple(3, z)
		var want FieldVal
		want.Mul2(&p.Y, &p.Z).MulInt(2).Normalize()
		DoubleNonConst(&p, &p)
		if p.Z != want {
			t.Errorf("over %d: Z = %v, want %v", z, p.Z, want)
		}
		p.ToAffine()
		if p != multiple(6, 1) {
			t.Errorf("over %d: another point", z)
		}
	}
}

// TestScalarBaseMultCoordinates checks that 1·G has Z = 1, because programs use its coordinates
// directly.
func TestScalarBaseMultCoordinates(t *testing.T) {
	var g, p JacobianPoint
	g.X.SetByteSlice(Params().Gx.Bytes())
	g.Y.SetByteSlice(Params().Gy.Bytes())
	g.Z.SetInt(1)
	ScalarBaseMultNonConst(new(ModNScalar).SetInt(1), &p)
	if p != g {
		t.Errorf("1·G = %v, want %v", p, g)
	}
	var byte31, byte0 [32]byte
	byte31[31], byte0[0] = 200, 3
	for _, b := range [][32]byte{byte31, byte0} {
		k := new(ModNScalar)
		k.SetBytes(&b)
		if ScalarBaseMultNonConst(k, &p); !p.Z.IsOne() {
			t.Errorf("%v·G has Z = %v, want 1", k, p.Z)
		}
	}
	ScalarBaseMultNonConst(new(ModNScalar), &p)
	if p != (JacobianPoint{}) {
		t.Errorf("0·G = %v, want zeros", p)
	}
}

// notNormalized returns p + v as a FieldVal that is not normalized. v must be less than 2³² + 977.
func notNormalized(v uint16) (f FieldVal) {
	minus := new(FieldVal).SetInt(1).Negate(1).Normalize().Bytes()
	number := new(big.Int).SetBytes(minus[:])
	number.Add(number, big.NewInt(int64(v)+1)).FillBytes(minus[:])
	f.SetBytes(minus)
	return f
}

// TestToAffineNotNormalized checks that ToAffine normalizes a Z of 1, so that the point can be
// compared with ==.
func TestToAffineNotNormalized(t *testing.T) {
	p := multiple(3, 1)
	want := p
	p.Z = notNormalized(1)
	if p.Z.IsOne() {
		t.Fatal("Z is normalized")
	}
	p.ToAffine()
	if p != want {
		t.Errorf("%v, want %v", p, want)
	}
}

// TestSquareRootNormalizes checks that SquareRootVal normalizes its argument.
func TestSquareRootNormalizes(t *testing.T) {
	for v := range uint16(10) {
		of := notNormalized(v)
		var root FieldVal
		root.SquareRootVal(&of)
		if want := new(FieldVal).SetInt(v); !of.Equals(want) {
			t.Errorf("p + %d became %x", v, *of.Bytes())
		}
	}
}
