package peer

import (
	"fmt"

	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

func element(b []byte) (e field.Element) {
	e.SetBytes((*[32]byte)(b))
	return e
}

func scalarOf(b []byte) (s scalar.Scalar) {
	s.SetBytes((*[32]byte)(b))
	return s
}

func affineOf(b []byte) (a point.Affine) {
	a.X, a.Y = element(b[:32]), element(b[32:])
	return a
}

func encode(e *field.Element) []byte {
	var b [32]byte
	e.PutBytes(&b)
	return b[:]
}

func encodeScalar(s *scalar.Scalar) []byte {
	var b [32]byte
	s.PutBytes(&b)
	return b[:]
}

// compress returns the 33-byte encoding of p, or nil if p is infinity.
func compress(p *point.Jacobian) []byte {
	var a point.Affine
	if !a.SetJacobianVartime(p) {
		return nil
	}
	b := []byte{2}
	if a.Y.IsOdd().Bool() {
		b[0] = 3
	}
	return append(b, encode(&a.X)...)
}

// pointOf returns the public key of a row.
func pointOf(r *Row) point.Affine { return affineOf(r.public.UncompressedBytes()[1:]) }

func jacobian(a point.Affine) (p point.Jacobian) {
	p.SetAffine(&a)
	return p
}

// koblitzArithmetic adds to d koblitz's operations on numbers and points.
func koblitzArithmetic(in *Inputs, d map[string]Driver) {
	a, b := each(in.A, element), each(in.B, element)
	sa, sb, pts := each(in.A, scalarOf), each(in.B, scalarOf), each(in.rows, pointOf)
	chain(d, "field-mul", a, encode, func(x *field.Element, row, n int) {
		for i := range n {
			x.Mul(x, &b[(row+i)%Rows])
		}
	})
	chain(d, "field-mul-independent", a, encode, func(x *field.Element, row, n int) {
		y, z, w := a[1], a[2], a[3]
		for i := 0; i < n; i += 4 {
			c := &b[(row+i)%Rows]
			x.Mul(x, c)
			y.Mul(&y, c)
			z.Mul(&z, c)
			w.Mul(&w, c)
		}
	})
	chain(d, "field-square", a, encode, func(x *field.Element, _, n int) {
		for range n {
			x.Square(x)
		}
	})
	chain(d, "field-add", a, encode, func(x *field.Element, row, n int) {
		for i := range n {
			x.Add(x, &b[(row+i)%Rows])
		}
	})
	chain(d, "scalar-mul", sa, encodeScalar, func(x *scalar.Scalar, row, n int) {
		for i := range n {
			x.Mul(x, &sb[(row+i)%Rows])
		}
	})
	chain(d, "point-double", each(pts, jacobian), compress, func(p *point.Jacobian, _, n int) {
		for range n {
			p.Double(p)
		}
	})

	var e field.Element
	d["field-inv"] = stores(func(i int) { e.Invert(&a[i]) },
		func() []byte { return encode(&e) })
	var s scalar.Scalar
	d["scalar-inv"] = stores(func(i int) { s.Invert(&sa[i]) },
		func() []byte { return encodeScalar(&s) })
	var p point.Jacobian
	result := func() []byte { return compress(&p) }
	d["point-mul-ct"] = stores(func(i int) { ecmult.ScalarMult(&p, &sa[i], &pts[i]) },
		result)
	d["base-mul-ct"] = stores(func(i int) { ecmult.ScalarBaseMult(&p, &sa[i]) }, result)
	d["double-mul"] = stores(func(i int) {
		vartime.DoubleScalarMult(&p, &sa[i], &sb[i], &pts[i])
	}, result)
}

// sums adds to d the drivers for the sums of all sizes. The function sum returns the sum of the
// first n terms, and encode returns a sum in 33 bytes.
func sums[T any](in *Inputs, d map[string]Driver, sum func(n int) T, encode func(T) []byte) {
	for _, n := range in.sizes(Sums) {
		d[fmt.Sprintf("%s-%d", Sums, n)] = Driver{
			Do:  func(int) { sum(n) },
			Out: func(int) []byte { return encode(sum(n)) },
		}
	}
}
