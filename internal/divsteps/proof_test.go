package divsteps

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// This file proves properties of the matrices of steps for all inputs. A matrix depends on the
// choices of the steps alone, and the tests go through all of them.

// A path is a sequence of n division steps that begins with ζ = zeta0 and the low bits f0 and g0,
// with the negative of its matrix, as the code has it.
type path struct {
	n          uint // number of steps
	zeta0      int64
	zeta       int64
	f0, g0     int64
	u, v, q, r int64
}

// word returns the word in which steps packs a row (a, b) of the matrix after the path: the low
// bits of f or g plus the fields of a and b.
func (p *path) word(a, b int64) int64 {
	low := -(a*p.f0 + b*p.g0) >> p.n
	return low + a<<(41-p.n) + b<<(62-p.n)
}

// next returns the path with one more step by the definition in doc.go.
func (p path) next() path {
	odd := (p.q*p.f0+p.r*p.g0)>>p.n&1 == 1
	p.n++
	switch {
	case odd && p.zeta < 0: // δ > 0
		p.zeta = -p.zeta - 2
		p.u, p.v, p.q, p.r = 2*p.q, 2*p.r, p.q-p.u, p.r-p.v
	case odd:
		p.zeta--
		p.u, p.v, p.q, p.r = 2*p.u, 2*p.v, p.q+p.u, p.r+p.v
	default:
		p.zeta--
		p.u, p.v = 2*p.u, 2*p.v
	}
	return p
}

// stepsFunc is the type of the function steps.
type stepsFunc func(zeta int64, f0, g0 uint64) (zetaOut, f, g int64)

// newPath returns the path without steps.
func newPath(zeta, f0 int64) path {
	return path{zeta0: zeta, zeta: zeta, f0: f0, u: -1, r: -1}
}

// check follows all paths of blockSteps steps that begin with p. It returns an error if a matrix
// breaks a bound, if a word could overflow, or if steps returns something else.
func (p path) check(steps stepsFunc) error {
	f, g := p.word(p.u, p.v), p.word(p.q, p.r)
	abs := func(x int64) uint64 { return uint64(max(x, -x)) }
	most := uint64(1) << p.n
	switch {
	case abs(p.u)+abs(p.v) > most || abs(p.q)+abs(p.r) > most:
		return fmt.Errorf("%+v: a row is above 2^%d", p, p.n)
	case p.u*p.r-p.v*p.q != int64(most):
		return fmt.Errorf("%+v: the determinant is not 2^%d", p, p.n)
	}
	if p.n == blockSteps {
		zeta, wordF, wordG := steps(p.zeta0, uint64(p.f0), uint64(p.g0))
		u, v := unpack(wordF)
		q, r := unpack(wordG)
		if zeta != p.zeta || wordF != f || wordG != g || u != p.u || v != p.v || q != p.q || r != p.r {
			return fmt.Errorf("%+v: ζ = %d, (%d %d; %d %d)", p, zeta, u, v, q, r)
		}
		return nil
	}
	// With another f0, the words f and g differ from these by less than 2^22 in the low field.
	if abs(f)+abs(g)+1<<22 >= 1<<63 {
		return fmt.Errorf("%+v: overflow", p)
	}
	// The bits of g0 below bit n determine the path so far. Bit n changes the parity of g if r is
	// odd: so its two values are the two choices of the next step.
	if p.r&1 == 0 {
		return fmt.Errorf("%+v: r is even", p)
	}
	other := p
	other.g0 += 1 << p.n
	if err := p.next().check(steps); err != nil {
		return err
	}
	return other.next().check(steps)
}

// TestBlocks checks a block of 20 division steps for all inputs.
//
// The parities of the numbers g and the signs of the numbers ζ are the choices of a block. For any
// f0, each sequence of 20 parities belongs to one g0. From ζ ≤ -22 all ζ are negative until the
// first odd g, and none afterwards; from ζ ≥ 19 none is negative. So 42 values of ζ and 2^20 of g0
// make every choice of signs and parities. CI tries them all, and other runs of the tests the two
// smallest |ζ|, with which every step has seen both signs and both parities. The words are sums of
// numbers that are multiplied by the same matrix, so with the same choices f0 changes only the low
// fields.
func TestBlocks(t *testing.T) {
	first, last := int64(-22), int64(19)
	if !cputest.Deep() || testing.Short() {
		first, last = -1, 0
	}
	for zeta := first; zeta <= last; zeta++ {
		if err := newPath(zeta, 1).check(steps); err != nil {
			t.Fatal(err)
		}
	}
	if err := newPath(-1, 1<<blockSteps-1).check(steps); err != nil {
		t.Fatal(err)
	}
	// For other ζ, near the ends of this range and beyond it, check some f0 and a part of the g0.
	for _, zeta := range []int64{
		-700, -100, -25, -24, -23, -22, -21, -12, -3, -2, 1, 2, 11, 17, 18, 19, 20, 100, 700,
	} {
		for g0 := uint64(0); g0 < 1<<blockSteps; g0 += 101 {
			for _, f0 := range []int64{1, 3, 0x55555, 1<<blockSteps - 1} {
				p := newPath(zeta, f0)
				for p.g0 = int64(g0); p.n < blockSteps; {
					p = p.next()
				}
				if err := p.check(steps); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestBlocksFail checks that TestBlocks would find errors: each of these functions except the first
// differs from steps in a few inputs or in one bit.
func TestBlocksFail(t *testing.T) {
	for name, steps := range map[string]stepsFunc{
		"":       steps,
		"δ ≥ 0":  func(zeta int64, f, g uint64) (int64, int64, int64) { return steps(zeta+1, f, g) },
		"one g0": func(z int64, f, g uint64) (int64, int64, int64) { return steps(z, f, max(g, 1)) },
		"last bit": func(z int64, f, g uint64) (int64, int64, int64) {
			return steps(z, f, g&(1<<(blockSteps-1)-1))
		},
		"ζ": func(z int64, f, g uint64) (int64, int64, int64) {
			z, a, b := steps(z, f, g)
			return max(z, -20), a, b
		},
		"a field": func(z int64, f, g uint64) (int64, int64, int64) {
			z, a, b := steps(z, f, g)
			if b>>42 == 1 {
				b += 1 << 42
			}
			return z, a, b
		},
	} {
		if err := newPath(-1, 1).check(steps); (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A halving is the effect of some halvings of the binary Euclidean algorithm, by definition: a, b
// and the leading words that stand for them in comparisons, and the rows of the matrix with which
// 2^n·(a, b) comes from the first a and b.
type halving struct {
	a, b   int64
	ah, bh uint64
	rows   [2][2]int64
	swaps  int
}

// next makes one more halving.
func (h *halving) next() {
	if h.a&1 == 1 {
		if h.ah < h.bh {
			h.a, h.b, h.ah, h.bh = h.b, h.a, h.bh, h.ah
			h.rows[0], h.rows[1] = h.rows[1], h.rows[0]
			h.swaps++
		}
		h.a, h.ah = h.a-h.b, h.ah-h.bh
		for i := range h.rows[0] {
			h.rows[0][i] -= h.rows[1][i]
		}
	}
	h.a, h.ah = h.a/2, h.ah/2
	for i := range h.rows[1] {
		h.rows[1][i] *= 2
	}
}

// matches returns an error if (u -v; -q r), up to its sign, is not the matrix of n halvings, or if
// its rows or its determinant are not bounded as the code requires.
func (h *halving) matches(n int, u, v, q, r uint64) error {
	sign := int64(1)
	if h.swaps&1 == 1 {
		sign = -1
	}
	most := uint64(1) << n
	high, low := bits.Mul64(u, r)
	high2, low2 := bits.Mul64(v, q)
	low, borrow := bits.Sub64(low, low2, 0)
	high, _ = bits.Sub64(high, high2, borrow)
	if h.swaps&1 == 1 {
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}
	rows := [2][2]int64{{int64(u), -int64(v)}, {-int64(q), int64(r)}}
	for i := range rows {
		rows[i][0], rows[i][1] = sign*rows[i][0], sign*rows[i][1]
	}
	switch {
	case h.rows != rows:
		return fmt.Errorf("(%d %d; %d %d) after %d halvings, want ±%v", u, v, q, r, n, h.rows)
	case u > most || v > most-u || q > most || r > most-q:
		return fmt.Errorf("(%d %d; %d %d): a row is above 2^%d", u, v, q, r, n)
	case high != 0 || low != most:
		return fmt.Errorf("(%d %d; %d %d): the determinant is not ±2^%d", u, v, q, r, n)
	}
	return nil
}

// halvings calls f with the start of all cases of the tests below: all a and all odd b of few bits,
// and leading words that are unrelated to them. So comparisons have every sequence of results,
// right and wrong ones.
func halvings(f func(h halving) error) error {
	identity := [2][2]int64{{1, 0}, {0, 1}}
	for a := range int64(1 << 6) {
		for b := int64(1); b < 1<<6; b += 2 {
			for leading := range uint64(1 << 6) {
				h := halving{a: a, b: b, ah: leading >> 3, bh: leading & 7, rows: identity}
				if err := f(h); err != nil {
					return fmt.Errorf("a = %d, b = %d, leading words %d and %d: %w", a, b, h.ah, h.bh, err)
				}
			}
		}
	}
	// The step shifts a by n bits, at the start and after it has subtracted b.
	for n := range 63 {
		for _, start := range [][2]int64{{1 << n, 1}, {3 << n, 1}, {1<<n + 1, 1}, {1<<n + 3, 3}} {
			if start[0] < 0 { // an overflow
				continue
			}
			for _, leading := range [][2]uint64{{0, 0}, {0, 1 << 63}, {1 << 63, 0}, {5, 5}, {1 << n, 1}} {
				h := halving{a: start[0], b: start[1], ah: leading[0], bh: leading[1], rows: identity}
				if err := f(h); err != nil {
					return fmt.Errorf("a = %d, b = %d, leading words %v: %w", h.a, h.b, leading, err)
				}
			}
		}
	}
	return nil
}

type runFunc func(ah, bh, a, b uint64) (u, v, q, r uint64)

// checkRun checks a run of the variable-time inverse.
func checkRun(run runFunc) error {
	return halvings(func(h halving) error {
		u, v, q, r := run(h.ah, h.bh, uint64(h.a), uint64(h.b))
		for range runShifts {
			h.next()
		}
		return h.matches(runShifts, u, v, q, r)
	})
}

// TestRun checks the function run in all cases of an iteration of its loop. An iteration depends on
// a shift and on a comparison, and is linear in the entries of the matrix. The shift is that of the
// exact number a. After k halvings the low 64 - k bits of the word a are right. If they are all
// zero, the word shows a shift longer than the 63 - k halvings that remain, and the run ends.
//
// The bounds hold by induction. Let U = u+v and Q = q+r, and let k be the number of halvings before
// an iteration. Then U ≤ 2^(k+1) and Q ≤ 2^k, except at first, when U = Q = 1. A shift by n doubles
// Q n times. After that U and Q are at most 2^(k+n), because n ≥ 1, or k = n = 0. U + Q becomes the
// new U, and the old Q or the old U the new Q. The last shift has n ≥ 1, and ends the run with U
// and Q at most 2^63.
func TestRun(t *testing.T) {
	if err := checkRun(run); err != nil {
		t.Error(err)
	}
	for name, faulty := range map[string]runFunc{
		"≤ for <": func(ah, bh, a, b uint64) (u, v, q, r uint64) { return run(ah, bh+1, a, b) },
		"lost bit": func(ah, bh, a, b uint64) (u, v, q, r uint64) {
			return run(ah, bh, a, b&^(1<<5))
		},
		"long shift": func(ah, bh, a, b uint64) (u, v, q, r uint64) {
			if u, v, q, r = run(ah, bh, a, b); a == 1<<62 {
				q = 1
			}
			return u, v, q, r
		},
	} {
		if checkRun(faulty) == nil {
			t.Errorf("%s: not found", name)
		}
	}
}

type halveFunc func(w *jacobiWords, left uint64) (uv, qr uint64)

// checkHalve checks parts of runs for the Jacobi symbol.
func checkHalve(halve halveFunc) error {
	const half = 1<<32 - 1
	lengths := []int{1, 2, 3, 5, jacobiShifts - maxHalvings, maxHalvings}
	return halvings(func(h halving) error {
		before := big.Jacobi(big.NewInt(h.a), big.NewInt(h.b))
		w := jacobiWords{ah: h.ah, bh: h.bh, a: uint64(h.a), b: uint64(h.b)}
		done := 0
		for _, left := range lengths {
			words := w
			uv, qr := halve(&words, uint64(left))
			for ; done < left; done++ {
				h.next()
			}
			if err := h.matches(left, uv&half, uv>>32, qr&half, qr>>32); err != nil {
				return err
			}
			// The low 64 - left bits of the words are right.
			a, b := int64(words.a<<left)>>left, int64(words.b<<left)>>left
			if a != h.a<<left>>left || b != h.b<<left>>left {
				return fmt.Errorf("a = %d and b = %d after %d halvings, want %d and %d", a, b, left, h.a, h.b)
			}
			if words.ah != h.ah || words.bh != h.bh || words.swaps&1 != uint64(h.swaps&1) {
				return fmt.Errorf("leading words %d and %d after %d halvings, want %d and %d",
					words.ah, words.bh, left, h.ah, h.bh)
			}
			after := big.Jacobi(big.NewInt(h.a), big.NewInt(max(h.b, -h.b)))
			if words.changes&1 == 1 {
				after = -after
			}
			if after != before {
				return fmt.Errorf("the symbol of %d/%d after %d halvings is wrong", h.a, h.b, left)
			}
		}
		return nil
	})
}

// TestHalve checks the function halve in all cases of an iteration of its loop, as TestRun does,
// and also that the symbol changes as halve says, for all a and b modulo 8.
func TestHalve(t *testing.T) {
	if err := checkHalve((*jacobiWords).halve); err != nil {
		t.Error(err)
	}
	for name, faulty := range map[string]halveFunc{
		"≤ for <": func(w *jacobiWords, left uint64) (uv, qr uint64) {
			w.bh++
			uv, qr = w.halve(left)
			w.bh--
			return uv, qr
		},
		"first rule": func(w *jacobiWords, left uint64) (uv, qr uint64) {
			uv, qr = w.halve(left)
			w.changes ^= left & (w.b>>1 ^ w.b>>2)
			return uv, qr
		},
		"second rule": func(w *jacobiWords, left uint64) (uv, qr uint64) {
			uv, qr = w.halve(left)
			w.changes ^= w.swaps & w.b >> 1
			return uv, qr
		},
	} {
		if checkHalve(faulty) == nil {
			t.Errorf("%s: not found", name)
		}
	}
}

// inverseBounds returns an error if the numbers of an inversion modulo m may leave their ranges,
// for batches of the given number of steps or halvings with the matrix entries that the tests above
// prove. All numbers are integers.
func inverseBounds(m *big.Int, steps, batches, halvings, runs uint) error {
	power := func(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }
	times := func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }
	// In constant time: |d| and |e| are at most B = 8m/15, see Modulus.reduce.
	b := new(big.Int).Div(new(big.Int).Lsh(m, 3), big.NewInt(15))
	next := times(power(steps), b)
	next.Add(next, times(power(63), m)).Rsh(next, 64)
	switch {
	case power(steps).Cmp(b) > 0:
		return errors.New("the first d or e is above 8m/15")
	case next.Cmp(b) > 0:
		return errors.New("a batch makes d or e larger than 8m/15")
	case times(power(steps), power(256)).Cmp(power(319)) >= 0:
		return errors.New("f and g times the matrix have more than 320 bits")
	}
	// In variable time: s and t are below 2^256, and a sum is below 2^255 + m, see Modulus.sum.
	sum := times(power(halvings), new(big.Int).Sub(power(256), big.NewInt(1)))
	sum.Add(sum, times(new(big.Int).Sub(power(64), big.NewInt(1)), m)).Rsh(sum, 64)
	if sum.Cmp(new(big.Int).Add(power(255), m)) >= 0 {
		return errors.New("a sum is not below 2^255 + m")
	}
	// The exponent that finish corrects is from 1 to 63.
	for _, n := range [][2]uint{{steps, batches}, {halvings, runs}} {
		for k := uint(1); k <= n[1]; k++ {
			if e := 64 - (64-int(n[0]))*int(k); e < 1 || e > 63 {
				return fmt.Errorf("%d batches of %d steps leave the power 2^%d", k, n[0], e)
			}
		}
	}
	return nil
}

// TestInverseBounds checks the ranges of the numbers d, e, s and t of inversions, for all inputs.
func TestInverseBounds(t *testing.T) {
	for _, tt := range testModuli {
		_, m := newModulus(t, tt.hex)
		if err := inverseBounds(m, batchSteps, maxBatches, runShifts, maxRuns); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		for _, wrong := range [][4]uint{
			{batchSteps + 1, maxBatches, runShifts, maxRuns},
			{batchSteps, 16, runShifts, maxRuns},
			{batchSteps, maxBatches, runShifts + 1, maxRuns},
			{batchSteps, maxBatches, runShifts, 64},
		} {
			if inverseBounds(m, wrong[0], wrong[1], wrong[2], wrong[3]) == nil {
				t.Errorf("%s: %v: not found", tt.name, wrong)
			}
		}
	}
}
