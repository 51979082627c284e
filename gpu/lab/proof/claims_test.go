package proof

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp/proof"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var p, n = reference.P(), reference.N()

// A claim says what the result of a block or a function is.
type claim struct {
	block    string
	text     string
	modulus  *big.Int
	operands []int // number of words of each
	result   int   // number of words
	// want returns a number that is congruent to the result, or the result if there is no modulus.
	want func(x []*big.Int) *big.Int
	// below says that the result is below the modulus.
	below bool
	// check proves a claim that is no congruence.
	check func(f *follower, x []*proof.Form, result *proof.Form) error
	// limit records the limits of operands. bits has the number of bits of words that do not have 32,
	// and fit changes random words so that they are within the limits.
	limit func(f *follower, x []*proof.Form)
	bits  map[int]uint
	fit   func(in []uint32)
}

func add(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) }

func times(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }

func negated(x []*big.Int) *big.Int { return new(big.Int).Neg(x[0]) }

func same(x []*big.Int) *big.Int { return x[0] }

// canonical records that all operands are below n.
func canonical(f *follower, x []*proof.Form) {
	for _, operand := range x {
		f.Limit(operand, below(n))
	}
}

// small clears the topmost bit of every eighth word, so that each number of eight words is below
// 2^255.
func small(in []uint32) {
	for k := 7; k < len(in); k += 8 {
		in[k] &= 1<<31 - 1
	}
}

var (
	one, two = []int{8}, []int{8, 8}
	half     = new(big.Int).ModInverse(big.NewInt(2), p)
	middle   = new(big.Int).Rsh(n, 1) // (n − 1)/2
)

// claims of the blocks, in the order of the headers, and of the functions, in the order of
// testdata/functions.cu.
var claims = []claim{
	{block: "fe_mul", text: "r ≡ a·b modulo p, 0 ≤ r < 2^256", modulus: p, operands: two, result: 8,
		want: func(x []*big.Int) *big.Int { return times(x[0], x[1]) }},
	{block: "fe_sqr", text: "r ≡ a² modulo p, 0 ≤ r < 2^256", modulus: p, operands: one, result: 8,
		want: func(x []*big.Int) *big.Int { return times(x[0], x[0]) }},
	{block: "fe_add", text: "r ≡ a + b modulo p, 0 ≤ r < 2^256", modulus: p, operands: two, result: 8,
		want: func(x []*big.Int) *big.Int { return add(x[0], x[1]) }},
	{block: "fe_sub", text: "r ≡ a − b modulo p, 0 ≤ r < 2^256", modulus: p, operands: two, result: 8,
		want: func(x []*big.Int) *big.Int { return new(big.Int).Sub(x[0], x[1]) }},
	{block: "sc_product", text: "r ≡ a·b modulo n, 0 ≤ r < n, for a and b below n", modulus: n,
		operands: two, result: 8, below: true, limit: canonical, fit: small,
		want: func(x []*big.Int) *big.Int { return times(x[0], x[1]) }},

	{block: "fe_neg", text: "r ≡ −a modulo p, 0 ≤ r < 2^256", modulus: p, operands: one, result: 8,
		want: negated},
	{block: "fe_half", text: "r ≡ a/2 modulo p, 0 ≤ r < 2^256", modulus: p, operands: one, result: 8,
		want: func(x []*big.Int) *big.Int { return times(x[0], half) }},
	{block: "fe_fold", text: "r ≡ a + top·2^256 modulo p, 0 ≤ r < 2^256, for top up to 2^33",
		modulus: p, operands: []int{8, 2}, result: 8,
		want:  func(x []*big.Int) *big.Int { return add(x[0], times(x[1], power(256))) },
		limit: func(f *follower, x []*proof.Form) { f.Limit(x[1], power(33)) },
		bits:  map[int]uint{9: 2}, fit: func(in []uint32) { in[9] &= 1 }},
	{block: "fe_mul_int", text: "r ≡ k·a modulo p, 0 ≤ r < 2^256", modulus: p,
		operands: []int{8, 1}, result: 8,
		want: func(x []*big.Int) *big.Int { return times(x[0], x[1]) }},
	{block: "fe_mul_beta", text: "r ≡ β·a modulo p, 0 ≤ r < 2^256", modulus: p, operands: one,
		result: 8, want: func(x []*big.Int) *big.Int { return times(x[0], reference.Beta()) }},
	{block: "fe_normal", text: "r ≡ a modulo p, 0 ≤ r < p", modulus: p, operands: one, result: 8,
		want: same, below: true},
	{block: "fe_cmov", text: "r ≡ flag·a + (1 − flag)·r modulo p, for flag 0 or 1", modulus: p,
		operands: []int{8, 8, 1}, result: 8,
		want: func(x []*big.Int) *big.Int {
			return add(x[0], times(x[2], new(big.Int).Sub(x[1], x[0])))
		},
		bits: map[int]uint{16: 1}, fit: func(in []uint32) { in[16] &= 1 }},
	{block: "sc_reduce", modulus: n, operands: []int{8, 1}, result: 8, below: true,
		text: "r ≡ carry·2^256 + a modulo n, 0 ≤ r < n, for numbers below 2·n",
		want: func(x []*big.Int) *big.Int { return add(x[0], times(x[1], power(256))) },
		limit: func(f *follower, x []*proof.Form) {
			f.Limit(x[0].Add(x[1].Shift(256)), below(times(n, big.NewInt(2))))
		},
		bits: map[int]uint{8: 1}, fit: func(in []uint32) {
			if in[8] &= 1; in[8] == 1 {
				small(in)
			}
		}},
	{block: "sc_add", text: "r ≡ a + b modulo n, 0 ≤ r < n, for a and b below n", modulus: n,
		operands: two, result: 8, below: true, fit: small,
		limit: func(f *follower, x []*proof.Form) {
			f.Limit(x[0].Add(x[1]), times(below(n), big.NewInt(2)))
		},
		want: func(x []*big.Int) *big.Int { return add(x[0], x[1]) }},
	{block: "sc_neg", text: "r ≡ −a modulo n, 0 ≤ r < n, for a below n", modulus: n, operands: one,
		result: 8, below: true, limit: canonical, fit: small, want: negated},
	{block: "fe_is_zero", text: "1 if a is 0 or p, and otherwise 0", operands: one, result: 1,
		want: among(new(big.Int), p), check: isOneOf(new(big.Int), p)},
	{block: "sc_is_zero", text: "1 if a is 0, and otherwise 0", operands: one, result: 1,
		want: among(new(big.Int)), check: isOneOf(new(big.Int))},
	{block: "sc_is_high", text: "1 if a > n/2, and otherwise 0, for a below n", operands: one,
		result: 1, limit: canonical, fit: small,
		want: func(x []*big.Int) *big.Int { return big.NewInt(int64(x[0].Cmp(middle)+1) / 2) },
		check: func(f *follower, x []*proof.Form, result *proof.Form) error {
			// If a is above (n − 1)/2, what is left is below that.
			if err := f.Between(result, new(big.Int), big.NewInt(1)); err != nil {
				return err
			}
			return f.Between(x[0].Sub(result.Times(add(middle, big.NewInt(1)))), new(big.Int), middle)
		}},
}

// among returns a function that returns 1 for one of the numbers, and otherwise 0.
func among(numbers ...*big.Int) func(x []*big.Int) *big.Int {
	return func(x []*big.Int) *big.Int {
		if slices.ContainsFunc(numbers, func(y *big.Int) bool { return x[0].Cmp(y) == 0 }) {
			return big.NewInt(1)
		}
		return new(big.Int)
	}
}

// isOneOf returns a proof that the result is 1 if the operand is one of the numbers, and otherwise
// 0. In each case, the operand is one of them, or for each of them a test was false that is true
// for this number.
func isOneOf(numbers ...*big.Int) func(*follower, []*proof.Form, *proof.Form) error {
	return func(f *follower, x []*proof.Form, result *proof.Form) error {
		one := result.Key() == proof.Int(1).Key()
		if !one && result.Key() != proof.Int(0).Key() {
			return errors.New("the result depends on more than tests")
		}
		for _, y := range numbers {
			if f.Between(x[0], y, y) == nil {
				if !one {
					return fmt.Errorf("0 for %#x", y)
				}
				return nil
			}
			other := slices.ContainsFunc(f.settled, func(t test) bool {
				return t.value == 0 && !slices.ContainsFunc(t.equations, func(e equation) bool {
					return !f.limbOf(y, e)
				})
			})
			if !other {
				return fmt.Errorf("not proven to be other than %#x", y)
			}
		}
		if one {
			return errors.New("1 for another number")
		}
		return nil
	}
}

// limbOf reports whether an equation says that a limb of the operand is that of y.
func (f *follower) limbOf(y *big.Int, e equation) bool {
	for k := range uint(8) {
		limb := new(big.Int).Rsh(y, 32*k)
		if f.reg[fmt.Sprintf("%%%d", 8+k)].Key() == e.form.Key() {
			return limb.Mod(limb, word).Int64() == e.value
		}
	}
	return false
}

// prove proves c of the block b, by cases of masks and predicates. The inputs are those of the run
// with which rules are compared. It returns the greatest number of sums that a case computed.
func (c *claim) prove(b *block, in []uint32, most int) (steps int, err error) {
	for choices := uint(0); ; {
		f, operands, result, err := c.forms(b, in, choices, most)
		if err == nil {
			err = c.proveCase(f, operands, result)
		}
		if err != nil && !errors.Is(err, errAbsurd) {
			return steps, fmt.Errorf("case %b: %w", choices, err)
		}
		steps = max(steps, f.Steps)
		// The next case has a 1 in place of the last 0, and nothing is chosen after it.
		last := f.taken
		for last > 0 && choices>>(last-1)&1 == 1 {
			last--
		}
		if last == 0 {
			return steps, nil
		}
		choices = choices&(1<<last-1) | 1<<(last-1)
	}
}

// proveCase proves c in the case that f has followed.
func (c *claim) proveCase(f *follower, operands []*proof.Form, result *proof.Form) error {
	if c.check != nil {
		return c.check(f, operands, result)
	}
	want := func(at *proof.Point) *big.Int {
		var x []*big.Int
		for _, operand := range operands {
			x = append(x, at.Value(operand))
		}
		w := c.want(x)
		return w.Mod(w, c.modulus)
	}
	err := f.Congruent(result, c.modulus, want)
	if err != nil && f.taken > 1 {
		f.settle()
		err = f.Congruent(result, c.modulus, want)
	}
	if err != nil || !c.below {
		return err
	}
	return f.Between(result, new(big.Int), below(c.modulus))
}

// settle records the carries that are proven to be constant in this case.
func (f *follower) settle() {
	for _, carry := range f.carries {
		for x := range int64(2) {
			if v := big.NewInt(x); f.Between(carry, v, v) == nil {
				if err := f.Assume(carry, v); err != nil {
					panic(err) // it is proven
				}
				break
			}
		}
	}
}

var edges256 = []*big.Int{new(big.Int), big.NewInt(1), below(p), p, add(p, big.NewInt(1)), below(n),
	n, middle, add(middle, big.NewInt(1)), below(power(256))}

// inputs returns the limbs of operands that are random numbers, edges, or a mixture of both.
func (c *claim) inputs(r *rand.Rand) []uint32 {
	words := 0
	for _, k := range c.operands {
		words += k
	}
	in := make([]uint32, words)
	edges := []uint32{0, 1, 1<<31 - 1, 1 << 31, 1<<32 - 977, 1<<32 - 2, 1<<32 - 1}
	mode := r.IntN(4)
	for k := range in {
		if in[k] = r.Uint32(); mode == 1 || mode == 2 && r.IntN(2) == 0 {
			in[k] = edges[r.IntN(len(edges))]
		}
	}
	if mode == 3 {
		at := 0
		for _, k := range c.operands {
			if x := edges256[r.IntN(len(edges256))]; k == 8 {
				for j := range uint(8) {
					in[at+int(j)] = uint32(new(big.Int).Rsh(x, 32*j).Uint64())
				}
			}
			at += k
		}
	}
	if c.fit != nil {
		c.fit(in)
	}
	return in
}

func of(t *testing.T, c *claim) *block {
	for _, b := range append(headers(t), functions(t)...) {
		if b.name == c.block {
			return b
		}
	}
	t.Fatalf("no block %s", c.block)
	return nil
}

// TestClaims proves every block and every function for all inputs.
func TestClaims(t *testing.T) {
	for _, c := range claims {
		t.Run(c.block, func(t *testing.T) {
			steps, err := c.prove(of(t, &c), c.inputs(rand.New(rand.NewPCG(1, 1))), 200_000)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d sums", steps)
		})
	}
}

// TestTooStrong checks that claims that do not hold are not proven: that sums modulo p, which are
// below 2^256, are below p, and that they are other numbers.
func TestTooStrong(t *testing.T) {
	for _, c := range claims {
		if c.block != "fe_add" {
			continue
		}
		below, other := c, c
		below.below = true
		other.want = func(x []*big.Int) *big.Int { return add(c.want(x), big.NewInt(1)) }
		for _, c := range []claim{below, other} {
			if _, err := c.prove(of(t, &c), c.inputs(rand.New(rand.NewPCG(1, 1))), 200_000); err == nil {
				t.Errorf("proven: below p: %t, another number: %t", c.below, !c.below)
			}
		}
	}
}

// TestRules compares each number of each block and function with the interpreter's, at random and
// crafted inputs, in the case that the inputs belong to. It compares the results with the claims.
func TestRules(t *testing.T) {
	r := rand.New(rand.NewPCG(rand.Uint64(), 1))
	for _, c := range claims {
		count, b := 0, of(t, &c)
		for range max(4, 1500/len(b.insts)) {
			in, before := c.inputs(r), count
			for choices := range uint(1 << 8) {
				f, operands, result, err := c.forms(b, in, choices, 0)
				if f != nil && f.astray {
					continue
				} else if err != nil {
					t.Fatalf("%s: %v", c.block, err)
				}
				var x []*big.Int
				for _, operand := range operands {
					x = append(x, operand.Now())
				}
				d := new(big.Int).Sub(c.want(x), result.Now())
				if c.modulus != nil {
					d.Mod(d, c.modulus)
				}
				if d.Sign() != 0 {
					t.Fatalf("%s: %#x for %#x", c.block, result.Now(), x)
				}
				count++
				break
			}
			if count == before {
				t.Errorf("%s: %#x belong to none of the cases", c.block, in)
			}
		}
		t.Logf("%s: %d runs of %d instructions", c.block, count, len(b.insts))
	}
}

// TestPage compares the lists in docs/proofs.md with the claims and the identities.
func TestPage(t *testing.T) {
	page := read(t, "../../../docs/proofs.md")
	var want strings.Builder
	want.WriteString("<!-- gpu -->\n```\n")
	for k, b := range append(headers(t), functions(t)...) {
		if k == len(claims) || claims[k].block != b.name {
			t.Fatalf("no claim for %s in its place", b.name)
		}
		fmt.Fprintf(&want, "%s: %s\n", b.name, claims[k].text)
	}
	want.WriteString("```\n")
	if !strings.Contains(page, want.String()) {
		t.Errorf("docs/proofs.md does not have\n%s", want.String())
	}
	want.Reset()
	want.WriteString("<!-- formulas -->\n```\n")
	for _, c := range identities {
		fmt.Fprintf(&want, "%s: %s\n", c.name, c.text)
	}
	want.WriteString("```\n")
	if !strings.Contains(page, want.String()) {
		t.Errorf("docs/proofs.md does not have\n%s", want.String())
	}
}
