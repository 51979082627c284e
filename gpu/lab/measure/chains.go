package measure

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// turnOperations is the number of operations in an iteration of a chain's loop. It equals
// BENCH_UNROLL in C.
const turnOperations = 4

// A chain is a kernel that repeats an operation on numbers in registers. Each operation takes the
// result of the previous one.
type chain struct {
	id, title string
	kernel    string
	operands  []operand
	results   int
	// right reports whether got, the results of row i of n after the given number of operations,
	// equals what the CPU computes.
	right func(in *inputs, i, n, operations int, got []words) bool
}

// after returns a function for the field "right" of a chain. The chain operates on two numbers, a
// and b. The argument step carries out operation number i on the CPU, and returns the operand that
// it has changed.
func after(step func(x, y *big.Int, i int) *big.Int) func(*inputs, int, int, int, []words) bool {
	return func(in *inputs, i, _, operations int, got []words) bool {
		x, y := number(&in.a()[i]), number(&in.b()[i])
		for j := range operations {
			changed := step(x, y, j)
			changed.Mod(changed, modulus)
		}
		return equal(number(&got[0]), x)
	}
}

// chains returns all chains.
func chains() []chain {
	return []chain{
		{"mul-chain", "field multiply", "k_bench_mul_chain", []operand{operandA, operandB}, 1,
			after(func(x, y *big.Int, _ int) *big.Int { return x.Mul(x, y) })},
		{"sqr-chain", "field square", "k_bench_sqr_chain", []operand{operandA}, 1,
			after(func(x, _ *big.Int, _ int) *big.Int { return x.Mul(x, x) })},
		{"add-chain", "field add", "k_bench_add_chain", []operand{operandA, operandB}, 1,
			after(func(x, y *big.Int, i int) *big.Int {
				if i%2 == 0 {
					return x.Add(x, y)
				}
				return y.Add(y, x)
			})},
		{"point-add-chain", "point add, XYZZ and affine", "k_bench_xyzz_chain",
			[]operand{operandXYZZ, operandQ}, 4,
			func(in *inputs, i, n, operations int, got []words) bool {
				k := in.p().log(i)
				for j := range operations {
					k.Add(k, in.q().log((i+j)%n))
				}
				return isTimesG(got, k)
			}},
		{"point-double-chain", "point double, Jacobian", "k_bench_gej_chain",
			[]operand{operandJacobian}, 3,
			func(in *inputs, i, _, operations int, got []words) bool {
				k := in.p().log(i)
				for range operations {
					k.Add(k, k)
				}
				return isTimesG(got, k)
			}},
	}
}

// items returns a number of work items that is several times what the device can run at once.
func (b *bench) items() int {
	if b.o.Items > 0 {
		return b.o.Items
	}
	return min(2048*max(b.info.Units, 1), MaxSize)
}

// chains measures each operation on numbers in registers, and adds a row to the report for it.
func (b *bench) chains(ctx context.Context) error {
	for _, c := range chains() {
		if !b.o.wants(Rates, c.id) || !b.next(c.id, b.items()) {
			continue
		}
		if err := b.skip(c.id, b.items(), b.chain(ctx, &c)); err != nil {
			return err
		}
	}
	return nil
}

// chain measures one chain and adds its row to the report.
func (b *bench) chain(ctx context.Context, c *chain) error {
	n := b.items()
	in := newInputs(b.o.Seed, n)
	h := b.hold()
	defer func() { h.free(b.timed, b.plain) }()
	args := []any{uint32(n), uint32(0)}
	for _, o := range c.operands {
		args = append(args, h.write(ctx, o.column(in, n).data))
	}
	result := newPlanar(n, c.results)
	row := Row{Section: Rates, ID: c.id, Title: c.title, Size: n, Unit: "op",
		Count: float64(n) * turnOperations}
	return b.turns(ctx, h, row, c.kernel, args, result.data, func(turns int) error {
		if err := result.written(); err != nil {
			return err
		}
		got := make([]words, c.results)
		for _, i := range in.few(n) {
			for j := range got {
				got[j] = result.get(i, j)
			}
			if !c.right(in, i, n, turnOperations*turns, got) {
				return fmt.Errorf("%w: item %d of %d after %d turns", ErrResult, i, n, turns)
			}
		}
		return nil
	})
}

// turns measures a kernel that repeats operations, and adds its row to the report. The second of
// the kernel's arguments is the number of repetitions, which turns sets. The argument after those
// in args is the memory for the result. row.Count is the number of operations in one repetition.
// The function check checks the result for a number of repetitions.
func (b *bench) turns(
	ctx context.Context, h *hold, row Row, kernel string, args []any, result []byte,
	check func(turns int) error,
) error {
	out := h.write(ctx, poisoned(len(result)))
	if h.err != nil {
		return h.err
	}
	args = append(args, out)
	launch := func(turns int) func(driver.Queue) error {
		args := slices.Clone(args)
		args[1] = uint32(turns)
		return func(q driver.Queue) error { return q.Launch(kernel, b.items(), args...) }
	}
	turns, err := b.calibrate(ctx, launch)
	if err != nil {
		return err
	}
	row.Count *= float64(turns)
	row.Kernel, err = b.measured(ctx, out, len(result), b.launched(ctx, launch(turns)))
	if err != nil {
		return err
	}
	if row.ID == "mul-chain" {
		if err := b.sampleClocks(ctx, b.launched(ctx, launch(turns))); err != nil {
			return err
		}
	}
	if err := b.read(ctx, result, out); err != nil {
		return err
	}
	if err := check(turns); err != nil {
		return err
	}
	b.add(row)
	return nil
}

// few returns the indices of at most eight of n work items to check, since the CPU takes long to
// compute a chain.
func (in *inputs) few(n int) []int {
	rows := in.sample(n)
	if len(rows) > 8 {
		rows = append(rows[:6], 0, n-1)
	}
	return rows
}

// calibrate returns the number of iterations with which a launch takes about as long as the options
// demand. Its own launches also serve as the first launches, which are never timed.
func (b *bench) calibrate(
	ctx context.Context, launch func(turns int) func(driver.Queue) error,
) (int, error) {
	const most = 1 << 20
	for turns := 1; ; turns *= 2 {
		t, err := b.launched(ctx, launch(turns))()
		if err != nil {
			return 0, err
		}
		if t >= b.o.Launch/2 || turns >= most {
			return turns, nil
		}
		// The time of a very short launch does not tell how long a longer one takes.
		if t > time.Millisecond {
			return max(turns, min(most, int(float64(turns)*float64(b.o.Launch)/float64(t)))), nil
		}
	}
}
