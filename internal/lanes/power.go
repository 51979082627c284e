package lanes

// SqrtPair sets v[i] = a[i]^((p+1)/4) for i = 0 and 1, and returns the masks of the lanes where
// a[i] is a square. In these lanes v[i] is the root of a[i] that is itself a square. The root of 0
// is 0. See [field.Element.Sqrt]. Sixteen lanes together take little more time than eight.
//
// The exponent 2^254 − 2^30 − 244 is in binary
//
//	223 ones, 0, 22 ones, 0000, 11, 00
//
// The chain takes 253 squares and 13 multiplications.
func SqrtPair(v, a *[2]Element) [2]Mask {
	x := *a
	var x2, t [2]Element
	ones(&t, &x2, &x)
	squaresMul(&t, &t, 6, &x2)
	squareNPair(v, &t, 2)

	squareNPair(&t, v, 1)
	return [2]Mask{t[0].Equal(&x[0]), t[1].Equal(&x[1])}
}

// SqrtRatioPair sets v[i] to a square root of u[i]/w[i] for i = 0 and 1, in the lanes where this is
// a square, and returns the masks of these lanes. In the other lanes it sets v[i] to a root of
// −u[i]/w[i]. No lane of w[i] may be 0. v must not be u or w. See [field.Element.SqrtRatio].
func SqrtRatioPair(v, u, w *[2]Element) (squares [2]Mask) {
	var uw, x, x2, t [2]Element
	for i := range v {
		uw[i].Mul(&u[i], &w[i])
		x[i].Square(&w[i])
		x[i].Mul(&x[i], &uw[i])
	}
	ones(&t, &x2, &x)
	squaresMul(&t, &t, 5, &x)
	squaresMul(&t, &t, 3, &x2)
	for i := range v {
		v[i].Mul(&t[i], &uw[i])
		t[i].Square(&v[i])
		t[i].Mul(&t[i], &w[i])
		squares[i] = t[i].Equal(&u[i])
	}
	return squares
}

// ones sets v to the power of x whose exponent in binary is 223 ones, 0 and 22 ones, and x2 to x³.
// v, x2 and x must not overlap, because v also holds intermediate powers. Four more are on the
// stack, and package secret has no room for many.
//
// Below, xN is the power of x whose exponent is N ones in binary, so that x(M+N) = xM^(2^N)·xN.
func ones(v, x2, x *[2]Element) {
	var x3, x22, x44, x88 [2]Element
	squaresMul(x2, x, 1, x)
	squaresMul(&x3, x2, 1, x)
	squaresMul(v, &x3, 3, &x3) // x6
	squaresMul(v, v, 3, &x3)   // x9
	squaresMul(v, v, 2, x2)    // x11
	squaresMul(&x22, v, 11, v)
	squaresMul(&x44, &x22, 22, &x22)
	squaresMul(&x88, &x44, 44, &x44)
	squaresMul(v, &x88, 88, &x88) // x176
	squaresMul(v, v, 44, &x44)    // x220
	squaresMul(v, v, 3, &x3)      // x223

	squaresMul(v, v, 23, &x22)
}

// squaresMul sets v = a^(2^n)·b for n ≥ 1. v must not be b.
//
// A chain of squares, each waiting for the previous one, leaves half of the multipliers idle. So
// two elements together, sixteen lanes, take little longer than one.
func squaresMul(v, a *[2]Element, n int, b *[2]Element) {
	squareNPair(v, a, n)
	mul(&v[0], &v[0], &b[0])
	mul(&v[1], &v[1], &b[1])
}
