package kernels

import (
	"go/ast"
	"go/parser"
	"go/types"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/limbs/vectors"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A laneLevel is a level with kernels for eight numbers at a time.
type laneLevel struct {
	name       string // of the Level
	file       string // suffix of the names of the .s files
	multiplier vectors.Multiplier
	narrow     bool // for AVX2
}

var laneLevels = []laneLevel{
	{"IFMA", "", vectors.IFMA, false},
	{"FMA512", "_fma512", vectors.FMA, false},
	{"IFMA256", "_ifma256", vectors.IFMA, true},
	{"FMA256", "_fma256", vectors.FMA, true},
}

// steps returns, for each parameter of a signature, the distance in bytes from the data of lane 0
// to those of lane 4. It is 0 for numbers and for data that belong to no lane.
func steps(signature string) map[string]int {
	distances := map[string]int{
		"*[Width][8]uint64": 256, "*[Width]scalar.Scalar": 128, "*[lanes.Width]string": 64,
		"[]lanes.Packed": 256, "[]ref": 0, "[]point.Affine": 0,
	}
	e, err := parser.ParseExpr(signature)
	if err != nil {
		panic(err)
	}
	m := map[string]int{}
	for _, f := range e.(*ast.FuncType).Params.List {
		d, ok := distances[types.ExprString(f.Type)]
		switch f.Type.(type) {
		case *ast.StarExpr, *ast.ArrayType:
			if !ok {
				d = vectors.Width / 2 // pointers to vectors
			}
		}
		for _, n := range f.Names {
			m[n.Name] = d
		}
	}
	return m
}

// kernel returns the Kernel that describes a kernel of this level.
func (l *laneLevel) kernel(
	pkg, file, name, signature, layout, doc string, body func(c *build.Context, m *vectors.Machine),
) Kernel {
	name += l.name
	k := Kernel{
		Name: name, Package: pkg, File: file + l.file + "_amd64",
		Signature: signature, Layout: layout, Doc: name + doc,
		Build: func(c *build.Context) { body(c, vectors.New(c, name, l.multiplier)) },
	}
	if l.narrow {
		var m *vectors.Machine
		layout := vectors.Layout{Frame: reg.R14, Half: reg.R13, Steps: steps(signature)}
		switch {
		case pkg == "lanes": // instructions with these registers are shorter
			layout.Frame = reg.RBX
			if !strings.Contains(signature, "Mask") { // masks are in RAX
				layout.Data = reg.RAX
			}
		case pkg == "vector":
			layout = vectors.Layout{Frame: reg.R14}
		case file == "add" && strings.HasPrefix(name, "timesLambda"):
			layout.Steps["rows"] = 512
		case file == "add":
			layout.Half, layout.Lane = reg.RDX, reg.RCX
		}
		k.Build = func(c *build.Context) {
			m = vectors.NewNarrow(c, name, l.multiplier, layout)
			body(c, m)
		}
		k.Rewrite = func(fn *ir.Function) { m.Narrow(fn) }
		k.Order = func(fn *ir.Function) { vectors.Schedule(fn, layout.Frame, vectors.Width/2) }
	}
	return k
}

// arithmetic returns the Kernel that describes a constant-time kernel of package lanes.
func (l *laneLevel) arithmetic(
	name, signature, layout, doc string, body func(c *build.Context, m *vectors.Machine),
) Kernel {
	k := l.kernel("lanes", "kernels", name, signature, layout, doc, body)
	k.ConstantTime = true
	if k.Order == nil {
		k.Order = func(fn *ir.Function) { vectors.Schedule(fn, reg.R8, vectors.Width) }
	}
	return k
}

// twoScalars returns k with a View, a second name for the operation on rows of two scalars, each
// with four 64-bit limbs. This is correct because n < p: a scalar below n is also canonical modulo
// p.
func (l *laneLevel) twoScalars(k Kernel) Kernel {
	k.View = strings.Replace(k.Name, l.name, "Scalars", 1)
	const one, two = "rows *[Width][8]uint64", "rows *[twice]scalar.Scalar"
	k.ViewSignature = strings.Replace(k.Signature, one, two, 1)
	return k
}

func (l *laneLevel) lanes() []Kernel {
	const reduced = "\nAll elements, including the result, are reduced."
	return []Kernel{
		l.arithmetic("mul", "func(v, a, b *Element)", "func(v, a, b *uint64)",
			" sets v = a·b modulo p. v may be a or b."+reduced, lanesMultiply),
		l.arithmetic("squareN", "func(v, a *Element, n int)", "func(v, a *uint64, n int)",
			" sets v = a^(2^n) modulo p, n ≥ 1. v may be a. The time depends on n."+
				reduced, lanesSquareN),
		l.arithmetic("squareNPair", "func(v, a *[2]Element, n int)", "func(v, a *uint64, n int)",
			" sets v[i] = a[i]^(2^n) modulo p for i = 0, 1, n ≥ 1. v may be a.\n"+
				"The time depends on n."+reduced, lanesSquareNPair),
		l.arithmetic("add", "func(v, a, b *Element)", "func(v, a, b *uint64)",
			" sets v = a + b modulo p. v may be a or b."+reduced, lanesAdd),
		l.arithmetic("sub", "func(v, a, b *Element)", "func(v, a, b *uint64)",
			" sets v = a − b modulo p. v may be a or b."+reduced, lanesSub),
		l.arithmetic("mulSmall", "func(v, a *Element, k uint64)", "func(v, a *uint64, k uint64)",
			" sets v = k·a modulo p, k ≤ 16. v may be a."+reduced, lanesMulSmall),
		l.arithmetic("normalize", "func(v, a *Element)", "func(v, a *uint64)",
			" sets v = a modulo p. a is reduced, and v canonical. v may be a.", lanesNormalize),
		l.arithmetic("isZero", "func(a *Element) (m Mask)", "func(a *uint64) (m_bits uint8)",
			" returns the mask of the lanes in which a is 0 modulo p. a is reduced.", lanesIsZero),
		l.arithmetic("selectLanes",
			"func(v *Element, m Mask, a, b *Element)", "func(v *uint64, m_bits uint8, a, b *uint64)",
			" sets v to a in the lanes that are set in m, and to b in the\n"+
				"other lanes. m is secret. v may be a or b.", lanesSelect),
		l.arithmetic("condNeg",
			"func(v *Element, m Mask, a *Element)", "func(v *uint64, m_bits uint8, a *uint64)",
			" sets v to −a modulo p in the lanes that are set in m, and to a in\n"+
				"the other lanes. m is secret. v may be a."+reduced, lanesCondNeg),
		l.twoScalars(l.arithmetic("unpack",
			"func(p *Affine, rows *[Width][8]uint64)", "func(p, rows *uint64)",
			" sets lane j of p, reduced, to the point in row j: x, then y, as\n"+
				"four 64-bit limbs each, loose (below 2^256).", lanesUnpack)),
		l.twoScalars(l.arithmetic("pack",
			"func(rows *[Width][8]uint64, p *Affine)", "func(rows, p *uint64)",
			" sets row j to lane j of p, in the layout of unpack"+l.name+". p is reduced,\n"+
				"and the coordinates in rows are canonical.", lanesPack)),
		l.arithmetic("mulScalar", "func(v, a, b *Scalar)", "func(v, a, b *uint64)",
			" sets v = a·b modulo n. a, b and v are canonical. v may be a or b.", lanesMulScalar),
	}
}

// element loads the pointer argument with the given name into r, and returns the element in memory
// at this address.
func element(c *build.Context, name string, r reg.Register) vectors.Element {
	argument(c, name, r)
	return vectors.At(vectors.Pointer(r), 0)
}

func lanesMultiply(c *build.Context, m *vectors.Machine) {
	a, b := element(c, "a", reg.RSI), element(c, "b", reg.RDI)
	m.Field()
	x := m.Load(a)
	var z vectors.Columns
	m.Product(&z, x, b)
	m.Drop(x)
	v := m.Fold(&z)
	m.Reduce(v)
	m.Store(v, element(c, "v", reg.RDX))
	m.Return()
}

func lanesMulScalar(c *build.Context, m *vectors.Machine) {
	a, b := element(c, "a", reg.RSI), element(c, "b", reg.RDI)
	x := m.Load(a)
	var z vectors.Columns
	m.Product(&z, x, b)
	m.Drop(x)
	v := m.FoldScalar(&z)
	m.NormalizeScalar(v, reg.K1)
	m.Store(v, element(c, "v", reg.RDX))
	m.Return()
}

// lanesSquareN writes the kernel that squares several times. It keeps the value in registers from
// one squaring to the next. Bits that were carried into the limb above stay in the lower limb too,
// during the loop, if the multiplier ignores them. After the loop, a mask removes these bits.
func lanesSquareN(c *build.Context, m *vectors.Machine) {
	a := element(c, "a", reg.RSI)
	argument(c, "n", reg.RCX)
	m.Field()
	x := m.Load(a)
	c.Label("loop")
	m.SquareInPlace(x)
	c.DECQ(reg.RCX)
	c.JNZ(operand.LabelRef("loop"))
	m.Clean(x)
	m.Store(x, element(c, "v", reg.RDX))
	m.Return()
}

func lanesSquareNPair(c *build.Context, m *vectors.Machine) {
	argument(c, "a", reg.RSI)
	argument(c, "n", reg.RCX)
	m.Field()
	x := m.Load(vectors.At(vectors.Pointer(reg.RSI), 0))
	y := m.Load(vectors.At(vectors.Pointer(reg.RSI), vectors.Size))
	c.Label("loop")
	m.SquareInPlace(x)
	m.SquareInPlace(y)
	c.DECQ(reg.RCX)
	c.JNZ(operand.LabelRef("loop"))
	m.Clean(x)
	m.Clean(y)
	argument(c, "v", reg.RDX)
	m.Store(x, vectors.At(vectors.Pointer(reg.RDX), 0))
	m.Store(y, vectors.At(vectors.Pointer(reg.RDX), vectors.Size))
	m.Return()
}

func lanesAdd(c *build.Context, m *vectors.Machine) {
	x := m.Load(element(c, "a", reg.RSI))
	m.Add(x, element(c, "b", reg.RDI))
	m.Reduce(x)
	m.Store(x, element(c, "v", reg.RDX))
	m.Return()
}

func lanesSub(c *build.Context, m *vectors.Machine) {
	x := m.Load(element(c, "a", reg.RSI))
	m.AddMultiple(x, 4, 2)
	m.Sub(x, element(c, "b", reg.RDI))
	m.Reduce(x)
	m.Store(x, element(c, "v", reg.RDX))
	m.Return()
}

func lanesMulSmall(c *build.Context, m *vectors.Machine) {
	a := element(c, "a", reg.RSI)
	k := m.Register()
	c.VPBROADCASTQ(operand.NewParamAddr("k", 16), k)
	v := m.Multiple16(a, k)
	m.Reduce(v)
	m.Store(v, element(c, "v", reg.RDX))
	m.Return()
}

func lanesNormalize(c *build.Context, m *vectors.Machine) {
	x := m.Load(element(c, "a", reg.RSI))
	m.Normalize(x, reg.K1)
	m.Store(x, element(c, "v", reg.RDX))
	m.Return()
}

// lanesIsZero writes the kernel that compares each number with zero modulo p. It folds the bits
// from 2^256 up, and compares the result with 0 and with p. This suffices because folding maps 2p
// to p, and a reduced element is never a larger multiple of p. No carry is needed: limb 0 of p is
// 2^52 − C, and if limb 0 of the result exceeds 2^52, it exceeds it by less than C.
func lanesIsZero(c *build.Context, m *vectors.Machine) {
	x := m.Load(element(c, "a", reg.RSI))
	m.Top(x)
	t, differ := m.Register(), m.Register()
	for i, v := range vectors.P {
		if i == 0 {
			c.VPXORQ_BCST(m.Constant(v), x[i], differ)
			continue
		}
		c.VPXORQ_BCST(m.Constant(v), x[i], t)
		c.VPORQ(t, differ, differ)
		c.VPORQ(x[i], x[0], x[0])
	}
	c.VPTESTNMQ(x[0], x[0], reg.K1)
	c.VPTESTNMQ(differ, differ, reg.K2)
	c.KORB(reg.K1, reg.K2, reg.K1)
	c.KMOVB(reg.K1, reg.EAX)
	c.Store(reg.AL, c.Return("m_bits"))
	m.Return()
}

// contiguous returns the addresses of eight consecutive rows of 64 bytes. r holds the first
// address.
func contiguous(r reg.Register) (row [8]operand.Mem) {
	for j := range row {
		row[j] = operand.Mem{Base: r, Disp: 64 * j}
	}
	return row
}

// coordinates returns coordinate k (0 for X, 1 for Y, 2 for Z) of the point in memory at the
// address in r.
func coordinates(r reg.Register, k int) vectors.Element {
	return vectors.At(vectors.Pointer(r), vectors.Size*k)
}

func lanesUnpack(c *build.Context, m *vectors.Machine) {
	argument(c, "rows", reg.RSI)
	argument(c, "p", reg.RDI)
	w := m.LoadRows(contiguous(reg.RSI))
	for k := range 2 {
		e := m.Split(w[4*k : 4*k+4])
		m.Store(e, coordinates(reg.RDI, k))
		m.Drop(e)
	}
	m.Return()
}

func lanesPack(c *build.Context, m *vectors.Machine) {
	argument(c, "p", reg.RSI)
	argument(c, "rows", reg.RDI)
	m.StoreRows(canonicalWords(m, reg.RSI), contiguous(reg.RDI))
	m.Return()
}

// canonicalWords returns the canonical 64-bit words of x and y of the point in memory at the
// address in r: four words of x, then four of y.
func canonicalWords(m *vectors.Machine, r reg.Register) [8]operand.Op {
	var w [8]operand.Op
	for k := range 2 {
		e := m.Load(coordinates(r, k))
		m.Normalize(e, reg.K1)
		copy(w[4*k:], m.Join(e))
	}
	return w
}

// laneMask loads the mask argument with the given name into the mask register k.
func laneMask(c *build.Context, name string, k reg.OpmaskPhysical) {
	c.Load(c.Param(name), reg.EAX)
	c.KMOVB(reg.EAX, k)
}

func lanesSelect(c *build.Context, m *vectors.Machine) {
	laneMask(c, "m_bits", reg.K1)
	x := m.Load(element(c, "b", reg.RDI))
	a := element(c, "a", reg.RSI)
	for i := range x {
		c.VMOVDQU64(a[i], reg.K1, x[i])
	}
	m.Store(x, element(c, "v", reg.RDX))
	m.Return()
}

func lanesCondNeg(c *build.Context, m *vectors.Machine) {
	laneMask(c, "m_bits", reg.K1)
	x := m.Load(element(c, "a", reg.RSI))
	y := m.Negative(x)
	m.Reduce(y)
	for i := range x {
		c.VMOVDQA64(y[i], reg.K1, x[i])
	}
	m.Store(x, element(c, "v", reg.RDX))
	m.Return()
}
