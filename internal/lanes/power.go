package lanes

// Sqrt sets v = a^((p+1)/4), and returns the mask of the lanes where a is a square. In these lanes
// v is the root of a that is itself a square. The root of 0 is 0. See [field.Element.Sqrt].
func (v *Element) Sqrt(a *Element) Mask {
	var g, root, t [1]Element
	g[0] = *a
	sqrtChain(root[:], g[:])
	t[0].Square(&root[0])
	ok := t[0].Equal(&g[0])
	*v = root[0]
	return ok
}

// SqrtPair sets v[i] to the root of a[i], as Sqrt does, for i = 0 and 1. Together, the sixteen
// lanes take little more time than eight.
func SqrtPair(v, a *[2]Element) [2]Mask {
	var root, t [2]Element
	g := *a
	sqrtChain(root[:], g[:])
	SquareNPair(&t, &root, 1)
	ok := [2]Mask{t[0].Equal(&g[0]), t[1].Equal(&g[1])}
	*v = root
	return ok
}

// Invert sets v = 1/a = a^(p−2), and v = 0 in the lanes where a ≡ 0. For many elements
// [BatchInvert] is faster.
func (v *Element) Invert(a *Element) {
	var g, w [1]Element
	g[0] = *a
	invertChain(w[:], g[:])
	*v = w[0]
}

// runs holds powers of an element x: xN is x^(2^N − 1), whose exponent is N ones in binary, so
// x(M+N) = xM^(2^N)·xN.
type runs struct {
	x2, x3, x22, x44, x88, t group
}

// A group is one Element, or two Elements for the kernels that process pairs.
type group []Element

func (v group) mul(a, b group) {
	for i := range v {
		mul(&v[i], &a[i], &b[i])
	}
}

func (v group) squareN(a group, n int) {
	if len(v) == 2 {
		squareNPair((*[2]Element)(v), (*[2]Element)(a), n)
		return
	}
	squareN(&v[0], &a[0], n)
}

// set computes the powers that the square root and the inverse have in common, and x223 in t, by
// this chain of N:
//
//	1 2 3 6 9 11 22 44 88 176 220 223
func (r *runs) set(x group) {
	r.x2.squareN(x, 1)
	r.x2.mul(r.x2, x)
	r.x3.squareN(r.x2, 1)
	r.x3.mul(r.x3, x)
	r.t.squareN(r.x3, 3)
	r.t.mul(r.t, r.x3) // x6
	r.t.squareN(r.t, 3)
	r.t.mul(r.t, r.x3) // x9
	r.t.squareN(r.t, 2)
	r.t.mul(r.t, r.x2) // x11
	r.x22.squareN(r.t, 11)
	r.x22.mul(r.x22, r.t)
	r.x44.squareN(r.x22, 22)
	r.x44.mul(r.x44, r.x22)
	r.x88.squareN(r.x44, 44)
	r.x88.mul(r.x88, r.x44)
	r.t.squareN(r.x88, 88)
	r.t.mul(r.t, r.x88) // x176
	r.t.squareN(r.t, 44)
	r.t.mul(r.t, r.x44) // x220
	r.t.squareN(r.t, 3)
	r.t.mul(r.t, r.x3) // x223
}

// sqrtChain sets v = x^((p+1)/4), in 253 squares and 13 multiplications. The
// exponent 2^254 − 2^30 − 244 is in binary
//
//	223 ones, 0, 22 ones, 0000, 11, 00
func sqrtChain(v, x group) {
	var memory [6][2]Element
	r := cut(&memory, len(x))
	r.set(x)
	v.squareN(r.t, 23)
	v.mul(v, r.x22)
	v.squareN(v, 6)
	v.mul(v, r.x2)
	v.squareN(v, 2)
}

// invertChain sets v = x^(p−2), in 255 squares and 15 multiplications. The
// exponent 2^256 − 2^32 − 979 is in binary
//
//	223 ones, 0, 22 ones, 00001, 011, 01
func invertChain(v, x group) {
	var memory [6][2]Element
	r := cut(&memory, len(x))
	r.set(x)
	v.squareN(r.t, 23)
	v.mul(v, r.x22)
	v.squareN(v, 5)
	v.mul(v, x)
	v.squareN(v, 3)
	v.mul(v, r.x2)
	v.squareN(v, 2)
	v.mul(v, x)
}

// cut returns runs for groups of n elements, in the given memory.
func cut(memory *[6][2]Element, n int) runs {
	return runs{
		memory[0][:n], memory[1][:n], memory[2][:n],
		memory[3][:n], memory[4][:n], memory[5][:n],
	}
}
