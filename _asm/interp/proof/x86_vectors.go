package proof

import (
	"math"
	"math/big"
	"slices"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// addX86Vectors adds the rules for instructions that compute in lanes of 64 bits. A lane is a
// signed number.
func addX86Vectors(t map[string]func(*Run, *interp.Inst)) {
	// zero clears the lanes from lane up of the registers 0 to 15. The others stay as they are.
	zero := func(lane int) func(r *Run, _ *interp.Inst) {
		return func(r *Run, _ *interp.Inst) {
			for k := range 16 {
				clear(r.vec[k][lane:])
			}
		}
	}
	t["VZEROUPPER"], t["VZEROALL"] = zero(2), zero(0)
	for _, name := range []string{"VMOVDQU64", "VMOVDQA64", "VMOVDQU"} {
		t[name] = func(r *Run, i *interp.Inst) { r.setLanes(i, 1, r.vector(i, 0)) }
	}
	t["VPBROADCASTQ"] = func(r *Run, i *interp.Inst) {
		f := &Form{}
		switch i.Op[0].Kind {
		case interp.Vec:
			f = r.lane(i.Op[0].Index, 0)
		default:
			f = r.get(i, 0, 64)
			r.moves(i, 0, f)
		}
		r.setLanes(i, 1, slices.Repeat([]*Form{f}, width(i)))
	}
	t["VMOVQ"] = func(r *Run, i *interp.Inst) { // to a vector register, which it clears above
		if i.Op[1].Kind != interp.Vec {
			r.fault("no rule")
		}
		f := r.get(i, 0, 64)
		r.moves(i, 0, f)
		r.setLanes(i, 1, []*Form{f, {}})
	}
	// two sets the last operand to f(a, b), where a is the operand before the last one, and b the
	// one before that.
	two := func(names []string, f func(r *Run, a, b *Form) *Form) {
		for _, name := range names {
			t[name] = func(r *Run, i *interp.Inst) {
				if i.Kind.Cancels && i.Op[0].Same(&i.Op[1]) {
					n := width(i)
					if n == r.Width {
						n = 1
					}
					r.setLanes(i, 2, slices.Repeat([]*Form{{}}, n))
					return
				}
				r.setLanes(i, 2, r.lanewise(i, func(x []*Form) *Form { return f(r, x[1], x[0]) }, 0, 1))
			}
		}
	}
	two([]string{"VPADDQ"}, (*Run).addLanes)
	two([]string{"VPSUBQ"}, func(r *Run, a, b *Form) *Form { return r.Total([]*Form{a}, []*Form{b}) })
	for _, name := range []string{"VPANDQ", "VPAND"} {
		t[name] = func(r *Run, i *interp.Inst) {
			out := r.lanewise(i, func(x []*Form) *Form { return r.and(x[1], x[0]) }, 0, 1)
			for _, at := range []int{0, 1} {
				for j, f := range r.vector(i, at) {
					if x, ok := f.constant(); ok && x.Sign() == 0 { // also if the other lane is unknown
						out[j] = &Form{}
					}
				}
			}
			r.setLanes(i, 2, out)
		}
	}
	two([]string{"VPORQ", "VPOR"}, (*Run).or)
	two([]string{"VPXORQ", "VPXOR"}, (*Run).xor)
	two([]string{"VPMULLQ"}, func(r *Run, a, b *Form) *Form { return r.Product(a, b) })
	two([]string{"VPMULUDQ"}, func(r *Run, a, b *Form) *Form {
		return r.Product(r.low(a, 32), r.low(b, 32))
	})
	two([]string{"VPCMPGTQ"}, func(r *Run, a, b *Form) *Form { // −1 if a > b
		return r.Floor(r.signed(b).Sub(r.signed(a)), 64, nil)
	})
	two([]string{"VPSLLVQ"}, func(r *Run, a, b *Form) *Form { return r.leftLane(a, r.count(b)) })
	two([]string{"VPSRLVQ"}, func(r *Run, a, b *Form) *Form { return r.rightLane(a, r.count(b)) })
	t["VPTERNLOGQ"] = func(r *Run, i *interp.Inst) {
		if i.Op[0].Imm == 0xff {
			r.setLanes(i, 3, r.ones(i))
			return
		}
		r.setLanes(i, 3, r.lanewise(i, func(x []*Form) *Form {
			if i.Op[0].Imm != 0xf8 {
				r.fault("no rule")
			}
			return r.or(r.and(x[0], x[1]), x[2])
		}, 1, 2, 3))
	}
	for name, shift := range map[string]func(r *Run, f *Form, n uint) *Form{
		"VPSLLQ": (*Run).leftLane, "VPSRLQ": (*Run).rightLane,
		"VPSRAQ": func(r *Run, f *Form, n uint) *Form { return r.Floor(r.signed(f), n, nil) },
	} {
		t[name] = func(r *Run, i *interp.Inst) {
			n := uint(64) // all lanes are shifted by it
			switch o := &i.Op[0]; o.Kind {
			case interp.Immediate:
				n = uint(min(o.Imm, 64))
			case interp.Vec:
				n = r.count(r.lane(o.Index, 0))
			default:
				r.fault("no rule")
			}
			r.setLanes(i, 2, r.lanewise(i, func(x []*Form) *Form { return shift(r, x[0], n) }, 1))
		}
	}
	for name, upper := range map[string]bool{"VPMADD52LUQ": false, "VPMADD52HUQ": true} {
		t[name] = func(r *Run, i *interp.Inst) {
			r.setLanes(i, 2, r.lanewise(i, func(x []*Form) *Form {
				high, low := r.Cut(r.Product(r.low(x[1], 52), r.low(x[0], 52)), 52, nil)
				if upper {
					low = high
				}
				return r.Total([]*Form{x[2], low}, nil)
			}, 0, 1, 2))
		}
	}
	t["STMXCSR"] = func(r *Run, i *interp.Inst) {
		r.set(i, 0, 32, Constant(word(r.machine.Flag[r.flagOf("MXCSR")].V)))
	}
	t["LDMXCSR"] = func(r *Run, i *interp.Inst) {
		if variable(r.get(i, 0, 32)) != nil {
			r.fault("a rounding mode that is not constant")
		}
	}
	addX86Masks(t)
	addX86Moves(t)
	addX86Doubles(t)
}

// lane returns lane j of a vector register.
func (r *Run) lane(index, j int) *Form {
	if f := r.vec[index][j]; f != nil {
		return f
	}
	return Int(int64(r.machine.Vec[index].V[j]))
}

// width returns the number of lanes of the instruction.
func width(i *interp.Inst) int {
	if i.Lanes > 0 {
		return i.Lanes
	}
	n := 0
	for k := range i.Op {
		if i.Op[k].Kind == interp.Vec {
			n = max(n, int(i.Op[k].Bits/64))
		}
	}
	return n
}

// lanes returns n lanes of the operand o of the instruction i.
func (r *Run) lanes(i *interp.Inst, o *interp.Operand, n int) []*Form {
	out := make([]*Form, n)
	var a uint64
	if o.Kind == interp.Memory {
		a = r.address(o)
	}
	for j := range out {
		switch o.Kind {
		case interp.Vec:
			out[j] = r.lane(o.Index, j)
		case interp.Memory:
			r.aligned(a, 64)
			if out[j] = r.memory[a]; out[j] == nil {
				out[j] = Int(int64(r.machine.Load(a, 64).V))
			}
			if r.inFrame(a) { // where a kernel may have put a counter
				r.moves(i, j, out[j])
			}
			if !i.Broadcast {
				a += 8
			}
		default:
			r.fault("an operand of another kind")
		}
	}
	return out
}

// vector returns the lanes of operand k of the instruction i, or only the first lane if it stands
// for all.
func (r *Run) vector(i *interp.Inst, k int) []*Form {
	out, o := r.lanes(i, &i.Op[k], width(i)), &i.Op[k]
	switch {
	case r.Width == 0:
		return out
	case len(out) != r.Width || o.Kind == interp.Vec && int(o.Bits) != 64*r.Width:
		r.fault("a vector of another width")
	case o.Kind == interp.Memory && !i.Broadcast:
		return r.standing(out, r.address(o))
	}
	return r.standing(out, 0)
}

// standing returns the first lane, which stands for all. It stops the run unless all lanes have the
// same constant, or the other lanes are known to be the same function of their inputs as the first
// lane is of its inputs. The lanes are at the address a in memory, or in a register if a is 0.
func (r *Run) standing(lanes []*Form, a uint64) []*Form {
	f := lanes[0]
	if f == unknown {
		return lanes[:1]
	}
	for k, g := range lanes[1:] {
		if _, constant := f.constant(); constant && g.Key() != f.Key() ||
			!constant && (g != unknown || a != 0 && r.alike[a+8*uint64(k+1)] != (likeness{f, k + 1})) {
			r.fault("lanes that differ")
		}
	}
	return lanes[:1]
}

// spread returns the lanes of a vector whose first lane stands for all, if that is the only one.
// Others must be constants then.
func (r *Run) spread(lanes []*Form) []*Form {
	switch {
	case r.Width == 0:
	case len(lanes) == 1 && variable(lanes[0]) == nil:
		return slices.Repeat(lanes, r.Width)
	case len(lanes) == 1:
		return append(lanes, slices.Repeat([]*Form{unknown}, r.Width-1)...)
	case slices.ContainsFunc(lanes, func(f *Form) bool { return variable(f) != nil }):
		r.fault("lanes that are not treated alike")
	}
	return lanes
}

// lanewise returns f of the operands with the given indices, lane by lane.
func (r *Run) lanewise(i *interp.Inst, f func(x []*Form) *Form, from ...int) []*Form {
	operands, x := make([][]*Form, len(from)), make([]*Form, len(from))
	for k, at := range from {
		operands[k] = r.vector(i, at)
	}
	out := make([]*Form, len(operands[0]))
	for j := range out {
		for k := range x {
			x[k] = operands[k][j]
		}
		if out[j] = unknown; !slices.Contains(x, unknown) {
			out[j] = f(x)
		}
	}
	return out
}

// setMask will write bits to the last operand of i: one for each lane, or one if the first lane
// stands for all.
func (r *Run) setMask(i *interp.Inst, bits []*Form) {
	r.masks = append(r.masks, maskWrite{i.Op[len(i.Op)-1].Index, r.spread(bits)})
}

// ones returns the lanes of a vector of ones.
func (r *Run) ones(i *interp.Inst) []*Form { return slices.Repeat([]*Form{Int(-1)}, width(i)) }

// setLanes will write lanes to operand k of the instruction i.
func (r *Run) setLanes(i *interp.Inst, k int, lanes []*Form) {
	if i.Selection != 0 {
		lanes = r.chosen(i, k, lanes)
	}
	sum := i.Opcode == "VPADDQ" || i.Opcode == "VPSUBQ"
	for j, f := range lanes {
		lanes[j] = r.wrap(f, sum)
	}
	w := vectorWrite{operand: &i.Op[k], lanes: r.spread(lanes)}
	if i.Op[k].Kind == interp.Memory {
		w.address = r.address(&i.Op[k])
		r.aligned(w.address, 64)
	}
	r.vectors = append(r.vectors, w)
}

// chosen returns what the instruction i will leave in operand k. In the lanes that its mask
// selects, these are the given forms. In the others they are the old ones, or zeros if i clears
// these lanes.
func (r *Run) chosen(i *interp.Inst, k int, lanes []*Form) []*Form {
	if r.Width > 0 && len(lanes) > 1 {
		lanes = r.standing(r.spread(lanes), 0)
	}
	bits, old := r.selection(i.Selection, len(lanes)), slices.Repeat([]*Form{{}}, len(lanes))
	if !i.Zeroing {
		old = r.vector(i, k)
	}
	out := make([]*Form, len(lanes))
	for j, f := range lanes {
		out[j] = r.choose(bits[j], f, old[j])
	}
	return out
}

// choose returns f if the bit b is 1, and g if it is 0.
func (r *Run) choose(b, f, g *Form) *Form {
	switch x, ok := b.constant(); {
	case ok && x.Sign() != 0:
		return f
	case ok:
		return g
	case b == unknown || f == unknown || g == unknown:
		return unknown
	}
	out := r.Select(b, f, g)
	lo, hi := r.quick(f)
	l, h := r.quick(g)
	if l.Cmp(lo) < 0 {
		lo = l
	}
	if h.Cmp(hi) > 0 {
		hi = h
	}
	r.Know(out, lo, hi)
	return out
}

// selection returns n bits of a mask register, or only the first bit if it stands for all.
func (r *Run) selection(index, n int) []*Form {
	if r.Width > 0 {
		return r.standing(r.maskBits(index, r.Width), 0)
	}
	return r.maskBits(index, n)
}

// maskBits returns n bits of a mask register.
func (r *Run) maskBits(index, n int) (out []*Form) {
	for j := range n {
		f := &Form{} // beyond the lanes of the instruction that wrote the mask
		if m := r.mask[index]; j < len(m) {
			f = m[j]
		} else if m == nil {
			f = Int(int64(r.machine.Mask[index].V >> j & 1))
		}
		out = append(out, f)
	}
	return out
}

// isZero returns 1 if f, which is not negative, is 0, and otherwise 0.
func (r *Run) isZero(f *Form) *Form {
	if f == unknown {
		return f
	}
	if x, ok := f.constant(); ok {
		return r.IsZero(Constant(new(big.Int).And(x, allOnes)))
	}
	f = f.divide(f.twos(64))
	if r.bitForm(f) != nil {
		return Int(1).Sub(f)
	}
	if lo, _ := r.quick(f); lo.Sign() < 0 && r.Lower(f, new(big.Int)).Sign() < 0 {
		r.fault("compares a number that may be negative")
	}
	if _, hi := r.quick(f); hi.Cmp(allOnes) > 0 && r.Upper(f, allOnes).Cmp(allOnes) > 0 {
		r.fault("compares a number that may exceed a word")
	}
	return r.IsZero(f)
}

// addX86Masks adds the rules for masks.
func addX86Masks(t map[string]func(*Run, *interp.Inst)) {
	for name, zero := range map[string]bool{"VPTESTMQ": false, "VPTESTNMQ": true} {
		t[name] = func(r *Run, i *interp.Inst) {
			if i.Selection != 0 {
				r.fault("no rule")
			}
			r.setMask(i, r.lanewise(i, func(x []*Form) *Form {
				f := r.isZero(r.and(x[0], x[1]))
				if !zero {
					f = Int(1).Sub(f)
				}
				return f
			}, 0, 1))
		}
	}
	t["KMOVB"] = func(r *Run, i *interp.Inst) {
		if i.Op[0].Kind == interp.Mask {
			if i.Op[1].Kind != interp.General {
				r.fault("no rule")
			}
			r.set(i, 1, 32, r.joinBits(r.maskBits(i.Op[0].Index, 8)))
			return
		}
		f := r.get(i, 0, 8)
		if variable(f) == nil {
			r.masks = append(r.masks, maskWrite{i.Op[1].Index, nil})
			return
		}
		bits := make([]*Form, 8)
		for k := range bits {
			bits[k] = r.low(r.Floor(f, uint(k), nil), 1)
		}
		r.setMask(i, bits)
	}
	t["VPCMPEQQ"] = func(r *Run, i *interp.Inst) { // −1 in the lanes where a = b
		if i.Op[0].Same(&i.Op[1]) {
			r.setLanes(i, 2, r.ones(i))
			return
		}
		r.setLanes(i, 2, r.lanewise(i, func(x []*Form) *Form {
			f := x[1].Sub(x[0])
			if _, hi := r.quick(f); hi.Sign() <= 0 {
				f = x[0].Sub(x[1])
			}
			return r.isZero(f).Times(big.NewInt(-1))
		}, 0, 1))
	}
	t["VPBLENDVB"] = func(r *Run, i *interp.Inst) {
		m, yes, no := r.vector(i, 0), r.vector(i, 1), r.vector(i, 2)
		out := make([]*Form, len(m))
		for k := range out {
			b := unknown
			switch x, ok := m[k].constant(); {
			case m[k] == unknown:
			case ok && x.Sign() == 0:
				b = &Form{}
			case ok && x.Cmp(big.NewInt(-1)) == 0:
				b = Int(1)
			default:
				if b = r.maskOf(m[k]); b == nil {
					r.fault("a selection by a number that is no mask")
				}
			}
			out[k] = r.choose(b, yes[k], no[k])
		}
		r.setLanes(i, 3, out)
	}
}

// wrap returns f, or f plus a multiple of 2^64 that brings it into the range of signed numbers. The
// constants that kernels add to the bits of doubles make sums overflow; apart from such constants,
// no lane may overflow. sum says that f is a sum. A word that is no sum, or that can be on both
// sides of 2^63, may also be a number from 0 to 2^64 − 1.
func (r *Run) wrap(f *Form, sum bool) *Form {
	if f == unknown {
		return f
	}
	lo, hi := r.quick(f)
	word := lo.Sign() >= 0 && hi.Cmp(allOnes) <= 0
	if lo.Cmp(r.lowest) >= 0 && hi.Cmp(r.highest) <= 0 || !sum && word {
		return f
	}
	turns := new(big.Int).Rsh(new(big.Int).Add(f.coefficient(one), power(63)), 64)
	if new(big.Int).Sub(hi, lo).Cmp(power(64)) < 0 {
		middle := new(big.Int).Add(lo, hi)
		turns = middle.Rsh(middle.Add(middle, power(64)), 65)
	}
	if turns.Sign() == 0 {
		if g := r.near(f); g != nil {
			return g
		}
	} else {
		turns.Lsh(turns, 64)
		g := f.Sub(Constant(turns))
		lo, hi = new(big.Int).Sub(lo, turns), new(big.Int).Sub(hi, turns)
		if lo.Cmp(r.lowest) < 0 || hi.Cmp(r.highest) > 0 {
			lo, hi = r.Lower(g, r.lowest), r.Upper(g, r.highest)
		}
		if lo.Cmp(r.lowest) >= 0 && hi.Cmp(r.highest) <= 0 {
			r.Know(g, lo, hi)
			return g
		}
	}
	if !word {
		r.fault("a lane that may overflow")
	}
	return f
}

// The kernels multiply integers x and y from 0 to 2^52 − 1 in double precision, with every sum
// rounded toward zero:
//
//	h = x·y + 2^104                   has the bits of 2^104, plus the upper half of x·y
//	l = x·y − (h − (2^104 + 2^52))    has the bits of 2^52, plus the lower half of x·y
//
// They add the bits of h and l as 64-bit integers, and remove the bits of 2^104 and 2^52 from the
// sum by a constant.

// A double is the value of a double-precision number: the integer x, or, if rest is set, the number
// h − (2^104 + 2^52) for the product x·y.
type double struct {
	x, y *Form
	rest bool
}

// These are the bits of 2^52, 2^104 and 2^104 + 2^52 as double-precision numbers.
const (
	bits52   = 0x433 << 52
	bits104  = 0x467 << 52
	bitsBoth = bits104 + 1
)

// number returns a form that stands for the double-precision number d, whose value in the run is v.
func (r *Run) number(d double, v float64) *Form {
	key := "double " + d.x.Key()
	if d.y != nil {
		key += " " + d.y.Key()
	}
	f := r.add(key, &atom{kind: input, name: "double", lo: r.lowest, hi: r.highest,
		now: big.NewInt(int64(math.Float64bits(v)))})
	r.doubles[f] = d
	return f.form()
}

// isConstant reports whether f is the number with the bits v.
func isConstant(f *Form, v uint64) bool {
	x, ok := f.constant()
	return ok && x.Cmp(big.NewInt(int64(v))) == 0
}

// doubleOf returns the double-precision number whose bits the form f stands for. ok is false if it
// is not known.
func (r *Run) doubleOf(f *Form) (d double, ok bool) {
	if x, constant := f.constant(); constant {
		v := math.Float64frombits(uint64(x.Int64()))
		return double{x: Int(int64(v))}, v == math.Trunc(v) && v >= 0 && v < 1<<52
	}
	if len(f.terms) != 1 {
		return d, false
	}
	d, ok = r.doubles[f.terms[0].atom]
	return d, ok
}

// addX86Doubles adds the rules for the halves of products in double precision, rounded toward zero.
func addX86Doubles(t map[string]func(*Run, *interp.Inst)) {
	t["VSUBPD"] = func(r *Run, i *interp.Inst) { // a − b
		r.setLanes(i, 2, r.lanewise(i, func(x []*Form) *Form {
			a, b := x[1], x[0]
			if isConstant(b, bits52) {
				x := a.Sub(Constant(word(bits52)))
				if lo, hi := r.quick(x); lo.Sign() < 0 || hi.Cmp(power(52)) >= 0 {
					if !r.fits(x, 52) {
						r.fault("a factor that may exceed 52 bits: %v", x)
					}
				}
				return r.number(double{x: x}, float64(x.Now().Int64()))
			}
			h, ok := r.halves[a.Key()]
			if !ok || !isConstant(b, bitsBoth) {
				r.fault("a difference of double-precision numbers")
			}
			v := math.Float64frombits(uint64(a.Now().Int64())) - math.Float64frombits(bitsBoth)
			return r.number(double{h.x, h.y, true}, v)
		}, 0, 1))
	}
	for name, subtract := range map[string]bool{"VFMADD231PD": false, "VFMSUB231PD": true} {
		t[name] = func(r *Run, i *interp.Inst) {
			r.setLanes(i, 2, r.lanewise(i, func(f []*Form) *Form {
				x, one := r.doubleOf(f[0])
				y, two := r.doubleOf(f[1])
				if !one || !two || x.rest || y.rest {
					r.fault("a factor that is no integer")
				}
				high, low := r.Cut(r.Product(x.x, y.x), 52, nil)
				rest, ok := r.doubleOf(f[2])
				switch {
				case !subtract && isConstant(f[2], bits104):
					out := r.Total([]*Form{high, Constant(word(bits104))}, nil)
					r.halves[out.Key()] = double{x: x.x, y: y.x}
					return out
				case subtract && ok && rest.rest &&
					r.Product(rest.x, rest.y).Key() == r.Product(x.x, y.x).Key():
					return r.Total([]*Form{low, Constant(word(bits52))}, nil)
				}
				r.fault("a sum of double-precision numbers that is no half of a product")
				return nil
			}, 0, 1, 2))
		}
	}
}
