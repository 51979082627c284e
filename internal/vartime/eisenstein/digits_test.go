package eisenstein

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/lanes"
)

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

// TestCount proves for all scalars that nothing remains of their halves after the digits that Count
// returns. A digit d changes what remains of a half from r to (r − d)/2^width, an integer.
func TestCount(t *testing.T) {
	// Halves are below 0.636·2^128 (scalar.Split).
	full := new(big.Int).Lsh(big.NewInt(636), 128)
	full.Div(full, big.NewInt(1000))
	for width := 2; width <= 3; width++ {
		most := 0 // the largest part of a digit
		table := digitsOf(width)
		for _, d := range table {
			v := d.value()
			most = max(most, v.a, -v.a, v.b, -v.b)
		}
		rest, count := new(big.Int).Set(full), 0
		for ; rest.Sign() != 0; count++ {
			rest.Add(rest, big.NewInt(int64(most))).Rsh(rest, uint(width))
		}
		if count != Count(width) {
			t.Errorf("%d bits: %d digits, and Count says %d", width, count, Count(width))
		}
	}
	if MaxDigits != Count(3) {
		t.Errorf("MaxDigits is %d", MaxDigits)
	}
}

// readByDefinition returns the first digits of k[0] + k[1]·ω. Each is the entry of the table for
// the low bits of what remains of both halves, with the last carries added.
func readByDefinition(k [2]*big.Int, width, count int) (digits []digit) {
	table, carry := digitsOf(width), digit(0)
	for i := range count {
		var low [2]int64
		for n := range low {
			x := new(big.Int).Rsh(k[n], uint(width*i)) // rounds down, for a negative k too
			low[n] = x.And(x, big.NewInt(1<<width-1)).Int64()
		}
		low[0] += int64(carry / digitStride)
		low[1] += int64(carry % digitStride)
		d := table[low[0]*digitStride+low[1]]
		digits = append(digits, d)
		carry = d & digitCarry
	}
	return digits
}

// toHalf returns x as a Half, for |x| < 2^128.
func toHalf(x *big.Int) Half {
	abs := new(big.Int).Abs(x)
	lo := new(big.Int).And(abs, new(big.Int).SetUint64(1<<64-1)).Uint64()
	neg := uint64(0)
	if x.Sign() < 0 {
		neg = 1
	}
	return NewHalf(lo, new(big.Int).Rsh(abs, 64).Uint64(), neg)
}

// TestReadOfAll proves that Read and ReadPair read the digits of all terms. They cut bits from
// words by shifts, ors and masks. So halves with a single bit show that each bit gets where it
// must, and small halves try the table with every pair of windows and all carries.
func TestReadOfAll(t *testing.T) {
	check := func(a, b *big.Int) {
		k := [2]*big.Int{a, b}
		term := Term{toHalf(a), toHalf(b)}
		for width := 2; width <= 3; width++ {
			count := Count(width)
			want := readByDefinition(k, width, count)
			for parts := 1; parts <= lanes.Width; parts *= 2 {
				vectors := make([]DigitVector, (count+parts-1)/parts)
				Read(vectors, &term, lanes.Width-parts, parts, width)
				for i, d := range want {
					if got := vectors[i/parts].digits.At(lanes.Width - parts + i%parts); got != uint64(d) {
						t.Fatalf("%x + %x·ω: digit %d of %d bits is %#x, want %#x", a, b, i, width, got, d)
					}
				}
			}
			if width == 2 {
				continue
			}
			for place := range 2 {
				var vectors [MaxDigits]DigitVector
				var terms [2]Term
				terms[place] = term
				ReadPair(vectors[:], &terms, 6)
				for i, d := range want {
					if got := vectors[i].digits.At(6 + place); got != uint64(d) {
						t.Fatalf("%x + %x·ω: digit %d of the pair is %#x, want %#x", a, b, i, got, d)
					}
				}
			}
		}
	}
	for a := int64(-32); a <= 32; a++ {
		for b := int64(-32); b <= 32; b++ {
			check(big.NewInt(a), big.NewInt(b))
		}
	}
	zero, all := new(big.Int), new(big.Int).Lsh(big.NewInt(1), 128)
	all.Sub(all, big.NewInt(1))
	for bit := range uint(128) {
		x := new(big.Int).Lsh(big.NewInt(1), bit)
		for _, x := range []*big.Int{x, new(big.Int).Neg(x), new(big.Int).Xor(all, x)} {
			check(x, zero)
			check(zero, x)
		}
	}
}
