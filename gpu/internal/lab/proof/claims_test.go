package proof

import (
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

// A claim says that the result of a block is congruent to a polynomial of its operands.
type claim struct {
	block    string
	modulus  *big.Int
	operands int
	text     string
	want     func(x []*big.Int) *big.Int
	// canonical says that the operands and the result are below the modulus.
	canonical bool
}

func times(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }

var claims = []claim{
	{"fe_mul", p, 2, "a·b modulo p", func(x []*big.Int) *big.Int { return times(x[0], x[1]) }, false},
	{"fe_sqr", p, 1, "a² modulo p", func(x []*big.Int) *big.Int { return times(x[0], x[0]) }, false},
	{"fe_add", p, 2, "a + b modulo p", func(x []*big.Int) *big.Int {
		return new(big.Int).Add(x[0], x[1])
	}, false},
	{"fe_sub", p, 2, "a − b modulo p", func(x []*big.Int) *big.Int {
		return new(big.Int).Sub(x[0], x[1])
	}, false},
	{"sc_product", n, 2, "a·b modulo n", func(x []*big.Int) *big.Int {
		return times(x[0], x[1])
	}, true},
}

// prove proves c of the block b, by cases of the masks. The inputs are those of the run with which
// rules are compared. It returns the greatest number of sums that a case computed.
func (c *claim) prove(b *block, in []uint32, most int) (steps int, err error) {
	for choices := uint(0); ; {
		f, operands, result, err := b.forms(in, choices, most)
		if err != nil {
			return steps, err
		}
		if err := c.proveCase(f, operands, result); err != nil {
			return steps, fmt.Errorf("masks %b of %d: %w", choices, f.taken, err)
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
	if c.canonical {
		for _, x := range operands {
			f.Limit(x, new(big.Int).Sub(c.modulus, big.NewInt(1)))
		}
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
	if err != nil || !c.canonical {
		return err
	}
	return f.Between(result, new(big.Int), new(big.Int).Sub(c.modulus, big.NewInt(1)))
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

// inputs returns the limbs of operands that are random numbers, edges, or a mixture of both.
func (c *claim) inputs(r *rand.Rand) []uint32 {
	in := make([]uint32, 8*c.operands)
	edges := []uint32{0, 1, 1<<31 - 1, 1 << 31, 1<<32 - 977, 1<<32 - 2, 1<<32 - 1}
	mode := r.IntN(3)
	for k := range in {
		if in[k] = r.Uint32(); mode == 1 || mode == 2 && r.IntN(2) == 0 {
			in[k] = edges[r.IntN(len(edges))]
		}
		if c.canonical && k%8 == 7 {
			in[k] &= 1<<31 - 1
		}
	}
	return in
}

func of(t *testing.T, c *claim) *block {
	for _, b := range headers(t) {
		if b.name == c.block {
			return b
		}
	}
	t.Fatalf("no block %s", c.block)
	return nil
}

// TestClaims proves every block for all inputs.
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

// TestPage compares the list in docs/proofs.md with the claims.
func TestPage(t *testing.T) {
	var want strings.Builder
	want.WriteString("<!-- gpu -->\n```\n")
	for _, b := range headers(t) {
		at := slices.IndexFunc(claims, func(c claim) bool { return c.block == b.name })
		switch {
		case at >= 0 && claims[at].canonical:
			fmt.Fprintf(&want, "%s: r ≡ %s, 0 ≤ r < n, for a and b below n\n", b.name, claims[at].text)
		case at >= 0:
			fmt.Fprintf(&want, "%s: r ≡ %s, 0 ≤ r < 2^256\n", b.name, claims[at].text)
		default:
			t.Errorf("no claim for %s", b.name)
		}
	}
	want.WriteString("```\n")
	if !strings.Contains(read(t, "../../../../docs/proofs.md"), want.String()) {
		t.Errorf("docs/proofs.md does not have\n%s", want.String())
	}
}
