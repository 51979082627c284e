package lanes

import "github.com/koblitz-go/koblitz/internal/scalar"

// twice is the number of scalars that fit in an Affine: scalar 2·j takes the place of x in lane j,
// and scalar 2·j + 1 that of y. In memory, two consecutive scalars have the format of one point of
// a Packed.
const twice = 2 * Width

// DivideScratch returns the length of scratch that [DivideScalars] needs for n rows.
//
//ct:public takes a number of rows
func DivideScratch(n int) int { return 4 * ((n + twice - 1) / twice) }

// DivideScalars replaces every a[i] by a[i]/s[i] and every b[i] by b[i]/s[i], or both by 0 if s[i]
// is 0. It takes one inversion, and five multiplications per row. a, b and s must have the same
// length n, and scratch the length DivideScratch(n); it is overwritten. The time depends only on n.
func DivideScalars(a, b, s []scalar.Scalar, scratch []Scalar) {
	blocks := (len(s) + twice - 1) / twice
	inverse := scratch[:2*blocks]
	var p Affine
	var padded [twice]scalar.Scalar
	for i := range blocks {
		unpackScalars(&p, whole(s[i*twice:], &padded))
		inverse[2*i], inverse[2*i+1] = Scalar(p.X), Scalar(p.Y)
	}
	BatchInvertScalars(inverse, scratch[2*blocks:])
	for i := range blocks {
		p = Affine{Element(inverse[2*i]), Element(inverse[2*i+1])}
		mulBlock(a[i*twice:], &p)
		mulBlock(b[i*twice:], &p)
	}
}

// MulScalars replaces every v[i] by v[i]·k[i]. The lengths must be equal; the time
// depends only on them.
func MulScalars(v, k []scalar.Scalar) {
	if !Available() {
		//ct:secret k[0].IsOdd().Bool()
		for i := range v {
			v[i].Mul(&v[i], &k[i])
		}
		return
	}
	var p Affine //ct:unrun-portable for AVX-512, which the other build has
	var padded [twice]scalar.Scalar
	//ct:unrun-portable for AVX-512, which the other build has
	for i := 0; i < len(v); i += twice {
		unpackScalars(&p, whole(k[i:], &padded))
		mulBlock(v[i:], &p)
	}
}

// mulBlock multiplies the first scalars of v by the scalars in p. p holds 16 scalars, or as many as
// v has if v is shorter.
func mulBlock(v []scalar.Scalar, p *Affine) {
	var q Affine
	var padded [twice]scalar.Scalar
	here := whole(v, &padded)
	unpackScalars(&q, here)
	(*Scalar)(&q.X).Mul((*Scalar)(&q.X), (*Scalar)(&p.X))
	(*Scalar)(&q.Y).Mul((*Scalar)(&q.Y), (*Scalar)(&p.Y))
	packScalars(here, &q)
	if here == &padded {
		copy(v, padded[:])
	}
}

// whole returns the first scalars of v as an array. If v is shorter than the array, whole copies it
// into padded and returns padded, whose other elements hold old values; callers ignore the results
// for those.
func whole(v []scalar.Scalar, padded *[twice]scalar.Scalar) *[twice]scalar.Scalar {
	if len(v) >= twice {
		return (*[twice]scalar.Scalar)(v)
	}
	copy(padded[:], v)
	return padded
}

func unpackScalarsGeneric(p *Affine, rows *[twice]scalar.Scalar) {
	for j := range Width {
		(*Scalar)(&p.X).SetLane(j, &rows[2*j])
		(*Scalar)(&p.Y).SetLane(j, &rows[2*j+1])
	}
}

func packScalarsGeneric(rows *[twice]scalar.Scalar, p *Affine) {
	for j := range Width {
		(*Scalar)(&p.X).Lane(j, &rows[2*j])
		(*Scalar)(&p.Y).Lane(j, &rows[2*j+1])
	}
}
