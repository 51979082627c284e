//go:build !purego

package lanes

import (
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// The seam on amd64: with AVX-512 IFMA the kernels of kernels_amd64.s, without it
// the portable twin.

// useKernels returns whether the CPU has all that the kernels use.
func useKernels() bool { return cpu.Has(cpu.Lanes) }

// Available returns whether the CPU has the instructions that make lanes fast.
func Available() bool { return useKernels() }

func mul(v, a, b *Element) {
	if useKernels() {
		mulIFMA(v, a, b)
		return
	}
	mulGeneric(v, a, b)
}

func squareN(v, a *Element, n int) {
	if useKernels() {
		squareNIFMA(v, a, n)
		return
	}
	squareNGeneric(v, a, n)
}

func squareNPair(v, a *[2]Element, n int) {
	if useKernels() {
		squareNPairIFMA(v, a, n)
		return
	}
	squareNPairGeneric(v, a, n)
}

func mulAdd(v, a, b, c, d *Element) {
	if useKernels() {
		mulAddIFMA(v, a, b, c, d)
		return
	}
	mulAddGeneric(v, a, b, c, d)
}

func add(v, a, b *Element) {
	if useKernels() {
		addIFMA(v, a, b)
		return
	}
	addGeneric(v, a, b)
}

func sub(v, a, b *Element) {
	if useKernels() {
		subIFMA(v, a, b)
		return
	}
	subGeneric(v, a, b)
}

func mulSmall(v, a *Element, k uint64) {
	if useKernels() {
		mulSmallIFMA(v, a, k)
		return
	}
	mulSmallGeneric(v, a, k)
}

func normalize(v, a *Element) {
	if useKernels() {
		normalizeIFMA(v, a)
		return
	}
	normalizeGeneric(v, a)
}

func selectLanes(v *Element, m Mask, a, b *Element) {
	if useKernels() {
		selectIFMA(v, m, a, b)
		return
	}
	selectLanesGeneric(v, m, a, b)
}

func condNeg(v *Element, m Mask, a *Element) {
	if useKernels() {
		condNegIFMA(v, m, a)
		return
	}
	condNegGeneric(v, m, a)
}

func doubleN(p, q *Jacobian, n int) {
	if useKernels() {
		doubleNIFMA(p, q, n)
		return
	}
	doubleNGeneric(p, q, n)
}

func addMixed(p, q *Jacobian, a *Affine) {
	if useKernels() {
		addMixedIFMA(p, q, a)
		return
	}
	addMixedGeneric(p, q, a)
}

func addJacobian(p, q, r *Jacobian) {
	if useKernels() {
		addJacobianIFMA(p, q, r)
		return
	}
	addJacobianGeneric(p, q, r)
}

func addAffine(p, a, b *Affine, inv *Element) {
	if useKernels() {
		addAffineIFMA(p, a, b, inv)
		return
	}
	addAffineGeneric(p, a, b, inv)
}

func addCoZ(p *CoZ, q, d *Affine) {
	if useKernels() {
		addCoZIFMA(p, q, d)
		return
	}
	addCoZGeneric(p, q, d)
}

func unpack(p *Affine, rows *[Width][8]uint64) {
	if useKernels() {
		unpackIFMA(p, rows)
		return
	}
	unpackGeneric(p, rows)
}

func pack(rows *[Width][8]uint64, p *Affine) {
	if useKernels() {
		packIFMA(rows, p)
		return
	}
	packGeneric(rows, p)
}

func mulScalar(v, a, b *Scalar) {
	if useKernels() {
		mulScalarIFMA(v, a, b)
		return
	}
	mulScalarGeneric(v, a, b)
}

func isZero(a *Element) Mask {
	if useKernels() {
		return isZeroIFMA(a)
	}
	return isZeroGeneric(a)
}

// A scalar is four 64-bit limbs, so that two are a row.
var _ [8 * Width]uint64 = [unsafe.Sizeof([twice]scalar.Scalar{}) / 8]uint64{}

func unpackScalars(p *Affine, s *[twice]scalar.Scalar) {
	if useKernels() {
		unpackIFMA(p, (*[Width][8]uint64)(unsafe.Pointer(s)))
		return
	}
	unpackScalarsGeneric(p, s)
}

// packScalars makes use of that what is canonical modulo n is so modulo p.
func packScalars(s *[twice]scalar.Scalar, p *Affine) {
	if useKernels() {
		packIFMA((*[Width][8]uint64)(unsafe.Pointer(s)), p)
		return
	}
	packScalarsGeneric(s, p)
}

func splitOdd(b1, b2 *[3]Vector, k *[Width]scalar.Scalar, l uint) {
	if useKernels() {
		splitOddIFMA(b1, b2, (*[Width][4]uint64)(unsafe.Pointer(k)), 1<<((l-129)&63))
		return
	}
	splitOddGeneric(b1, b2, k, l)
}
