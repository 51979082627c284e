package kernels

import (
	"math/big"

	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/koblitz-go/koblitz/_asm/limbs/vectors"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// This file holds the kernels of package vector: one point operation at a time, with independent
// products of its formula in the lanes of a vector. Those for AVX-IFMA are in vector_half.go. The
// formulas are those of Renes, Costello and Batina ("Complete addition formulas for prime order
// elliptic curves", ePrint 2015/1060), for a = 0: algorithm 9 for doubling, 7 for addition and 8
// for mixed addition. They are correct for all points. Each is arranged in two rounds of products.
//
// A point (X : Y : Z) is homogeneous: it has the affine coordinates X/Z and Y/Z. Its lanes are X,
// Y, Z and W = 21·Z, where 21 = 3·7 is the number b3 of the formulas.

// vectorPoint returns the kernels of package vector.
func vectorPoint() (list []Kernel) {
	for _, l := range []laneLevel{
		{"IFMA", "", vectors.IFMA, false}, {"IFMA256", "_ifma256", vectors.IFMA, true},
	} {
		list = append(list, l.vectorPoint()...)
	}
	return list
}

// vectorPoint returns the kernels of package vector of this level.
func (l *laneLevel) vectorPoint() []Kernel {
	kernel := func(name, signature, layout, doc string, wide, narrow func(p *parallelMachine)) Kernel {
		k := l.kernel("vector", "kernels", name, signature, layout, doc,
			func(c *build.Context, m *vectors.Machine) {
				body := wide
				if l.narrow {
					body = narrow
				}
				body(&parallelMachine{Machine: m})
			})
		k.ConstantTime = true
		if !l.narrow {
			k.Rewrite = halfRegisters
			k.Order = func(fn *ir.Function) { vectors.Schedule(fn, reg.R8, vectors.Width) }
		}
		return k
	}
	return []Kernel{
		kernel("doubleAdd", "func(p *Point, n int, a *Addend, negate uint64)",
			"func(p *uint64, n int, a *uint64, negate uint64)",
			" sets p = 2^n·p + q, n ≥ 0, where q is the point of a, or its opposite if\n"+
				"negate is all ones instead of 0. negate is secret. The time depends on n.\n"+
				"All coordinates, including the result's, are reduced.", parallelDoubleAdd,
			parallelDoubleAdd4),
		kernel("doubleAddMultiples",
			"func(p *Point, n int, t *Multiples, i, negateI, j, negateJ uint64)",
			"func(p *uint64, n int, t *uint64, i, negateI, j, negateJ uint64)",
			" sets p = 2^n·p + q + r, n ≥ 0, where q is the point of t[i][0], or its\n"+
				"opposite if negateI is all ones instead of 0, and r is that of t[j][1], or its\n"+
				"opposite if negateJ is all ones. i and j are in range. They are secret, as\n"+
				"negateI and negateJ: the kernel reads every byte of t. The time depends on n.\n"+
				"All coordinates, including the result's, are reduced.", parallelDoubleAddMultiples,
			parallelDoubleAddMultiples4),
		kernel("doubleAddAffine", "func(p *Point, n int, a *Affine)",
			"func(p *uint64, n int, a *uint64)",
			" sets p = 2^n·p + a, n ≥ 0. The time depends on n.\n"+
				"All coordinates, including the result's, are reduced.", parallelDoubleAddAffine,
			parallelDoubleAddAffine4),
		kernel("double", "func(p *Point, n int)", "func(p *uint64, n int)",
			" sets p = 2^n·p, n ≥ 1. The time depends on n.\n"+
				"All coordinates, including the result's, are reduced.", parallelDouble, parallelDouble),
		kernel("setAddends", "func(a *[2]Addend, p *Point)", "func(a, p *uint64)",
			" sets a[0] to p and a[1] to λ·p.\n"+
				"All numbers, including the results, are reduced.", parallelAddends, parallelAddends),
	}
}

// halfRegisters narrows the vector registers of fn to 256 bits from the label "loop" to the jump
// back to it. Doublings need four lanes only.
func halfRegisters(fn *ir.Function) {
	half := false
	for _, n := range fn.Nodes {
		switch n := n.(type) {
		case ir.Label:
			half = half || n == "loop"
		case *ir.Instruction:
			half = half && !n.IsBranch
			if !half {
				continue
			}
			for _, list := range [][]operand.Op{n.Operands, n.Inputs, n.Outputs} {
				for k, o := range list {
					if r, ok := o.(reg.VecPhysical); ok {
						list[k] = r.AsY()
					}
				}
			}
		}
	}
}

// A parallelMachine writes operations on one point.
type parallelMachine struct {
	*vectors.Machine
	masks map[uint8]reg.OpmaskPhysical
}

// setMasks loads masks of lanes into the mask registers from K1 on, and overwrites earlier masks.
func (m *parallelMachine) setMasks(masks ...uint8) {
	all := []reg.OpmaskPhysical{reg.K1, reg.K2, reg.K3, reg.K4, reg.K5, reg.K6, reg.K7}
	m.masks = map[uint8]reg.OpmaskPhysical{}
	for k, bits := range masks {
		m.masks[bits] = all[k]
		m.MOVL(operand.U32(bits), reg.ECX)
		m.KMOVB(reg.ECX, all[k])
	}
}

// load returns the point at the address in r, in new registers.
func (m *parallelMachine) load(r reg.Register) vectors.Element {
	at := m.point(r)
	return m.limbwise(func(i int, r operand.Op) { m.VMOVDQU64(at[i], r.(reg.VecPhysical).AsY()) })
}

// point returns the location of the point at the address in r.
func (m *parallelMachine) point(r reg.Register) (e vectors.Element) {
	for i := range e {
		e[i] = operand.Mem{Base: r, Disp: 32 * i}
	}
	return e
}

// limbwise returns a new element whose limb i is in the register that f fills.
func (m *parallelMachine) limbwise(f func(i int, r operand.Op)) (e vectors.Element) {
	for i := range e {
		e[i] = m.Register()
		f(i, e[i])
	}
	return e
}

// permute4 returns e with lanes moved within the lower four: lane k of the result is lane
// order[k] of e.
func (m *parallelMachine) permute4(e vectors.Element, order [4]uint8) vectors.Element {
	imm := order[0] | order[1]<<2 | order[2]<<4 | order[3]<<6
	return m.limbwise(func(i int, r operand.Op) { m.VPERMQ(operand.U8(imm), e[i], r) })
}

// permute returns e with lanes moved: lane k of the result is lane order[k] of e.
func (m *parallelMachine) permute(e vectors.Element, order [8]uint64) vectors.Element {
	index := m.Register()
	m.VMOVDQU64(m.PerLane(order), index)
	out := m.limbwise(func(i int, r operand.Op) { m.VPERMQ(e[i], index, r) })
	m.Release(index)
	return out
}

// swapped returns e with neighbouring lanes exchanged.
func (m *parallelMachine) swapped(e vectors.Element) vectors.Element {
	return m.limbwise(func(i int, r operand.Op) { m.VPSHUFD(operand.U8(0x4e), e[i], r) })
}

// offset returns a multiple of p, in registers. Each limb is at least as large as that of the
// element that above describes.
func (m *parallelMachine) offset(above [2]uint64) vectors.Element {
	return m.LoadMultiple(above[0], above[1])
}

// product returns a·b + init, raw, and releases all three. init may be none.
func (m *parallelMachine) product(init, a, b vectors.Element) vectors.Element {
	z := vectors.From(init)
	m.Product(&z, a, b)
	m.Drop(a, b)
	return m.Fold(&z)
}

// shift returns e with limbs shifted to the left by counts[k] bits in lane k. A count of 64 gives
// 0.
func (m *parallelMachine) shift(e vectors.Element, counts [4]uint64) vectors.Element {
	c := m.Register()
	m.VMOVDQU64(m.PerLane([8]uint64{counts[0], counts[1], counts[2], counts[3], 64, 64, 64, 64}), c)
	out := m.limbwise(func(i int, r operand.Op) { m.VPSLLVQ(c, e[i], r) })
	m.Release(c)
	return out
}

// above22Raw holds the arguments of vectors.Multiple for the sum of 22 raw elements. Its limbs are
// below 22·21·2^52, which is less than 511·2^52 and 2^61 − 511.
var above22Raw = [2]uint64{1 << 13, 1<<9 - 1}

// double writes one doubling of the point s, whose lanes are factors (see package vectors). The
// result is in new registers, and is not carried.
//
// With w = 21·Z²:
//
//	first round   Y·Y  Z·W  X·Y  Y·Z
//	second round  XY·(Y² − 3w)  (Y² + 3w)²  w²  Y²·YZ
//	X3 = 2·XY·(Y² − 3w)  Y3 = (Y² + 3w)² − 12·w²  Z3 = 8·Y²·YZ  W3 = 168·Y²·YZ
func (m *parallelMachine) double(s vectors.Element) vectors.Element {
	a := m.permute4(s, [4]uint8{1, 2, 0, 1})
	b := m.permute4(s, [4]uint8{1, 3, 1, 2})
	r := m.product(none, a, b)

	w := m.permute4(r, [4]uint8{1, 1, 1, 1})
	a = m.permute4(r, [4]uint8{2, 0, 1, 0})
	b = m.permute4(r, [4]uint8{0, 0, 1, 3})
	m.Drop(r)
	for i := range w {
		t := m.Register()
		m.VPADDQ(w[i], w[i], t)
		m.VPADDQ(t, w[i], w[i])
		m.Release(t)
	}
	o := m.offset(aboveRaw)
	first, second, both := m.masks[1], m.masks[2], m.masks[3]
	for i := range w {
		m.VPSUBQ(w[i], o[i], first, w[i]) // 3w, in lane 0 negative
		m.VPADDQ(w[i], a[i], second, a[i])
		m.VPADDQ(w[i], b[i], both, b[i])
	}
	m.Drop(o, w)
	m.Ready(a)
	m.Ready(b)
	r = m.product(none, a, b)

	p := m.permute4(r, [4]uint8{0, 1, 3, 3})
	q := m.permute4(r, [4]uint8{0, 2, 3, 3})
	m.Drop(r)
	x := m.shift(p, [4]uint64{1, 0, 3, 3})
	m.Drop(p)
	u, v := m.shift(q, [4]uint64{64, 3, 64, 5}), m.shift(q, [4]uint64{64, 2, 64, 7})
	m.Drop(q)
	o = m.offset(aboveRaws)
	for i := range x {
		m.VPADDQ(u[i], v[i], v[i])
		m.VPSUBQ(v[i], o[i], second, v[i])
		m.VPADDQ(v[i], x[i], x[i])
	}
	m.Drop(o, u, v)
	return x
}

// begin writes code that loads the point p and doubles it n times. The result is in s, not carried,
// or reduced if reduce is set. The code after it can use all eight lanes. Unless positive is set, n
// may be 0.
func (m *parallelMachine) begin(positive, reduce bool) (s vectors.Element) {
	argument(m.Context, "p", reg.RDI)
	m.Field()
	double := m.double4
	if m.Lanes() == 8 {
		m.setMasks(1, 2, 3)
		double = m.double
	}
	argument(m.Context, "n", reg.RCX)
	s = m.load(reg.RDI)
	m.Keep(s)
	if !positive {
		m.TESTQ(reg.RCX, reg.RCX)
		m.JZ(operand.LabelRef("add"))
	}
	if !reduce {
		m.JMP(operand.LabelRef("double")) // s is carried
	}
	m.Label("loop")
	if !reduce {
		m.Ready(s)
		m.Label("double")
	}
	d := double(s)
	if reduce {
		m.Ready(d)
	}
	for i := range d {
		m.VMOVDQA64(d[i], s[i])
	}
	m.Drop(d)
	m.DECQ(reg.RCX)
	m.JNZ(operand.LabelRef("loop"))
	if reduce {
		m.Clean(s)
	}
	if !positive {
		m.Label("add")
	}
	return s
}

// end stores s, whose lanes are X, Y, Z and W, in the point p, and returns.
func (m *parallelMachine) end(s vectors.Element) {
	for i, to := range m.point(reg.RDI) {
		m.VMOVDQU64(s[i].(reg.VecPhysical).AsY(), to)
	}
	m.Return()
}

func parallelDouble(m *parallelMachine) { m.end(m.begin(true, true)) }

// second writes the second round of an addition. The lanes of v, raw, are
//
//	A = Y1·Y2 + w  B = Y1·Y2 − w  C = X1·Y2 + X2·Y1
//	D = 21·(X1·Z2 + X2·Z1)  F = Y1·Z2 + Y2·Z1  T = 3·X1·X2
//
// with w = 21·Z1·Z2, at the indices that at gives for the letters. The sum is
//
//	X3 = C·B − F·D  Y3 = A·B + T·D  Z3 = F·A + T·C
//
// with one lane for each product. second releases v and returns the sum, not carried. The fourth
// lane of the sum is not W3.
func (m *parallelMachine) second(v vectors.Element, at map[byte]uint64) vectors.Element {
	order := func(letters string) (o [8]uint64) {
		for k := range letters {
			o[k] = at[letters[k]]
		}
		return o
	}
	m.Ready(v)
	a := m.permute(v, order("CFATFT"))
	b := m.permute(v, order("BDBDAC"))
	m.Drop(v)
	r := m.product(none, a, b)

	x := m.swapped(r)
	o := m.offset(aboveRaw)
	for i := range r { // lane 0: r0 − r1, lanes 2 and 4: sums
		m.VPADDQ(r[i], o[i], o[i])
		m.VPADDQ(x[i], r[i], r[i])
		m.VPSUBQ(x[i], o[i], m.masks[1], r[i])
	}
	m.Drop(x, o)
	s := m.permute(r, [8]uint64{0, 2, 4, 4})
	m.Drop(r)
	return s
}

// finish stores s, which second returned, in the point p, and returns.
func (m *parallelMachine) finish(s vectors.Element) {
	m.timesTwentyOne(s, 8)
	m.Reduce(s)
	m.end(s)
}

// timesTwentyOne multiplies the lanes of e that bits selects by 21, without carrying.
func (m *parallelMachine) timesTwentyOne(e vectors.Element, bits uint8) {
	k := m.masks[bits]
	for i := range e {
		t, u := m.Register(), m.Register()
		m.VPSLLQ_Z(operand.U8(2), e[i], k, t)
		m.VPSLLQ_Z(operand.U8(4), e[i], k, u)
		m.VPADDQ(t, u, u)
		m.VPADDQ(u, e[i], e[i])
		m.Release(t, u)
	}
}

// parallelDoubleAddAffine writes the kernel that adds the affine point (x, y). Its first round is
//
//	Y·y + W  Y·y − W  X·y  Y·x  W·x + 21·X  Z·y + Y  X·x  X·x
func parallelDoubleAddAffine(m *parallelMachine) {
	s := m.begin(false, true)
	argument(m.Context, "a", reg.RSI)
	m.setMasks(0x27)
	q := m.limbwise(func(i int, r operand.Op) {
		at := vectors.Pointer(reg.RSI).Offset(8 * i)
		m.VPBROADCASTQ(at, r)                           // x
		m.VPBROADCASTQ(at.Offset(40), m.masks[0x27], r) // y in lanes 0, 1, 2 and 5
	})
	m.setMasks(1, 2, 8, 0x10, 0x33, 0xcc, 0xc0)
	a := m.permute(s, [8]uint64{1, 1, 0, 1, 3, 2, 0, 0})
	e := m.permute(s, [8]uint64{3, 3, 0, 0, 0, 1, 0, 0})
	m.Drop(s)
	o := m.offset(aboveReduced)
	for i := range e {
		m.VPSUBQ(e[i], o[i], m.masks[2], e[i])
	}
	m.Drop(o)
	m.timesTwentyOne(e, 0x10)
	r := m.product(none, a, q)
	for i := range r {
		m.VPADDQ(e[i], r[i], m.masks[0x33], r[i])
	}
	m.Drop(e)
	x := m.swapped(r)
	for i := range r {
		t := m.Register()
		m.VPADDQ(x[i], r[i], t)
		m.VPADDQ(x[i], r[i], m.masks[0xcc], r[i])
		m.VPADDQ(t, x[i], m.masks[0xc0], r[i])
		m.Release(t)
	}
	m.Drop(x)
	m.finish(m.second(r, map[byte]uint64{'A': 0, 'B': 1, 'C': 2, 'D': 4, 'F': 5, 'T': 6}))
}

// parallelDoubleAdd writes the kernel that adds the point of an Addend.
func parallelDoubleAdd(m *parallelMachine) {
	s := m.begin(false, false)
	argument(m.Context, "a", reg.RSI)
	m.setAddMasks()
	q := m.Load(vectors.At(vectors.Pointer(reg.RSI), 0))
	s = m.add(s, q, "negate")
	m.forget()
	m.finish(s)
}

// multiples is the number of pairs of addends in a vector.Multiples.
const multiples = 8

// parallelDoubleAddMultiples writes the kernel that adds two points of a table, at secret indices.
func parallelDoubleAddMultiples(m *parallelMachine) {
	s := m.begin(false, false)
	argument(m.Context, "t", reg.RSI)
	m.setAddMasks()
	s = m.add(s, m.read("i", 0), "negateI")
	s = m.add(s, m.read("j", 1), "negateJ")
	m.forget()
	m.finish(s)
}

// forget clears the mask register that held secrets.
func (m *parallelMachine) forget() {
	m.XORL(reg.EAX, reg.EAX)
	m.KMOVB(reg.EAX, reg.K7)
}

// read returns the addend k, 0 or 1, of the pair whose index in the table at RSI is the named
// argument. It loads each addend and copies it from register to register under a mask. A load under
// the mask would take fewer instructions, but the CPU may skip such a load if the mask is zero,
// which would reveal the index.
func (m *parallelMachine) read(index string, k int) vectors.Element {
	argument(m.Context, index, reg.RAX)
	var q vectors.Element
	for n := range multiples {
		e := m.Load(vectors.At(vectors.Pointer(reg.RSI), (2*n+k)*vectors.Size))
		m.SUBQ(operand.U8(1), reg.RAX)
		if n == 0 {
			q = e
			continue
		}
		m.SBBQ(reg.RCX, reg.RCX) // all ones if n is the index: RAX was zero before
		m.KMOVB(reg.ECX, reg.K7)
		for i := range q {
			m.VMOVDQA64(e[i], reg.K7, q[i])
		}
		m.Drop(e)
	}
	return q
}

// setAddMasks loads the masks that the method add uses.
func (m *parallelMachine) setAddMasks() { m.setMasks(1, 2, 8, 0x10, 0x20, 0x45) }

// add returns the sum of s and the point (X2 : Y2 : Z2) of the addend q, or the opposite of that
// point if the named argument is all ones. Neither s nor the result is carried; see second. add
// releases s and q. The first round of products is
//
//	Y1·Y2  Z1·21·Z2  X1·Y2  Y1·X2  (X1 + Z1)·21·(X2 + Z2)  X1·X2  Z1·Y2  Y1·Z2
func (m *parallelMachine) add(s, q vectors.Element, negate string) vectors.Element {
	argument(m.Context, negate, reg.RAX)
	m.ANDL(operand.U32(0x45), reg.EAX) // lanes that hold Y2
	m.KMOVB(reg.EAX, reg.K7)
	o := m.offset(aboveReduced)
	for i := range q {
		m.VPSUBQ(q[i], o[i], reg.K7, q[i])
	}
	m.Drop(o)
	m.Chain(q, false) // q is a factor

	x := m.permute4(s, [4]uint8{0, 0, 0, 0})
	t := m.permute4(s, [4]uint8{0, 1, 2, 2})
	m.Drop(s)
	for i := range t {
		m.VPADDQ(x[i], t[i], m.masks[8], t[i])
	}
	m.Drop(x)
	m.Ready(t)
	a := m.permute(t, [8]uint64{1, 2, 0, 1, 3, 0, 2, 1})
	m.Drop(t)
	r := m.product(none, a, q)

	x = m.swapped(r)
	w := m.permute(r, [8]uint64{1, 1, 1, 1, 1, 1, 1, 1})
	o = m.offset(aboveRaw)
	for i := range r {
		t := m.Register()
		m.VPADDQ(x[i], o[i], o[i])
		m.VPSUBQ(r[i], o[i], m.masks[2], r[i])
		m.VPADDQ(x[i], r[i], m.masks[0x45], r[i])
		m.VPADDQ(r[i], r[i], t)
		m.VPADDQ(t, r[i], m.masks[0x20], r[i])
		m.Release(t)
	}
	m.Drop(o)
	m.timesTwentyOne(x, 0x10)
	o = m.offset(above22Raw)
	for i := range r {
		m.VPADDQ(x[i], w[i], w[i])
		m.VPSUBQ(w[i], o[i], w[i])
		m.VPADDQ(w[i], r[i], m.masks[0x10], r[i])
	}
	m.Drop(o, w, x)
	return m.second(r, map[byte]uint64{'A': 0, 'B': 1, 'C': 2, 'D': 4, 'F': 6, 'T': 5})
}

// parallelAddends writes the kernel that arranges a point and λ times that point, (β·X : Y : Z), as
// addends. The lanes of an Addend are the second factors of the first round of parallelDoubleAdd.
func parallelAddends(m *parallelMachine) {
	argument(m.Context, "p", reg.RDI)
	argument(m.Context, "a", reg.RSI)
	m.Field()
	store := m.storeAddend4
	if m.Lanes() == 8 {
		m.setMasks(0x10, 0xff)
		store = m.storeAddend
	}
	s := m.load(reg.RDI)
	beta, one := limbs.Beta(), uint64(1)
	mask := new(big.Int).SetUint64(1<<52 - 1)
	b := m.limbwise(func(i int, r operand.Op) {
		limb := new(big.Int).And(beta, mask).Uint64()
		m.VMOVDQU64(m.PerLane([8]uint64{limb, one, one, one}), r)
		beta.Rsh(beta, 52)
		one = 0
	})
	store(s, 0)
	s = m.product(none, s, b)
	m.Reduce(s)
	store(s, vectors.Size)
	m.Return()
}

// storeAddend stores the point with the lanes X, Y, Z and W of s as an Addend, at offset bytes
// above the address in RSI.
func (m *parallelMachine) storeAddend(s vectors.Element, offset int) {
	x := m.permute4(s, [4]uint8{0, 0, 0, 0})
	t := m.permute4(s, [4]uint8{2, 2, 2, 2})
	m.Add(t, x)
	m.Drop(x)
	m.timesTwentyOne(t, 0xff)
	m.Reduce(t)
	q := m.permute(s, [8]uint64{1, 3, 1, 0, 0, 0, 1, 2})
	zero := m.Register()
	m.Zero(zero)
	for i := range q { // lane 4
		m.VPERMQ(t[i], zero, m.masks[0x10], q[i])
	}
	m.Release(zero)
	m.Store(q, vectors.At(vectors.Pointer(reg.RSI), offset))
	m.Drop(t, q)
}
