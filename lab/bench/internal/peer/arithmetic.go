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

// squareOf returns the square of root, which is the same for both square roots of a number.
func squareOf(root []byte) []byte {
	e := element(root)
	return encode(e.Square(&e))
}

// koblitzArithmetic adds to d koblitz's operations on numbers and points.
func koblitzArithmetic(in *Inputs, d map[string]Driver) {
	a, b, squares := each(in.A, element), each(in.B, element), each(in.Squares, element)
	sa, sb, pts := each(in.A, scalarOf), each(in.B, scalarOf), each(in.rows, pointOf)
	numbers, scalars := chains(d, a, encode), chains(d, sa, encodeScalar)
	numbers("field-mul", func(x *field.Element, row, n int) {
		for i := range n {
			x.Mul(x, &b[(row+i)%Rows])
		}
	})
	numbers("field-mul-independent", func(x *field.Element, row, n int) {
		y, z, w := a[1], a[2], a[3]
		for i := 0; i < n; i += 4 {
			c := &b[(row+i)%Rows]
			x.Mul(x, c)
			y.Mul(&y, c)
			z.Mul(&z, c)
			w.Mul(&w, c)
		}
	})
	numbers("field-square", func(x *field.Element, _, n int) {
		for range n {
			x.Square(x)
		}
	})
	numbers("field-add", func(x *field.Element, row, n int) {
		for i := range n {
			x.Add(x, &b[(row+i)%Rows])
		}
	})
	numbers("field-sub", func(x *field.Element, row, n int) {
		for i := range n {
			x.Sub(x, &b[(row+i)%Rows])
		}
	})
	scalars("scalar-mul", func(x *scalar.Scalar, row, n int) {
		for i := range n {
			x.Mul(x, &sb[(row+i)%Rows])
		}
	})
	scalars("scalar-square", func(x *scalar.Scalar, _, n int) {
		for range n {
			x.Square(x)
		}
	})
	scalars("scalar-add", func(x *scalar.Scalar, row, n int) {
		for i := range n {
			x.Add(x, &sb[(row+i)%Rows])
		}
	})

	var fe field.Element
	one := func(id string, t Timing, do func(i int)) {
		d[id] = stores(t, do, func() []byte { return encode(&fe) })
	}
	one("field-inv", Constant, func(i int) { fe.Invert(&a[i]) })
	one("field-inv-var", Public, func(i int) { fe.InvertVartime(&a[i]) })
	d["field-sqrt"] = stores(Public, func(i int) { fe.Sqrt(&squares[i]) },
		func() []byte { return squareOf(encode(&fe)) })
	var sc scalar.Scalar
	oneScalar := func(id string, t Timing, do func(i int)) {
		d[id] = stores(t, do, func() []byte { return encodeScalar(&sc) })
	}
	oneScalar("scalar-inv", Constant, func(i int) { sc.Invert(&sa[i]) })
	oneScalar("scalar-inv-var", Public, func(i int) { sc.InvertVartime(&sa[i]) })
	inverses(d, "field", a, func(v []field.Element) func() {
		scratch := make([]field.Element, len(v))
		return func() { field.BatchInvertVartime(v, scratch) }
	}, encode)
	inverses(d, "scalar", sa, func(v []scalar.Scalar) func() {
		scratch := make([]scalar.Scalar, len(v))
		return func() { scalar.BatchInvertVartime(v, scratch) }
	}, encodeScalar)

	var r point.Jacobian
	mul := func(id string, t Timing, do func(i int)) {
		d[id] = stores(t, do, func() []byte { return compress(&r) })
	}
	mul("point-mul", Public, func(i int) { vartime.ScalarMult(&r, &sa[i], &pts[i]) })
	mul("point-mul-ct", Constant, func(i int) { ecmult.ScalarMult(&r, &sa[i], &pts[i]) })
	mul("base-mul", Public, func(i int) { vartime.ScalarBaseMult(&r, &sa[i]) })
	mul("base-mul-ct", Constant, func(i int) { ecmult.ScalarBaseMult(&r, &sa[i]) })
	mul("double-mul", Public, func(i int) { vartime.DoubleScalarMult(&r, &sa[i], &sb[i], &pts[i]) })
	chain(d, "point-double", func(row, n int) []byte {
		r.SetAffine(&pts[row])
		for range n {
			r.Double(&r)
		}
		return compress(&r)
	})
	chain(d, "point-add", func(row, n int) []byte {
		r.SetAffine(&pts[row])
		for i := range n {
			r.AddMixedVartime(&r, &pts[(row+1+i)%Rows])
		}
		return compress(&r)
	})
	jac := make([]point.Jacobian, Rows)
	for i := range jac {
		vartime.ScalarMult(&jac[i], &sa[i], &pts[i])
	}
	for _, n := range NormalizeSizes {
		dst := make([]point.Affine, n)
		d[fmt.Sprintf("normalize-%d", n)] = stores(Public, func(i int) {
			point.BatchToAffineVartime(dst, jac[min(i, Rows-n):][:n])
		}, func() []byte { return encode(&dst[n-1].X) })
	}
}

// chains returns a function that adds to d the driver for an operation that changes a number n
// times, beginning with the numbers a[row] and, if there is another operand, that of the same row.
func chains[E any](
	d map[string]Driver, a []E, encode func(*E) []byte,
) func(id string, loop func(x *E, row, n int)) {
	return func(id string, loop func(x *E, row, n int)) {
		chain(d, id, func(row, n int) []byte { x := a[row]; loop(&x, row, n); return encode(&x) })
	}
}

// inverses adds to d the drivers that invert many of the numbers a in one call. The function
// inverter returns a function that inverts all numbers of v.
func inverses[E any](
	d map[string]Driver, name string, a []E, inverter func(v []E) func(), encode func(*E) []byte,
) {
	for _, n := range InverseSizes {
		v := make([]E, n)
		fill := func(row int) {
			for i := range v {
				v[i] = a[(row+i)%Rows]
			}
		}
		fill(0)
		invert := inverter(v)
		d[fmt.Sprintf("%s-inv-batch-%d", name, n)] = Driver{
			Do:  func(int) { invert() },
			Out: func(i int) []byte { fill(i); invert(); return encode(&v[n-1]) },
		}
	}
}

// sumsOf adds to d the drivers for the sums of all sizes of a family. The function sum returns the
// sum of the first n terms, and encode returns a sum in 33 bytes.
func sumsOf[T any](
	in *Inputs, d map[string]Driver, family string, sum func(n int) T, encode func(T) []byte,
) {
	for _, n := range in.sizes(family) {
		d[fmt.Sprintf("%s-%d", family, n)] = once(Public, func() T { return sum(n) }, encode)
	}
}
