package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs/vectors"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func (l *laneLevel) msm() []Kernel {
	const pairs = "\n\n" +
		"There are 8·groups pairs. Pair i is the point at byte a[i] of rows and the\n" +
		"point at byte b[i], with bit 0 of both offsets ignored. A point is x, then\n" +
		"y, as four 64-bit limbs each, loose (below 2^256). If bit 0 of a[i] + b[i]\n" +
		"is 1, the second point is negated. Each group of eight pairs occupies the\n" +
		"eight lanes, in an order that only the kernels know. The kernel does not\n" +
		"check bounds."
	k := []Kernel{
		l.kernel("sums", "add", "differences",
			"func(rows []point.Affine, a, b []ref, products, differences []lanes.Element, "+
				"groups int, acc *[12]lanes.Element)",
			"func(rows []uint64, a, b []uint32, products, differences []uint64, "+
				"groups int, acc *uint64)",
			" sets differences[g], reduced, to x1 − x2 for the pairs of\n"+
				"group g. It sets products[g], a factor, to acc[g%2] times the differences of\n"+
				"the earlier groups of the same parity, even or odd. At the end it multiplies\n"+
				"acc[0] by the differences of all even groups, and acc[1] by those of all odd\n"+
				"groups. acc[0] and acc[1] are factors on entry and reduced on return. groups\n"+
				"is even and at least 2.\n"+
				"differences needs two elements more than groups. The kernel overwrites these\n"+
				"two with meaningless values. a and b need elements for eight more groups:\n"+
				"the first two of these groups must select points of rows, and the other six\n"+
				"may hold any values."+pairs,
			pairDifferences),
		l.kernel("sums", "add", "chords",
			"func(rows []point.Affine, a, b, out []ref, "+
				"products, differences []lanes.Element, groups int, acc *[12]lanes.Element)",
			"func(rows []uint64, a, b, out []uint32, products, differences []uint64, "+
				"groups int, acc *uint64)",
			" writes the sum of pair i to byte out[i] of rows, for all pairs.\n"+
				"The coordinates of the sums are loose (below 2^256). products and\n"+
				"differences are the results of differences"+l.name+" for the same pairs. acc[0]\n"+
				"and acc[1] are the inverses of those that differences"+l.name+" left; the rest of\n"+
				"acc is scratch. No pair may have two points with the same x. groups is even\n"+
				"and at least 2.\n"+
				"differences and out need elements for two more groups. The kernel overwrites\n"+
				"the points that these elements of out select with meaningless values. No\n"+
				"point that is read may be written. A point that is written more than once\n"+
				"has no meaningful value."+pairs,
			pairChords),
		l.kernel("sums", "add", "timesLambda",
			"func(rows []point.Affine, beta *lanes.Element, groups int)",
			"func(rows []uint64, beta *uint64, groups int)",
			" processes 8·groups pairs of points in rows, groups ≥ 1. It\n"+
				"sets the second point of each pair to (β·x, y), where (x, y) is the first. A\n"+
				"point is x, then y, as four 64-bit limbs each, loose (below 2^256). beta is\n"+
				"β in every lane, reduced.",
			timesLambda),
	}
	if l.name == "IFMA" {
		k[0].Order, k[1].Order = vectors.ScheduleLoop, vectors.ScheduleLoop // differences, chords
	}
	return k
}

// pairRow returns the address of a point's x coordinate if y is 0, and of its y coordinate if y is
// 1. The point is the one in lane j of group k. Register r points to the references of the groups,
// and pairRow loads the reference of the point into register ref. References of two lanes share a
// 64-bit word, and those at even positions belong to the lower four lanes. So the signs of all
// lanes can be found word by word.
func pairRow(m *vectors.Machine, r, ref reg.GPPhysical, j, k, y int) operand.Mem {
	at := operand.Mem{Base: r, Disp: 32*k + 8*(j%4) + 4*(j/4)}
	if lane := m.Lane(); lane != nil {
		at.Index, at.Scale = lane, 1
	}
	m.MOVL(at, ref.As32())
	m.ANDL(operand.I8(-64), ref.As32())
	return operand.Mem{Base: reg.RSI, Index: ref, Scale: 1, Disp: 32 * y}
}

// times returns a·b as a factor (see Ready). a is in memory, because the sums of limb products and
// the factor b occupy about half of the registers.
func times(m *vectors.Machine, a, b vectors.Element) vectors.Element {
	var z vectors.Columns
	m.Product(&z, a, b)
	e := m.Fold(&z)
	m.Ready(e)
	return e
}

// pairConstants loads or declares all constants of pairDifferences and pairChords, as Interleave
// requires.
func pairConstants(m *vectors.Machine) {
	m.Field()
	for _, k := range []uint64{4, 8} {
		v := vectors.Multiple(k, k/2)
		m.Constants(v[:]...)
	}
	m.Constants(1, 1<<32)
}

// The kernels pairDifferences and pairChords process two groups at a time, each with its own
// product of differences. In one iteration they compute values that the next iteration needs. So
// the CPU has independent work while a multiplication waits for the one before it.

// chordsLag is the number of instructions of the first chord that precede the second.
const chordsLag = 300

// pairsAhead is the number of groups by which the prefetch of rows runs ahead of the next
// iteration. Rows are often in slow memory.
const pairsAhead = 4

// pairDifferences computes the differences x1 − x2 for the next iteration, while it multiplies the
// differences of the current iteration into the running product.
func pairDifferences(c *build.Context, m *vectors.Machine) {
	a, b, products, differences, acc, count := reg.RDI, reg.R8, reg.R9, reg.R10, reg.R11, reg.R12
	pairConstants(m)
	argument(c, "acc", acc)
	argument(c, "rows", reg.RSI)
	argument(c, "a", a)
	argument(c, "b", b)
	argument(c, "products", products)
	argument(c, "differences", differences)
	argument(c, "groups", count)
	// subtract stores the differences of group k, counted from the group to which the register
	// named differences points. The registers a and b point to a group that comes later, by the
	// number of groups in the parameter ahead.
	subtract := func(m *vectors.Machine, at reg.GPPhysical, k, ahead int) {
		row := func(r reg.GPPhysical) vectors.Element {
			w := m.LoadHalves(func(j int) operand.Mem { return pairRow(m, r, at, j, k, 0) })
			return m.Split(w[:])
		}
		p := row(b)
		d := row(a)
		m.AddMultiple(d, 4, 2)
		m.Sub(d, p)
		m.Drop(p)
		m.Reduce(d)
		m.Store(d, vectors.At(vectors.Pointer(differences), (k+ahead)*vectors.Size))
		m.Drop(d)
	}
	multiply := func(m *vectors.Machine, k int) {
		here := vectors.At(vectors.Pointer(acc), k*vectors.Size)
		e := m.Load(here)
		m.Store(e, vectors.At(vectors.Pointer(products), k*vectors.Size))
		var z vectors.Columns
		m.Product(&z, vectors.At(vectors.Pointer(differences), k*vectors.Size), e)
		m.Drop(e)
		v := m.Fold(&z)
		m.Reduce(v)
		m.Store(v, here)
		m.Drop(v)
	}
	m.Interleave(0, [2]func(m *vectors.Machine){
		func(m *vectors.Machine) { subtract(m, reg.RAX, 0, 0) },
		func(m *vectors.Machine) { subtract(m, reg.RBX, 1, 0) },
	})
	c.Label("loop")
	c.ADDQ(operand.I8(64), a)
	c.ADDQ(operand.I8(64), b)
	m.Interleave(0, [2]func(m *vectors.Machine){
		func(m *vectors.Machine) {
			subtract(m, reg.RAX, 0, 2)
			if m.Lane() == nil { // otherwise it is in RCX, which the prefetches need
				for j := range 32 {
					r := []reg.GPPhysical{a, b}[j/16]
					m.PREFETCHT0(pairRow(m, r, reg.RCX, j%8, j/8%2+pairsAhead, 0))
				}
			}
			subtract(m, reg.RBX, 1, 2)
		},
		func(m *vectors.Machine) {
			multiply(m, 0)
			multiply(m, 1)
		},
	})
	c.ADDQ(operand.U32(2*vectors.Size), products)
	c.ADDQ(operand.U32(2*vectors.Size), differences)
	c.SUBQ(operand.I8(2), count)
	c.JNZ(operand.LabelRef("loop"))
	m.ReturnPublic()
}

// chordGroup is the state of one of the two groups that pairChords processes at a time. The field
// last, in memory, is the inverse of the product of all differences up to this group. The fields
// minusX1 and minusY1 are multiples of p minus x1 and y1, not carried. Sums of products begin with
// them.
type chordGroup struct {
	a, b, out, at                                                           reg.GPPhysical
	k                                                                       int
	sign, same                                                              reg.OpmaskPhysical
	product, difference, behind, last, minusX1, minusY1, inverse, slope, x3 vectors.Element
}

// pairChords processes the groups of pairs from the last to the first. It computes the slopes of
// two groups while it finishes the two groups of the previous iteration, which come after them in
// memory.
func pairChords(c *build.Context, m *vectors.Machine) {
	a, b, out := reg.RDI, reg.R8, reg.R13
	products, differences, acc, count := reg.R9, reg.R10, reg.R11, reg.R12
	pairConstants(m)
	argument(c, "acc", acc)
	argument(c, "rows", reg.RSI)
	argument(c, "a", a)
	argument(c, "b", b)
	argument(c, "out", out)
	argument(c, "products", products)
	argument(c, "differences", differences)
	argument(c, "groups", count)
	c.IMUL3Q(operand.U32(vectors.Size), count, reg.RAX)
	c.ADDQ(reg.RAX, products)
	c.ADDQ(reg.RAX, differences)
	c.MOVQ(count, reg.RAX)
	c.SHLQ(operand.U8(5), reg.RAX)
	c.ADDQ(reg.RAX, a)
	c.ADDQ(reg.RAX, b)
	c.ADDQ(reg.RAX, out)

	var chords [2]chordGroup
	for k := range chords {
		memory := func(r reg.GPPhysical, i int) vectors.Element {
			return vectors.At(vectors.Pointer(r), vectors.Size*(2*i+k))
		}
		chords[k] = chordGroup{
			a: a, b: b, out: out, at: reg.RAX, k: k, sign: reg.K1, same: reg.K2,
			product: memory(products, 0), difference: memory(differences, 0), behind: memory(differences, 1),
			last: memory(acc, 0), minusX1: memory(acc, 1), minusY1: memory(acc, 2),
			inverse: memory(acc, 3), slope: memory(acc, 4), x3: memory(acc, 5),
		}
	}
	chords[1].at, chords[1].sign, chords[1].same = reg.RBX, reg.K3, reg.K4

	turn := func(step func(m *vectors.Machine, g *chordGroup)) {
		m.Interleave(chordsLag, [2]func(m *vectors.Machine){
			func(m *vectors.Machine) { step(m, &chords[0]) },
			func(m *vectors.Machine) { step(m, &chords[1]) },
		})
	}
	back := func() {
		c.SUBQ(operand.I8(64), a)
		c.SUBQ(operand.I8(64), b)
		c.SUBQ(operand.I8(64), out)
		c.SUBQ(operand.U32(2*vectors.Size), products)
		c.SUBQ(operand.U32(2*vectors.Size), differences)
	}
	c.Label("loop")
	back()
	turn(func(m *vectors.Machine, g *chordGroup) {
		g.invert(m)
		g.abscissa(m)
		g.next(m)
		g.ordinate(m)
		g.tangent(m)
	})
	c.SUBQ(operand.I8(2), count)
	c.JNZ(operand.LabelRef("loop"))
	back()
	turn(func(m *vectors.Machine, g *chordGroup) {
		g.abscissa(m)
		g.ordinate(m)
	})
	m.ReturnPublic()
}

// invert computes the inverse of this group's difference x1 − x2: the field last, times the product
// of the differences of the groups before this one.
func (g *chordGroup) invert(m *vectors.Machine) {
	e := m.Load(g.last)
	f := times(m, g.product, e)
	m.Store(f, g.inverse)
	m.Drop(e, f)
}

// next multiplies the field last, the inverse of the running product, by this group's difference.
// The result is the inverse of the product of the remaining groups.
func (g *chordGroup) next(m *vectors.Machine) {
	e := m.Load(g.last)
	f := times(m, g.difference, e)
	m.Store(f, g.last)
	m.Drop(e, f)
}

// tangent computes minus the slope of the line through the two points, (±y2 − y1)/(x1 − x2), and
// sets minusX1 and minusY1.
func (g *chordGroup) tangent(m *vectors.Machine) {
	row := func(r reg.GPPhysical, y int) vectors.Element {
		w := m.LoadHalves(func(j int) operand.Mem { return pairRow(m, r, g.at, j, g.k, y) })
		return m.Split(w[:])
	}
	t := m.Register()
	a, b := vectors.Pointer(g.a).Offset(32*g.k), vectors.Pointer(g.b).Offset(32*g.k)
	if m.Lanes() == 4 {
		m.PairSigns(a, b, t, g.sign, g.same)
	} else {
		m.VMOVDQU64(a, t.AsY())
		m.VPXORQ(b, t.AsY(), t.AsY())
		m.VPTESTMQ_BCST(m.Constant(1), t.AsY(), g.sign)
		m.VPTESTMQ_BCST(m.Constant(1<<32), t.AsY(), g.same)
		m.KSHIFTLB(operand.U8(4), g.same, g.same)
		m.KORB(g.same, g.sign, g.sign)
		m.KNOTB(g.sign, g.same)
	}
	m.Release(t)
	minus := func(k, slack uint64, e vectors.Element) vectors.Element {
		n := m.LoadMultiple(k, slack)
		m.Sub(n, e)
		m.Drop(e)
		return n
	}
	y2 := row(g.b, 1)
	x := minus(4, 2, row(g.a, 0))
	m.Store(x, g.minusX1)
	m.Drop(x)
	dy := minus(8, 4, row(g.a, 1))
	m.Store(dy, g.minusY1)
	for i, r := range dy {
		m.VPADDQ(y2[i], r, g.same, r)
		m.VPSUBQ(y2[i], r, g.sign, r)
	}
	m.Drop(y2)
	m.Ready(dy)
	e := times(m, g.inverse, dy)
	m.Store(e, g.slope)
	m.Drop(e, dy)
}

// abscissa computes x3 = slope² − 2·x1 + (x1 − x2) for the group of the previous iteration.
func (g *chordGroup) abscissa(m *vectors.Machine) {
	e := m.Load(g.slope)
	z := m.SquareAdd(e, m.Load(g.minusX1))
	m.Drop(e)
	x := m.Fold(&z)
	m.Add(x, g.behind)
	m.Reduce(x)
	m.Store(x, g.x3)
	m.Drop(x)
}

// ordinate computes y3 = −slope·(x3 − x1) − y1 for the group of the previous iteration, and stores
// the sums (x3, y3). It reduces twice: a number reduced once is below 2^256 + 2^215. After its bits
// from 2^256 up are folded, it has 256 bits, but may be above p.
func (g *chordGroup) ordinate(m *vectors.Machine) {
	e := m.Load(g.x3)
	m.Add(e, g.minusX1)
	m.Ready(e)
	z := vectors.From(m.Load(g.minusY1))
	m.Product(&z, g.slope, e)
	m.Drop(e)
	y := m.Fold(&z)
	m.Reduce(y)
	m.Reduce(y)
	var w [8]operand.Op
	copy(w[4:], m.Join(y))
	x := m.Load(g.x3)
	m.Reduce(x)
	copy(w[:4], m.Join(x))
	m.StoreRowsAt(w, func(j int) operand.Mem { return pairRow(m, g.out, g.at, j, 2+g.k, 0) })
}

// timesLambda writes the kernel that multiplies points by λ, one group at a time. The groups are
// independent, so the CPU works on several at once.
func timesLambda(c *build.Context, m *vectors.Machine) {
	rows, beta, count := reg.RSI, reg.RDI, reg.R8
	m.Field()
	argument(c, "rows", rows)
	argument(c, "beta", beta)
	argument(c, "groups", count)
	row := func(j, at int) operand.Mem { return operand.Mem{Base: rows, Disp: 128*j + at} }
	factor := m.Load(vectors.At(vectors.Pointer(beta), 0))
	m.Convert(factor[:]...)
	c.Label("loop")
	w := m.LoadHalves(func(j int) operand.Mem { return row(j, 0) })
	e := m.Split(w[:])
	var z vectors.Columns
	m.Product(&z, factor, e)
	m.Drop(e)
	x := m.Fold(&z)
	// Reduce twice, so that the number fits 256 bits; see ordinate.
	m.Reduce(x)
	m.Reduce(x)
	var both [8]operand.Op
	copy(both[:4], m.Join(x))
	y := m.LoadHalves(func(j int) operand.Mem { return row(j, 32) })
	copy(both[4:], y[:])
	m.StoreRowsAt(both, func(j int) operand.Mem { return row(j, 64) })
	c.ADDQ(operand.U32(8*128), rows)
	c.DECQ(count)
	c.JNZ(operand.LabelRef("loop"))
	m.ReturnPublic()
}
