package kernels

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestScalarArithmetic checks that the arithmetic functions return the results that their comments
// promise, fully reduced modulo n.
func TestScalarArithmetic(t *testing.T) {
	n := reference.N()
	for _, c := range []struct {
		name     string
		function byte
		count    int
		want     func(a, b *big.Int) *big.Int
		alone    func(a *big.Int) *big.Int // for equal operands, or nil
	}{
		{
			"sc_add", 'A', 5000,
			func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) },
			func(a *big.Int) *big.Int { return new(big.Int).Add(a, a) },
		},
		{
			"sc_mul", 'M', 5000,
			func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) },
			func(a *big.Int) *big.Int { return new(big.Int).Mul(a, a) },
		},
		{"sc_neg", 'G', 2000, func(a, _ *big.Int) *big.Int { return new(big.Int).Neg(a) }, nil},
		{"sc_inv", 'I', 100, func(a, _ *big.Int) *big.Int {
			return new(big.Int).Exp(a, new(big.Int).Sub(n, bigint(2)), n)
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			onHost(t, func(t *testing.T, prog *program) {
				r := random(t)
				rows := scalars(r, c.count, 2)
				// Products that are small modulo n, and products next to small multiples of 2^256 −
				// n. With these, the last fold carries, or narrowly avoids a carry.
				d := new(big.Int).Sub(power2(256), n)
				for k := range c.count / 5 {
					a := residue(reference.RandInt(r), n)
					if a.Sign() == 0 {
						continue
					}
					j := bigint(r.Int64N(1<<21) - 1<<20)
					if k%2 == 0 {
						j.Rsh(new(big.Int).Mul(d, bigint(r.Int64N(1<<22))), 20)
					}
					b := j.Mul(j, new(big.Int).ModInverse(a, n))
					rows = append(rows, []*big.Int{a, residue(b, n)})
				}
				for i, got := range prog.call(t, c.function, rows) {
					a, b := rows[i][0], rows[i][1]
					if got.out[0].Cmp(residue(c.want(a, b), n)) != 0 {
						t.Fatalf("(%x, %x) is %x", a, b, got.out[0])
					}
					if c.alone != nil && got.out[1].Cmp(residue(c.alone(a), n)) != 0 {
						t.Fatalf("(%x, itself) is %x", a, got.out[1])
					}
				}
			})
		})
	}
}

// TestScalarChoices checks that sc_is_zero accepts only 0, and sc_is_high the numbers above n/2.
func TestScalarChoices(t *testing.T) {
	half := new(big.Int).Rsh(reference.N(), 1)
	onHost(t, func(t *testing.T, prog *program) {
		rows := scalars(random(t), 2000, 1)
		for i, got := range prog.call(t, 'Z', rows) {
			if a := rows[i][0]; got.flag != flag(a.Sign() == 0) {
				t.Errorf("sc_is_zero(%x) is %d", a, got.flag)
			}
		}
		for i, got := range prog.call(t, 'H', rows) {
			if a := rows[i][0]; got.flag != flag(a.Cmp(half) > 0) {
				t.Errorf("sc_is_high(%x) is %d", a, got.flag)
			}
		}
	})
}

// TestScalarBytes checks that loading reduces the number, and reports whether it was below n.
func TestScalarBytes(t *testing.T) {
	n := reference.N()
	onHost(t, func(t *testing.T, prog *program) {
		rows := numbers(random(t), 2000, 1)
		for i, got := range prog.call(t, 'L', rows) {
			a, want := rows[i][0], residue(rows[i][0], n)
			if got.out[0].Cmp(want) != 0 || got.out[1].Cmp(want) != 0 || got.flag != flag(a.Cmp(n) < 0) {
				t.Errorf("%x is loaded as %x, %d, and stored as %x", a, got.out[0], got.flag, got.out[1])
			}
		}
	})
}

// TestSplit checks that the two halves of a scalar are odd, are below 2^129, and recombine to the
// scalar.
func TestSplit(t *testing.T) {
	n, lambda := reference.N(), reference.Lambda()
	onHost(t, func(t *testing.T, prog *program) {
		for _, bits := range []uint{129, 130, 132, 136, 160} {
			rows := scalars(random(t), 5000, 1)
			for i := range rows {
				rows[i] = append(rows[i], bigint(int64(bits)))
			}
			for i, got := range prog.call(t, 'S', rows) {
				var half [2]*big.Int
				for k := range half {
					// A half of a scalar is an odd number d. The program returns (d + 2^bits − 1)/2
					// in place of d.
					d := new(big.Int).Lsh(got.out[k], 1)
					half[k] = d.Sub(d, power2(bits)).Add(d, bigint(1))
					if d.CmpAbs(power2(129)) >= 0 || got.out[k].BitLen() > int(bits) {
						t.Fatalf("half %d of %x is %x", k+1, rows[i][0], d)
					}
				}
				sum := new(big.Int).Mul(half[1], lambda)
				if residue(sum.Add(sum, half[0]), n).Cmp(rows[i][0]) != 0 {
					t.Fatalf("%x is split into %x and %x", rows[i][0], half[0], half[1])
				}
			}
		}
	})
}

// splitConstant returns the number whose words of 32 bits follow the text before in scalar.h, up to
// a semicolon. If reversed is set, the lowest word is the first.
func splitConstant(t *testing.T, before string, reversed bool) *big.Int {
	t.Helper()
	text, err := files.ReadFile("scalar.h")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), before)
	list, _, closed := strings.Cut(rest, ";")
	words := regexp.MustCompile(`0x[0-9a-f]+|\b[0-9]+\b`).FindAllString(list, -1)
	if !ok || !closed || len(words) < 4 {
		t.Fatalf("%q is not followed by a number", before)
	}
	if reversed {
		slices.Reverse(words)
	}
	x := new(big.Int)
	for _, w := range words {
		word, ok := new(big.Int).SetString(w, 0)
		if !ok || word.BitLen() > 32 {
			t.Fatalf("%q is followed by %s", before, w)
		}
		x.Lsh(x, 32).Or(x, word)
	}
	return x
}

// TestSplitBounds proves the bounds of sc_split_odd and halves_store for all scalars, from the
// constants in the text of the kernels.
func TestSplitBounds(t *testing.T) {
	s := reference.Split{
		A1: splitConstant(t, "va1[4] = ", true), B1: splitConstant(t, "vb1[4] = ", true),
		A2: splitConstant(t, "va2[5] = ", true),
		G1: splitConstant(t, "sc_set(g1, ", false), G2: splitConstant(t, "sc_set(g2, ", false),
		Shift: 320,
	}
	for _, tt := range []struct {
		name           string
		error          *big.Rat // of rounding the quotients
		limit1, limit2 int64
	}{
		// The quotient is rounded down, and possibly one larger.
		{"sc_split_odd", big.NewRat(1, 1), 1272, 1083},
		{"halves_store", big.NewRat(1, 2), 640, 550},
	} {
		s.Below, s.Above = tt.error, tt.error
		if err := s.Within(tt.limit1, tt.limit2); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
