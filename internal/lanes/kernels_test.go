package lanes

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A kernelMemory holds arguments and results of kernels, each in memory of its own.
type kernelMemory struct {
	A, B   *Element
	Pair   *[2]Element
	P, Q   *Jacobian
	F, G   *Affine
	K, L   *Scalar
	Points *[Width][PointWords]uint64
	Halves *[Width]scalar.Scalar
	N      *int
	M      *Mask

	Element *Element
	Squares *[2]Element
	Point   *Jacobian
	Affine  *Affine
	CoZ     *CoZ
	Scalar  *Scalar
	Packed  *[Width][PointWords]uint64
	B1, B2  *[3]Vector
	Zero    *Mask
}

// newKernelMemory returns two memories, with the random arguments that fill sets.
func newKernelMemory(t testing.TB) [2]kernelMemory {
	r, all := reference.Rand(t), cputest.Fields[kernelMemory](t)
	for i := range all {
		all[i].fill(r, func() Element { return randomElement(r) })
	}
	return all
}

// fill sets the arguments to random values. It takes field elements from the function element.
func (x *kernelMemory) fill(r *rand.Rand, element func() Element) {
	*x.A, *x.B = element(), element()
	*x.Pair = [2]Element{element(), element()}
	*x.P, *x.Q = Jacobian{element(), element(), element()}, Jacobian{element(), element(), element()}
	*x.F, *x.G = Affine{element(), element()}, Affine{element(), element()}
	*x.K, _ = randomScalar(r)
	*x.L, _ = randomScalar(r)
	for j := range x.Points {
		for k := range x.Points[j] {
			x.Points[j][k] = r.Uint64() | -uint64(r.IntN(2))
		}
		x.Halves[j].SetLimbs(&[4]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()})
	}
	*x.N, *x.M = r.IntN(17), maskOf(r.Int())
}

// elements returns the field elements that are results.
func (x *kernelMemory) elements() []*Element {
	return []*Element{
		x.Element, &x.Squares[0], &x.Squares[1], &x.Point.X, &x.Point.Y, &x.Point.Z, &x.Affine.X,
		&x.Affine.Y, &x.CoZ.Sum.X, &x.CoZ.Sum.Y, &x.CoZ.Addend.X, &x.CoZ.Addend.Y, &x.CoZ.Ratio,
	}
}

// kernels lists all kernels, and the portable version of each.
//
// If a quotient of a split is near an integer, the kernel and the portable version may round it
// differently. Random scalars do not have such quotients.
var kernels = []struct {
	name         string
	run, generic func(x *kernelMemory)
}{
	{"mul", func(x *kernelMemory) { mul(x.Element, x.A, x.B) },
		func(x *kernelMemory) { mulGeneric(x.Element, x.A, x.B) }},
	{"squareN", func(x *kernelMemory) { squareN(x.Element, x.A, 1+*x.N%4) },
		func(x *kernelMemory) { squareNGeneric(x.Element, x.A, 1+*x.N%4) }},
	{"squareNPair", func(x *kernelMemory) { squareNPair(x.Squares, x.Pair, 1+*x.N%4) },
		func(x *kernelMemory) { squareNPairGeneric(x.Squares, x.Pair, 1+*x.N%4) }},
	{"add", func(x *kernelMemory) { add(x.Element, x.A, x.B) },
		func(x *kernelMemory) { addGeneric(x.Element, x.A, x.B) }},
	{"sub", func(x *kernelMemory) { sub(x.Element, x.A, x.B) },
		func(x *kernelMemory) { subGeneric(x.Element, x.A, x.B) }},
	{"mulSmall", func(x *kernelMemory) { mulSmall(x.Element, x.A, uint64(*x.N)) },
		func(x *kernelMemory) { mulSmallGeneric(x.Element, x.A, uint64(*x.N)) }},
	{"normalize", func(x *kernelMemory) { normalize(x.Element, x.A) },
		func(x *kernelMemory) { normalizeGeneric(x.Element, x.A) }},
	{"isZero", func(x *kernelMemory) { *x.Zero = isZero(x.A) },
		func(x *kernelMemory) { *x.Zero = isZeroGeneric(x.A) }},
	{"selectLanes", func(x *kernelMemory) { selectLanes(x.Element, *x.M, x.A, x.B) },
		func(x *kernelMemory) { selectLanesGeneric(x.Element, *x.M, x.A, x.B) }},
	{"condNeg", func(x *kernelMemory) { condNeg(x.Element, *x.M, x.A) },
		func(x *kernelMemory) { condNegGeneric(x.Element, *x.M, x.A) }},
	{"unpack", func(x *kernelMemory) { unpack(x.Affine, x.Points) },
		func(x *kernelMemory) { unpackGeneric(x.Affine, x.Points) }},
	{"pack", func(x *kernelMemory) { pack(x.Packed, x.F) },
		func(x *kernelMemory) { packGeneric(x.Packed, x.F) }},
	{"mulScalar", func(x *kernelMemory) { mulScalar(x.Scalar, x.K, x.L) },
		func(x *kernelMemory) { mulScalarGeneric(x.Scalar, x.K, x.L) }},
	{"doubleN", func(x *kernelMemory) { doubleN(x.Point, x.P, 1+*x.N%4) },
		func(x *kernelMemory) { doubleNGeneric(x.Point, x.P, 1+*x.N%4) }},
	{"addMixed", func(x *kernelMemory) { addMixed(x.Point, x.P, x.F) },
		func(x *kernelMemory) { addMixedGeneric(x.Point, x.P, x.F) }},
	{"addJacobian", func(x *kernelMemory) { addJacobian(x.Point, x.P, x.Q) },
		func(x *kernelMemory) { addJacobianGeneric(x.Point, x.P, x.Q) }},
	{"addAffine", func(x *kernelMemory) { addAffine(x.Affine, x.F, x.G, x.B) },
		func(x *kernelMemory) { addAffineGeneric(x.Affine, x.F, x.G, x.B) }},
	{"addCoZ", func(x *kernelMemory) { addCoZ(x.CoZ, x.F, x.G) },
		func(x *kernelMemory) { addCoZGeneric(x.CoZ, x.F, x.G) }},
	{"splitOdd", func(x *kernelMemory) { splitOdd(x.B1, x.B2, x.Halves, 1<<(3**x.N)) },
		func(x *kernelMemory) { splitOddGeneric(x.B1, x.B2, x.Halves, 1<<(3**x.N)) }},
}

// TestLevelsAgree checks that the kernels and the portable version return reduced limbs that
// represent the same residues, on limbs of every kind, and do not change their arguments. The
// arguments and the results are next to pages that cannot be accessed.
func TestLevelsAgree(t *testing.T) {
	cputest.Run(t, testLevelsAgree, cputest.AllLanes()...)
}

func testLevelsAgree(t *testing.T) {
	r := reference.Rand(t)
	all := shapes()
	pick := func() Element {
		return elementOf(func(int) limbs {
			if r.IntN(2) == 0 {
				return all[r.IntN(len(all))]
			}
			return randomLimbs(r)
		})
	}
	memory := newKernelMemory(t)
	for i := range cputest.Cases(500, 10000) {
		got := memory[i%2]
		got.fill(r, pick)
		want := cputest.Copy(got)
		for _, k := range kernels {
			k.run(&got)
			k.generic(&want)
			for i, w := range want.elements() {
				g := got.elements()[i]
				if !isReduced(g) {
					t.Fatalf("%s: %x is not reduced", k.name, *g)
				}
				normalizeGeneric(g, g)
				if normalizeGeneric(w, w); *g != *w {
					t.Fatalf("%s: %x, want %x", k.name, *g, *w)
				}
			}
		}
		// Each of the other results is of one kernel.
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("an argument has changed, or another result is not right: %+v, want %+v", got, want)
		}
	}
}
