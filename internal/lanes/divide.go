package lanes

import "github.com/koblitz-go/koblitz/internal/scalar"

// DivideScratch returns how many Scalars [DivideScalars] needs for n rows.
func DivideScratch(n int) int { return 2 * ((n + Width - 1) / Width) }

// DivideScalars replaces every a[i] by a[i]/s[i] and every b[i] by b[i]/s[i], and
// both by 0 where s[i] is 0, with five multiplications a row and one inversion in
// all. The lengths are the same. scratch is overwritten, and needs
// [DivideScratch] of that length. The time depends on the length alone.
func DivideScalars(a, b, s []scalar.Scalar, scratch []Scalar) {
	n := len(s)
	groups := (n + Width - 1) / Width
	inverse := scratch[:groups]
	var p Affine
	var rows [Width][8]uint64
	for g := 0; g < groups; g += 2 {
		// Two groups at a time, as x and y of points. What a group lacks is left
		// from the one before, and is no one's.
		first := s[g*Width:]
		for j := range first[:min(len(first), Width)] {
			setHalf(&rows[j], 0, &first[j])
		}
		second := first[min(len(first), Width):]
		for j := range second[:min(len(second), Width)] {
			setHalf(&rows[j], 4, &second[j])
		}
		p.Unpack(&rows)
		inverse[g] = Scalar(p.X)
		if g+1 < groups {
			inverse[g+1] = Scalar(p.Y)
		}
	}
	BatchInvertScalars(inverse, scratch[groups:2*groups])
	for g := range inverse {
		x, y := a[g*Width:min(n, (g+1)*Width)], b[g*Width:min(n, (g+1)*Width)]
		for j := range x {
			setHalf(&rows[j], 0, &x[j])
			setHalf(&rows[j], 4, &y[j])
		}
		p.Unpack(&rows)
		(*Scalar)(&p.X).Mul((*Scalar)(&p.X), &inverse[g])
		(*Scalar)(&p.Y).Mul((*Scalar)(&p.Y), &inverse[g])
		p.Pack(&rows) // canonical modulo n is canonical modulo p
		for j := range x {
			x[j].SetLimbs((*[4]uint64)(rows[j][:4]))
			y[j].SetLimbs((*[4]uint64)(rows[j][4:]))
		}
	}
}

// setHalf sets four words of a row from at on.
func setHalf(row *[8]uint64, at int, s *scalar.Scalar) {
	*(*[4]uint64)(row[at:]) = s.Limbs()
}
