package proof

import (
	"math"
	"math/big"
	"slices"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// addX86Vectors adds the rules for instructions that compute in lanes of 64 bits. A lane is a
// signed number. That no sum overflows is proven by [interp.Ranges].
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
	move := func(r *Run, i *interp.Inst) {
		n := width(i)
		r.setLanes(i, 1, r.lanes(i, 0, n))
	}
	for _, name := range []string{"VMOVDQU64", "VMOVDQA64", "VMOVDQU"} {
		t[name] = move
	}
	t["VPBROADCASTQ"] = func(r *Run, i *interp.Inst) {
		n := width(i)
		f := &Form{}
		switch i.Op[0].Kind {
		case interp.Vec:
			f = r.lane(i.Op[0].Index, 0)
		default:
			f = r.get(i, 0, 64)
		}
		if _, ok := f.constant(); !ok && r.Width > 0 {
			r.fault("one number in all lanes")
		}
		out := make([]*Form, n)
		for k := range out {
			out[k] = f
		}
		r.setLanes(i, 1, out)
	}
	t["VMOVQ"] = func(r *Run, i *interp.Inst) { // to a vector register, which it clears above
		if i.Op[1].Kind != interp.Vec {
			r.fault("no rule")
		}
		r.setLanes(i, 1, []*Form{r.get(i, 0, 64), {}})
	}
	// two sets the last operand to f(a, b), where a is the operand before the last one, and b the
	// one before that.
	two := func(names []string, f func(r *Run, a, b *Form) *Form) {
		for _, name := range names {
			t[name] = func(r *Run, i *interp.Inst) {
				n := width(i)
				out := make([]*Form, n)
				if i.Kind.Cancels && i.Op[0].Same(&i.Op[1]) {
					for k := range out {
						out[k] = &Form{}
					}
				} else {
					a, b := r.lanes(i, 1, n), r.lanes(i, 0, n)
					for k := range out {
						if a[k] == unknown || b[k] == unknown {
							out[k] = unknown
						} else {
							out[k] = f(r, a[k], b[k])
						}
					}
				}
				r.setLanes(i, 2, out)
			}
		}
	}
	two([]string{"VPADDQ"}, (*Run).addLanes)
	two([]string{"VPSUBQ"}, func(r *Run, a, b *Form) *Form { return r.Total([]*Form{a}, []*Form{b}) })
	two([]string{"VPANDQ", "VPAND"}, (*Run).and)
	two([]string{"VPORQ", "VPOR"}, (*Run).or)
	two([]string{"VPXORQ", "VPXOR"}, (*Run).xor)
	two([]string{"VPMULLQ"}, func(r *Run, a, b *Form) *Form { return r.Product(a, b) })
	two([]string{"VPMULUDQ"}, func(r *Run, a, b *Form) *Form {
		return r.Product(r.low(a, 32), r.low(b, 32))
	})
	two([]string{"VPSLLVQ"}, func(r *Run, a, b *Form) *Form { return r.leftLane(a, r.count(b)) })
	two([]string{"VPSRLVQ"}, func(r *Run, a, b *Form) *Form { return r.rightLane(a, r.count(b)) })
	t["VPTERNLOGQ"] = func(r *Run, i *interp.Inst) {
		n := width(i)
		b, a, d := r.lanes(i, 1, n), r.lanes(i, 2, n), r.lanes(i, 3, n)
		out := make([]*Form, n)
		for k := range out {
			switch {
			case i.Op[0].Imm == 0xff:
				out[k] = Int(-1)
			case a[k] == unknown || b[k] == unknown || d[k] == unknown:
				out[k] = unknown
			case i.Op[0].Imm == 0xf8:
				out[k] = r.or(r.and(a[k], b[k]), d[k])
			default:
				r.fault("no rule")
			}
		}
		r.setLanes(i, 3, out)
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
			out := r.lanes(i, 1, width(i))
			for k, f := range out {
				if f != unknown {
					out[k] = shift(r, f, n)
				}
			}
			r.setLanes(i, 2, out)
		}
	}
	for name, upper := range map[string]bool{"VPMADD52LUQ": false, "VPMADD52HUQ": true} {
		t[name] = func(r *Run, i *interp.Inst) {
			n := width(i)
			b, a, d := r.lanes(i, 0, n), r.lanes(i, 1, n), r.lanes(i, 2, n)
			out := make([]*Form, n)
			for k := range out {
				if a[k] == unknown || b[k] == unknown || d[k] == unknown {
					out[k] = unknown
					continue
				}
				high, low := r.Cut(r.Product(r.low(a[k], 52), r.low(b[k], 52)), 52, nil)
				if upper {
					low = high
				}
				out[k] = r.Total([]*Form{d[k], low}, nil)
			}
			r.setLanes(i, 2, out)
		}
	}
	t["STMXCSR"] = func(r *Run, i *interp.Inst) {
		at := r.machine.Address(&i.Op[0]) &^ 7
		r.Ignore(at)
		for k := range uint64(8) {
			delete(r.parts, at+k)
		}
	}
	t["LDMXCSR"] = func(*Run, *interp.Inst) {}
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

// lanes returns n lanes of operand k of the instruction i.
func (r *Run) lanes(i *interp.Inst, k, n int) []*Form {
	o := &i.Op[k]
	out := make([]*Form, n)
	var a uint64
	if o.Kind == interp.Memory {
		a = r.machine.Address(o)
	}
	for j := range out {
		switch o.Kind {
		case interp.Vec:
			out[j] = r.lane(o.Index, j)
		case interp.Immediate:
			out[j] = Constant(word(o.Imm))
		case interp.Memory:
			r.aligned(a, 64)
			if out[j] = r.memory[a]; out[j] == nil {
				out[j] = Int(int64(r.machine.Load(a, 64).V))
			}
			if !i.Broadcast {
				a += 8
			}
		default:
			r.fault("an operand of another kind")
		}
	}
	r.uniform(i, o, out)
	return out
}

// uniform stops the run unless the operand is the same in all lanes: a constant, or numbers of
// which only the followed one is known.
func (r *Run) uniform(i *interp.Inst, o *interp.Operand, lanes []*Form) {
	if r.Width == 0 || o.Kind == interp.Immediate {
		return
	}
	n := o.Bits / 64
	if o.Kind == interp.Memory {
		n = uint(len(lanes))
	}
	if int(n) != r.Width || len(lanes) != r.Width {
		r.fault("a vector of another width")
	}
	some := slices.Contains(lanes, unknown)
	for k, f := range lanes {
		_, constant := f.constant()
		switch {
		case some && k == r.Lane%r.Width && !(i.Broadcast && o.Kind == interp.Memory):
		case some && f != unknown, !some && !constant,
			!some && !r.Differ && f.Key() != lanes[0].Key():
			r.fault("lanes that differ")
		}
	}
}

// setLanes will write lanes to operand k of the instruction i.
func (r *Run) setLanes(i *interp.Inst, k int, lanes []*Form) {
	if i.Selection != 0 {
		lanes = r.chosen(i, k, lanes)
	}
	sum := i.Opcode == "VPADDQ" || i.Opcode == "VPSUBQ"
	for j, f := range lanes {
		lanes[j] = r.wrap(f, sum)
	}
	w := vectorWrite{operand: &i.Op[k], lanes: lanes}
	if i.Op[k].Kind == interp.Memory {
		w.address = r.machine.Address(&i.Op[k])
		r.aligned(w.address, 64)
	}
	r.vectors = append(r.vectors, w)
}

// chosen returns what the instruction i will leave in operand k. In the lanes that its mask
// selects, these are the given forms. In the others they are the old ones, or zeros if i clears
// these lanes.
func (r *Run) chosen(i *interp.Inst, k int, lanes []*Form) []*Form {
	old := make([]*Form, len(lanes))
	for j := range old {
		old[j] = &Form{}
	}
	if !i.Zeroing {
		old = r.lanes(i, k, len(lanes))
	}
	out := make([]*Form, len(lanes))
	for j, f := range lanes {
		out[j] = r.choose(r.maskBit(i.Selection, j), f, old[j])
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

// maskBit returns bit j of a mask register.
func (r *Run) maskBit(index, j int) *Form {
	switch m := r.mask[index]; {
	case j < len(m):
		return m[j]
	case m != nil: // lanes beyond those of the instruction that wrote the mask
		return &Form{}
	}
	return Int(int64(r.machine.Mask[index].V >> j & 1))
}

// isZero returns 1 if f, which is not negative, is 0, and otherwise 0.
func (r *Run) isZero(f *Form) *Form {
	if f == unknown {
		return f
	}
	if x, ok := f.constant(); ok {
		return r.IsZero(Constant(new(big.Int).And(x, allOnes)))
	}
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
			n := width(i)
			out, b := make([]*Form, n), r.lanes(i, 1, n)
			for k, a := range r.lanes(i, 0, n) {
				if out[k] = unknown; a == unknown || b[k] == unknown {
					continue
				}
				if out[k] = r.isZero(r.and(a, b[k])); !zero {
					out[k] = Int(1).Sub(out[k])
				}
			}
			r.masks = append(r.masks, maskWrite{i.Op[2].Index, out})
		}
	}
	t["KMOVB"] = func(r *Run, i *interp.Inst) {
		if i.Op[0].Kind == interp.Mask {
			bits := make([]*Form, 8)
			for k := range bits {
				bits[k] = r.maskBit(i.Op[0].Index, k)
			}
			if i.Op[1].Kind != interp.General {
				r.fault("no rule")
			}
			r.set(i, 1, 32, r.joinBits(bits))
			return
		}
		if _, ok := r.get(i, 0, 8).constant(); !ok {
			r.fault("a mask that is not constant")
		}
		r.masks = append(r.masks, maskWrite{i.Op[1].Index, nil})
	}
	t["VPCMPEQQ"] = func(r *Run, i *interp.Inst) { // −1 in the lanes where a = b
		n := width(i)
		b, a := r.lanes(i, 0, n), r.lanes(i, 1, n)
		out := make([]*Form, n)
		for k := range out {
			switch {
			case i.Op[0].Same(&i.Op[1]):
				out[k] = Int(-1)
			case a[k] == unknown || b[k] == unknown:
				out[k] = unknown
			default:
				f := a[k].Sub(b[k])
				if x, ok := a[k].constant(); ok && x.Sign() == 0 {
					f = b[k]
				}
				out[k] = r.isZero(f).Times(big.NewInt(-1))
			}
		}
		r.setLanes(i, 2, out)
	}
	t["VPBLENDVB"] = func(r *Run, i *interp.Inst) {
		n := width(i)
		m, yes, no := r.lanes(i, 0, n), r.lanes(i, 1, n), r.lanes(i, 2, n)
		out := make([]*Form, n)
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

// wrap returns f, or f plus a multiple of 2^64 that brings it into the range of signed numbers. A
// word that is no sum may also be a number from 2^63 to 2^64 − 1. The constants that kernels add to
// the bits of doubles make sums overflow. sum says that f is a sum, which [interp.Ranges] proves
// not to overflow apart from such constants.
func (r *Run) wrap(f *Form, sum bool) *Form {
	if f == unknown {
		return f
	}
	lo, hi := r.quick(f)
	if lo.Cmp(r.lowest) >= 0 && hi.Cmp(r.highest) <= 0 ||
		!sum && lo.Sign() >= 0 && hi.Cmp(allOnes) <= 0 {
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
		if !sum || r.Strict {
			r.fault("a lane that may overflow")
		}
		return f
	}
	turns.Lsh(turns, 64)
	g := f.Sub(Constant(turns))
	lo, hi = new(big.Int).Sub(lo, turns), new(big.Int).Sub(hi, turns)
	if lo.Cmp(r.lowest) < 0 || hi.Cmp(r.highest) > 0 {
		lo, hi = r.Lower(g, r.lowest), r.Upper(g, r.highest)
		if lo.Cmp(r.lowest) < 0 || hi.Cmp(r.highest) > 0 {
			if !sum || r.Strict {
				r.fault("a lane that may overflow")
			}
			return f
		}
	}
	r.Know(g, lo, hi)
	return g
}

// A double is what a double-precision number stands for: the integer x, or, if rest is set, the
// number h − (2^104 + 2^52) for the product x·y, with h as in interp/ranges_doubles.go.
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

// doubleOf returns what f stands for.
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
		n := width(i)
		b, a := r.lanes(i, 0, n), r.lanes(i, 1, n)
		out := make([]*Form, n)
		for k := range out {
			out[k] = unknown
			if a[k] == unknown || b[k] == unknown {
				continue
			}
			if isConstant(b[k], bits52) {
				x := a[k].Sub(Constant(word(bits52)))
				if lo, hi := r.quick(x); lo.Sign() < 0 || hi.Cmp(power(52)) >= 0 {
					if !r.fits(x, 52) {
						r.fault("a factor that may exceed 52 bits: %v", x)
					}
				}
				out[k] = r.number(double{x: x}, float64(x.Now().Int64()))
				continue
			}
			h, ok := r.halves[a[k].Key()]
			if !ok || !isConstant(b[k], bitsBoth) {
				r.fault("a difference of double-precision numbers")
			}
			v := math.Float64frombits(uint64(a[k].Now().Int64())) - math.Float64frombits(bitsBoth)
			out[k] = r.number(double{h.x, h.y, true}, v)
		}
		r.setLanes(i, 2, out)
	}
	for name, subtract := range map[string]bool{"VFMADD231PD": false, "VFMSUB231PD": true} {
		t[name] = func(r *Run, i *interp.Inst) {
			n := width(i)
			a, b, d := r.lanes(i, 0, n), r.lanes(i, 1, n), r.lanes(i, 2, n)
			out := make([]*Form, n)
			for k := range out {
				out[k] = unknown
				if a[k] == unknown || b[k] == unknown || d[k] == unknown {
					continue
				}
				x, one := r.doubleOf(a[k])
				y, two := r.doubleOf(b[k])
				if !one || !two || x.rest || y.rest {
					r.fault("a factor that is no integer")
				}
				high, low := r.Cut(r.Product(x.x, y.x), 52, nil)
				rest, ok := r.doubleOf(d[k])
				switch {
				case !subtract && isConstant(d[k], bits104):
					out[k] = r.Total([]*Form{high, Constant(word(bits104))}, nil)
					r.halves[out[k].Key()] = double{x: x.x, y: y.x}
				case subtract && ok && rest.rest &&
					r.Product(rest.x, rest.y).Key() == r.Product(x.x, y.x).Key():
					out[k] = r.Total([]*Form{low, Constant(word(bits52))}, nil)
				default:
					r.fault("a sum of double-precision numbers that is no half of a product")
				}
			}
			r.setLanes(i, 2, out)
		}
	}
}
