package measure

import (
	"context"
	"fmt"
	"math/big"
	"runtime"
	"sync"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/group"
)

// An operation is a kernel that carries out one operation for each row of its columns.
type operation struct {
	section, id, title string
	kernel             string
	operands           []operand
	results            int // coordinates in the result of a row
	bits               int // window size of the table of G that the kernel needs, or 0
	// share is the number of elements that share an inversion, for kernels that have this as a
	// parameter.
	share int
	// right reports whether got, the coordinates in the result of row i, equals what the CPU
	// computes.
	right func(in *inputs, i int, got []words) bool
}

// An operand is an input column: it gives coordinates for each row.
type operand struct {
	coordinates int
	at          func(in *inputs, i int, dst []words)
}

// These are the operands of the operations. A z coordinate of a point is element a of the same row
// of the inputs.
var (
	operandA       = operand{1, func(in *inputs, i int, dst []words) { dst[0] = in.a()[i] }}
	operandB       = operand{1, func(in *inputs, i int, dst []words) { dst[0] = in.b()[i] }}
	operandScalar  = operand{1, func(in *inputs, i int, dst []words) { dst[0] = in.scalars()[i] }}
	operandP       = operand{2, func(in *inputs, i int, dst []words) { affine(in.p(), i, dst) }}
	operandQ       = operand{2, func(in *inputs, i int, dst []words) { affine(in.q(), i, dst) }}
	operandInverse = operand{1, func(in *inputs, i int, dst []words) {
		// d becomes 1/(xq − xp), for the x coordinates of the points p and q of row i.
		d := new(big.Int).Sub(number(&in.q().points[i][0]), number(&in.p().points[i][0]))
		d.ModInverse(d, modulus)
		dst[0] = limbs(d)
	}}
	operandJacobian = operand{3, func(in *inputs, i int, dst []words) {
		z := number(&in.a()[i])
		scaled(in, i, z, dst)
		dst[2] = limbs(z)
	}}
	operandXYZZ = operand{4, func(in *inputs, i int, dst []words) {
		dst[2], dst[3] = scaled(in, i, number(&in.a()[i]), dst)
	}}
)

// affine writes the affine coordinates of point i of l to dst.
func affine(l *line, i int, dst []words) {
	dst[0], dst[1] = l.points[i][0], l.points[i][1]
}

// scaled writes x·z² and y·z³ to dst, where (x, y) is the point with index i of the inputs. It
// returns z² and z³.
func scaled(in *inputs, i int, z *big.Int, dst []words) (zz, zzz words) {
	p := &in.p().points[i]
	square := new(big.Int).Mul(z, z)
	square.Mod(square, modulus)
	cube := new(big.Int).Mul(square, z)
	cube.Mod(cube, modulus)
	dst[0] = limbs(new(big.Int).Mul(number(&p[0]), square))
	dst[1] = limbs(new(big.Int).Mul(number(&p[1]), cube))
	return limbs(square), limbs(cube)
}

// is returns a function for the field "right" of an operation. That function checks that the first
// coordinate of the result equals r, which f computes from the row's elements a and b. r is 0 when
// f is called.
func is(f func(r, a, b *big.Int)) func(*inputs, int, []words) bool {
	return func(in *inputs, i int, got []words) bool {
		want := new(big.Int)
		f(want, number(&in.a()[i]), number(&in.b()[i]))
		return equal(number(&got[0]), want)
	}
}

// times returns a function for the field "right" of an operation. That function checks that the
// result for row i is log(in, i)·G. The number of coordinates tells whether the result is affine,
// Jacobian or XYZZ.
func times(log func(in *inputs, i int) *group.Scalar) func(*inputs, int, []words) bool {
	return func(in *inputs, i int, got []words) bool { return isTimesG(got, log(in, i)) }
}

// isTimesG reports whether a point with two (affine), three (Jacobian) or four (XYZZ) coordinates
// is k·G.
func isTimesG(got []words, k *group.Scalar) bool {
	p := timesG(k)
	square, cube := big.NewInt(1), big.NewInt(1)
	switch len(got) {
	case 3:
		z := number(&got[2])
		square.Mul(z, z)
		cube.Mul(square, z)
	case 4:
		square, cube = number(&got[2]), number(&got[3])
		s, c := new(big.Int).Mul(square, square), new(big.Int).Mul(cube, cube)
		if !equal(s.Mul(s, square), c) { // ZZ³ = ZZZ²
			return false
		}
	}
	x, y := number(&p[0]), number(&p[1])
	return !equal(square, new(big.Int)) && equal(x.Mul(x, square), number(&got[0])) &&
		equal(y.Mul(y, cube), number(&got[1]))
}

// These functions return the discrete logarithms of the points that are expected as results in row
// i.
func logP(in *inputs, i int) *group.Scalar { return in.p().log(i) }
func logSum(in *inputs, i int) *group.Scalar {
	k := in.p().log(i)
	return k.Add(k, in.q().log(i))
}
func logTwice(in *inputs, i int) *group.Scalar {
	k := in.p().log(i)
	return k.Add(k, k)
}
func logScalar(in *inputs, i int) *group.Scalar {
	k, _ := in.scalars()[i].scalar() // no error, as it is below n
	return k
}
func logProduct(in *inputs, i int) *group.Scalar {
	return new(group.Scalar).Mul(logScalar(in, i), in.p().log(i))
}

// operations returns all operations on columns.
func operations() []operation {
	inverse := is(func(r, a, _ *big.Int) { r.ModInverse(a, modulus) }) // 0 for 0
	list := []operation{
		{section: Field, id: "mul", title: "multiply", kernel: "k_bench_mul",
			operands: []operand{operandA, operandB}, results: 1,
			right: is(func(r, a, b *big.Int) { r.Mul(a, b) })},
		{section: Field, id: "sqr", title: "square", kernel: "k_bench_sqr",
			operands: []operand{operandA}, results: 1,
			right: is(func(r, a, _ *big.Int) { r.Mul(a, a) })},
		{section: Field, id: "add", title: "add", kernel: "k_bench_add",
			operands: []operand{operandA, operandB}, results: 1,
			right: is(func(r, a, b *big.Int) { r.Add(a, b) })},
		{section: Field, id: "sub", title: "subtract", kernel: "k_bench_sub",
			operands: []operand{operandA, operandB}, results: 1,
			right: is(func(r, a, b *big.Int) { r.Sub(a, b) })},
		{section: Field, id: "inv", title: "inverse", kernel: "k_bench_inv",
			operands: []operand{operandA}, results: 1, right: inverse},
		{section: Points, id: "point-add-xyzz", title: "add, XYZZ and affine",
			kernel: "k_bench_xyzz_add", operands: []operand{operandXYZZ, operandQ}, results: 4,
			right: times(logSum)},
		{section: Points, id: "point-add-jacobian", title: "add, Jacobian and affine",
			kernel: "k_bench_gej_add", operands: []operand{operandJacobian, operandQ}, results: 3,
			right: times(logSum)},
		{section: Points, id: "point-add-affine", title: "add, affine, the inverse is given",
			kernel: "k_bench_ge_add", operands: []operand{operandP, operandQ, operandInverse},
			results: 2, right: times(logSum)},
		{section: Points, id: "point-double", title: "double, Jacobian",
			kernel: "k_bench_gej_double", operands: []operand{operandJacobian}, results: 3,
			right: times(logTwice)},
		{section: Points, id: "point-affine", title: "Jacobian to affine",
			kernel: "k_bench_gej_affine", operands: []operand{operandJacobian}, results: 2,
			right: times(logP)},
		{section: Points, id: "kP", title: "k·P", kernel: "k_bench_mul_point",
			operands: []operand{operandScalar, operandP}, results: 3, right: times(logProduct)},
	}
	for _, bits := range []int{kernels.CombBits, 16, 20, 22} {
		list = append(list, timesBase(bits))
	}
	for _, share := range []int{8, 32, 128} {
		list = append(list, operation{section: Field, id: fmt.Sprintf("inv-batch-%d", share),
			title: fmt.Sprintf("batch inverse, %d to an inversion", share), share: share,
			kernel: "k_bench_inv_batch", operands: []operand{operandA}, results: 1, right: inverse})
	}
	return list
}

// timesBase returns the operation that multiplies G, using a table with windows of the given size
// in bits.
func timesBase(bits int) operation {
	return operation{section: Points, id: fmt.Sprintf("kG-%d", bits), bits: bits,
		title:  fmt.Sprintf("k·G, windows of %d bits", bits),
		kernel: "k_bench_mul_base", operands: []operand{operandScalar}, results: 4,
		right: times(logScalar)}
}

// table computes a table of multiples of G on the device, with windows of the given size in bits.
func (b *bench) table(ctx context.Context, h *hold, bits int) driver.Buffer {
	table := h.alloc(int(kernels.CombSize(bits)))
	if h.err == nil {
		h.err = b.dev.Load(kernels.Rows())
	}
	if h.err != nil {
		return nil
	}
	start := kernels.CombStart(bits)
	err := b.plain.Write(table, 0, start)
	for i := 0; err == nil && i < kernels.CombWindows(bits); i++ {
		err = b.plain.Write(table, int(kernels.CombOffset(bits, i, 0)),
			kernels.CombPower(start, bits*i))
	}
	for step := 0; err == nil && step < bits-1; step++ {
		n := kernels.CombRows(bits, step)
		err = b.plain.Launch("k_comb", n, uint32(n), uint32(step), table)
	}
	if err == nil {
		err = b.plain.Wait(ctx)
	}
	h.err = err
	return table
}

// base measures an operation that multiplies G. It makes the table that the operation needs, and
// frees it afterwards. If the table is larger than the limit for random reads, the operation is
// left out.
func (b *bench) base(ctx context.Context, op *operation) error {
	if size := kernels.CombSize(op.bits); op.bits > kernels.CombBits && size > b.gatherMost() {
		b.rows -= len(b.o.columns)
		b.leave(op.id, 0, "its table takes %s", binarySize(size))
		return nil
	}
	h := b.hold()
	defer func() { h.free(b.timed, b.plain) }()
	table := b.table(ctx, h, op.bits)
	if h.err != nil {
		b.rows -= len(b.o.columns)
		return b.skip(op.id, 0, h.err)
	}
	return b.operation(ctx, op, table)
}

// operations measures the sections Field and Points.
func (b *bench) operations(ctx context.Context) error {
	for _, section := range []string{Field, Points} {
		for _, op := range operations() {
			if op.section != section || !b.o.wants(op.section, op.id) {
				continue
			}
			var err error
			if op.bits > 0 {
				err = b.base(ctx, &op)
			} else {
				err = b.operation(ctx, &op, nil)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// operation measures an operation for all sizes.
func (b *bench) operation(ctx context.Context, op *operation, table driver.Buffer) error {
	return b.sizes(op.id, b.o.columns, func(n int) (Row, error) { return b.sized(ctx, op, n, table) })
}

// sized measures an operation for n rows.
func (b *bench) sized(
	ctx context.Context, op *operation, n int, table driver.Buffer,
) (row Row, err error) {
	row = Row{Section: op.section, ID: op.id, Title: op.title, Size: n, Count: float64(n), Unit: "op"}
	h := b.hold()
	defer func() { h.free(b.timed, b.plain) }()
	items, args := n, []any{uint32(n)}
	if op.share > 0 {
		items = (n + op.share - 1) / op.share
		args = []any{uint32(items), uint32(n)}
	}
	columns := make([]planar, len(op.operands))
	buffers := make([]driver.Buffer, len(op.operands))
	for i, o := range op.operands {
		columns[i] = o.column(b.in, n)
		columns[i].data = h.host(columns[i].data)
		buffers[i] = h.write(ctx, columns[i].data)
		args = append(args, buffers[i])
	}
	if table != nil {
		args = append(args, table)
	}
	result := newPlanar(n, op.results)
	result.data = h.host(result.data)
	out := h.write(ctx, poisoned(len(result.data)))
	if h.err != nil {
		return row, h.err
	}
	args = append(args, out)
	launch := func(q driver.Queue) error { return q.Launch(op.kernel, items, args...) }
	check := func() error {
		if err := b.read(ctx, result.data, out); err != nil {
			return err
		}
		return op.verify(b.in, result)
	}
	launched := b.launched(ctx, launch)
	if _, err := launched(); err != nil { // the first launch is not timed
		return row, err
	}
	if err := check(); err != nil {
		return row, err
	}
	if row.Kernel, err = b.measured(ctx, out, len(result.data), launched); err != nil {
		return row, err
	}
	if err := check(); err != nil {
		return row, err
	}
	row.EndToEnd, err = b.measured(ctx, out, len(result.data), clock(func() error {
		for i, c := range columns {
			if err := b.plain.Write(buffers[i], 0, c.data); err != nil {
				return err
			}
		}
		if err := launch(b.plain); err != nil {
			return err
		}
		return b.read(ctx, result.data, out)
	}))
	if err != nil {
		return row, err
	}
	return row, op.verify(b.in, result)
}

// column returns the coordinates of n rows of an operand.
func (o *operand) column(in *inputs, n int) planar {
	p := newPlanar(n, o.coordinates)
	workers := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			row := make([]words, o.coordinates)
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				o.at(in, i, row)
				for c := range row {
					p.put(i, c, &row[c])
				}
			}
		})
	}
	all.Wait()
	return p
}

// verify compares the results of an operation with the CPU's.
func (op *operation) verify(in *inputs, result planar) error {
	if err := result.written(); err != nil {
		return err
	}
	got := make([]words, op.results)
	for _, i := range in.sample(result.n) {
		for c := range got {
			got[c] = result.get(i, c)
		}
		if !op.right(in, i, got) {
			return fmt.Errorf("%w: row %d of %d", ErrResult, i, result.n)
		}
	}
	return nil
}
