package eisenstein

import "testing"

// An eisenstein is the number a + b·ω, where ω² + ω + 1 = 0.
type eisenstein struct{ a, b int }

func (x eisenstein) plus(y eisenstein) eisenstein { return eisenstein{x.a + y.a, x.b + y.b} }

// timesUnit returns x·ω^power, or its opposite if negate is set.
func (x eisenstein) timesUnit(power int, negate bool) eisenstein {
	for range power {
		x = eisenstein{-x.b, x.a - x.b}
	}
	if negate {
		x = eisenstein{-x.a, -x.b}
	}
	return x
}

func (x eisenstein) norm() int { return x.a*x.a - x.a*x.b + x.b*x.b }

// tableEntries returns the multiples of P that a table holds, as factors of P.
func tableEntries() [MaxEntries]eisenstein {
	out := [MaxEntries]eisenstein{{1, 0}, {2, 0}}
	d := eisenstein{1, 0}
	for i, step := range Steps() {
		if i >= 2 {
			d = d.timesUnit(step.Power, step.Negate)
			out[i] = out[i-1].plus(d)
		}
	}
	return out
}

// value returns the number that d represents.
func (d digit) value() eisenstein {
	if d&digitSome == 0 {
		return eisenstein{}
	}
	power := 0
	if d&digitSecond != 0 {
		power = 1 + int(d&digitHalf/digitHalf)
	}
	return tableEntries()[d/entrySize].timesUnit(power, d&digitNegative != 0)
}

// TestDigits checks that every digit plus its carries equals its index, and that no element of
// its residue class has a smaller norm.
func TestDigits(t *testing.T) {
	for width := 2; width <= 3; width++ {
		table := digitsOf(width)
		radix := 1 << width
		for a := range radix + 1 {
			for b := range radix + 1 {
				d := table[a*digitStride+b]
				v := d.value()
				carry := int(d & digitCarry)
				if (v != eisenstein{a - carry/digitStride*radix, b - carry%digitStride*radix}) {
					t.Errorf("%d bits: the digit of %d + %d·ω is %v and carries %d",
						width, a, b, v, carry)
				}
				for x := -1; x <= 2; x++ {
					for y := -1; y <= 2; y++ {
						other := eisenstein{a - x*radix, b - y*radix}
						if other.norm() < v.norm() {
							t.Errorf("%d bits: %v is less than %v", width, other, v)
						}
					}
				}
				if int(d/entrySize) >= Entries(width) {
					t.Errorf("%d bits: entry %d", width, d/entrySize)
				}
			}
		}
	}
}
