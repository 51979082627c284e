package kernels

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// loose returns pairs of numbers below 2^256, which represent field elements even if they are p or
// more. They are edge cases, random numbers, and pairs whose sums, differences and products cause
// rare carries.
func loose(r *rand.Rand, count int) [][]*big.Int {
	p := reference.P()
	rows := numbers(r, count, 2)
	top := new(big.Int).Sub(power2(256), bigint(1))
	for i := range int64(8) {
		for j := range int64(8) {
			a, b := new(big.Int).Sub(top, bigint(i)), new(big.Int).Sub(top, bigint(j))
			rows = append(rows, []*big.Int{bigint(i), b}, []*big.Int{a, b})
		}
	}
	// Products for which folding the upper part into the lower 256 bits carries out twice
	// (docs/field-bounds.md): a is large, and a·b is a small number j modulo p.
	for range count / 10 {
		a := residue(reference.RandInt(r), p)
		a.SetBit(a, 255, 1).Mod(a, p)
		j := new(big.Int).Add(new(big.Int).Sub(power2(256), p), new(big.Int).SetUint64(r.Uint64()))
		b := residue(j.Mul(j, new(big.Int).ModInverse(a, p)), p)
		rows = append(rows, []*big.Int{a, b}, []*big.Int{b, a})
		if root := new(big.Int).ModSqrt(residue(j.SetUint64(r.Uint64()), p), p); root != nil {
			rows = append(rows, []*big.Int{root, root}, []*big.Int{new(big.Int).Sub(p, root), root})
		}
	}
	return rows
}

// TestFieldArithmetic checks that for any arguments below 2^256 the arithmetic functions return the
// results that their comments promise, modulo p.
func TestFieldArithmetic(t *testing.T) {
	p := reference.P()
	half := new(big.Int).ModInverse(bigint(2), p)
	exponent := new(big.Int).Rsh(new(big.Int).Add(p, bigint(1)), 2)
	for _, c := range []struct {
		name     string
		function byte
		count    int
		want     func(a, b *big.Int) *big.Int
	}{
		{"fe_add", 'a', 5000, func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }},
		{"fe_sub", 's', 5000, func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }},
		{"fe_mul", 'm', 5000, func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }},
		{"fe_sqr", 'q', 2000, func(a, _ *big.Int) *big.Int { return new(big.Int).Mul(a, a) }},
		{"fe_neg", 'n', 2000, func(a, _ *big.Int) *big.Int { return new(big.Int).Neg(a) }},
		{"fe_half", 'h', 2000, func(a, _ *big.Int) *big.Int { return new(big.Int).Mul(a, half) }},
		{"fe_mul_beta", 'b', 1000, func(a, _ *big.Int) *big.Int {
			return new(big.Int).Mul(a, reference.Beta())
		}},
		{"fe_mul_int", 'k', 5000, func(a, b *big.Int) *big.Int {
			return new(big.Int).Mul(a, residue(b, power2(32)))
		}},
		{"fe_fold", 'f', 5000, func(a, b *big.Int) *big.Int {
			return new(big.Int).Add(a, new(big.Int).Lsh(residue(b, power2(33)), 256))
		}},
		{"fe_inv", 'i', 100, func(a, _ *big.Int) *big.Int {
			return new(big.Int).Exp(a, new(big.Int).Sub(p, bigint(2)), p)
		}},
		{"fe_sqrt", 'r', 100, func(a, _ *big.Int) *big.Int { return new(big.Int).Exp(a, exponent, p) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			onHost(t, func(t *testing.T, prog *program) {
				rows := loose(random(t), c.count)
				if c.function == 'f' {
					for _, row := range rows {
						row[1] = residue(row[1], power2(33))
					}
				}
				for i, got := range prog.call(t, c.function, rows) {
					a, b := rows[i][0], rows[i][1]
					if residue(got.out[0], p).Cmp(residue(c.want(a, b), p)) != 0 {
						t.Fatalf("(%x, %x) is %x", a, b, got.out[0])
					}
				}
			})
		})
	}
}

// TestFieldChoices checks that comparisons depend on residues modulo p and not on their
// representation, and that results described as canonical are below p.
func TestFieldChoices(t *testing.T) {
	p := reference.P()
	onHost(t, func(t *testing.T, prog *program) {
		rows := loose(random(t), 2000)
		for x := range int64(4) { // two representations of the same residue
			rows = append(rows,
				[]*big.Int{bigint(x), new(big.Int).Add(p, bigint(x))},
				[]*big.Int{new(big.Int).Add(p, bigint(x)), bigint(x)})
		}
		for i, got := range prog.call(t, 'N', rows) {
			if a := rows[i][0]; got.out[0].Cmp(residue(a, p)) != 0 {
				t.Errorf("fe_normal(%x) is %x", a, got.out[0])
			}
		}
		for i, got := range prog.call(t, 'z', rows) {
			if a := rows[i][0]; got.flag != flag(residue(a, p).Sign() == 0) {
				t.Errorf("fe_is_zero(%x) is %d", a, got.flag)
			}
		}
		for i, got := range prog.call(t, 'e', rows) {
			a, b := rows[i][0], rows[i][1]
			if got.flag != flag(residue(a, p).Cmp(residue(b, p)) == 0) {
				t.Errorf("fe_equal(%x, %x) is %d", a, b, got.flag)
			}
		}
		for i, got := range prog.call(t, 'o', rows) {
			if a := rows[i][0]; got.flag != uint32(residue(a, p).Bit(0)) {
				t.Errorf("fe_is_odd(%x) is %d", a, got.flag)
			}
		}
		for i, got := range prog.call(t, 'r', rows[:300]) {
			if a := rows[i][0]; got.flag != flag(big.Jacobi(residue(a, p), p) >= 0) {
				t.Errorf("fe_sqrt(%x) says %d", a, got.flag)
			}
		}
		for i, got := range prog.call(t, 'c', rows) {
			if a, b := rows[i][0], rows[i][1]; got.out[0].Cmp(a) != 0 || got.out[1].Cmp(b) != 0 {
				t.Errorf("fe_cmov of %x and %x gives %x and %x", a, b, got.out[0], got.out[1])
			}
		}
		for i, got := range prog.call(t, '1', rows[:100]) {
			if want := residue(rows[i][0], power2(32)); got.out[0].Cmp(want) != 0 {
				t.Errorf("fe_set_int(%x) is %x", want, got.out[0])
			}
		}
	})
}

// TestFieldBytes checks that loading keeps the number and reports whether it is below p, and that
// storing writes the number reduced modulo p.
func TestFieldBytes(t *testing.T) {
	p := reference.P()
	onHost(t, func(t *testing.T, prog *program) {
		rows := numbers(random(t), 2000, 1)
		for i, got := range prog.call(t, 'l', rows) {
			a := rows[i][0]
			if got.out[0].Cmp(a) != 0 || got.flag != flag(a.Cmp(p) < 0) {
				t.Errorf("fe_load_be(%x) is %x, %d", a, got.out[0], got.flag)
			}
			if got.out[1].Cmp(residue(a, p)) != 0 {
				t.Errorf("fe_store_be(%x) is %x", a, got.out[1])
			}
		}
	})
}
