package interp

import (
	"fmt"
	"math/big"
	"strings"
)

// A Range is a set of numbers, from Lo to Hi.
type Range struct{ Lo, Hi *big.Int }

// Below returns the range of numbers that are not negative and below 2^bits.
func Below(bits uint) Range {
	hi := new(big.Int).Lsh(big.NewInt(1), bits)
	return Range{new(big.Int), hi.Sub(hi, big.NewInt(1))}
}

// UpTo returns the range from 0 to x.
func UpTo(x uint64) Range { return Range{new(big.Int), new(big.Int).SetUint64(x)} }

// Within returns whether all of r is in s.
func (r Range) Within(s Range) bool { return r.Lo.Cmp(s.Lo) >= 0 && r.Hi.Cmp(s.Hi) <= 0 }

func (r Range) String() string { return fmt.Sprintf("[%#x, %#x]", r.Lo, r.Hi) }

// Ranges follows a kernel on lanes for all inputs at once: of every vector it
// knows a range that holds every lane of it, whatever the arguments hold within
// theirs. A run stops with a [Fault] at an instruction
//
//   - whose sum, difference or shift to the left may leave the signed 64 bits;
//   - that shifts what may be negative to the right as if it could not be;
//   - that multiplies a factor which may be negative or 2^52 and more, unless what
//     stands from 2^52 up has been shifted out of it (carried), so that the
//     multiplier is meant to ignore it;
//   - that adds, subtracts, compares or shifts such a carried number once more, or
//     cuts bits off that have not been carried.
//
// At the end, every part that was shifted out must have been added, multiplied or
// tested, and for every product of 2^52 and more both halves must have been added.
//
// One thing is taken on trust: where a condition chooses between x and x + d by
// whether bit 256 of x + d is set, and cuts that bit off, that an x not below
// 2^256 is never chosen. It follows from the bound of the whole number, of which
// ranges of limbs know nothing.
//
// Addresses and the path are those of a run with actual arguments. For a loop, the
// ranges at its end must be the same in two rounds, and so in all that follow.
type Ranges struct {
	machine *Machine
	vec     [32]*number
	mask    [8]*high
	memory  map[uint64]*number // by address of 64 bytes, or of a number to broadcast
	ids     int
	carried map[high]bool
	pending map[int]string // parts that were shifted out, by id, until they are used
	lows    map[[2]int]string
	highs   map[[2]int]string
	rounds  map[int][]string // states at a jump back
	Factors int              // multiply-adds that were checked
	Largest Range            // of all sums
}

// high says that a number is what stands from bit shift up in number id.
type high struct {
	id    int
	shift uint
}

type number struct {
	Range
	id int
	of high // id 0: no part of another
}

// Follow makes runs of m follow ranges, until stop is called. The memory that has
// them is given with Hold.
func (m *Machine) Follow() (r *Ranges, stop func()) {
	r = &Ranges{
		machine: m, memory: map[uint64]*number{}, carried: map[high]bool{}, pending: map[int]string{},
		lows: map[[2]int]string{}, highs: map[[2]int]string{}, rounds: map[int][]string{}, Largest: UpTo(0),
	}
	m.watch = r.step
	return r, func() { m.watch = nil }
}

// Hold says what range the lanes of 64 bytes of memory, or a number that is
// broadcast, have.
func (r *Ranges) Hold(address uint64, s Range) { r.memory[address] = r.fresh(s) }

// HoldArgument is Hold for an argument by its offset.
func (r *Ranges) HoldArgument(at int, s Range) { r.Hold(r.machine.args.base+uint64(at), s) }

// At returns the range of 64 bytes of memory after the run, and whether limbs are
// clean: nothing has been carried out of them that is still there.
func (r *Ranges) At(address uint64) (s Range, ok bool) {
	n := r.memory[address]
	if n == nil {
		return Range{}, false
	}
	return n.Range, !r.isCarried(n, 52) || n.Within(Below(52))
}

func (r *Ranges) fresh(s Range) *number {
	r.ids++
	return &number{Range: s, id: r.ids}
}

func (r *Ranges) fault(format string, args ...any) { r.machine.fault(format, args...) }

// words are the numbers that 64 bits hold, with a sign.
var words = Range{new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 63)), Below(63).Hi}

// result is fresh for a sum, which must not overflow.
func (r *Ranges) result(lo, hi *big.Int) *number {
	n := r.fresh(Range{lo, hi})
	if !n.Within(words) {
		r.fault("a result in %v may overflow", n.Range)
	}
	if hi.Cmp(r.Largest.Hi) > 0 {
		r.Largest.Hi = hi
	}
	if lo.Cmp(r.Largest.Lo) < 0 {
		r.Largest.Lo = lo
	}
	return n
}

func (r *Ranges) isCarried(n *number, shift uint) bool { return r.carried[high{n.id, shift}] }

// read returns the number of an operand.
func (r *Ranges) read(i *inst, o *operandOf) *number {
	switch o.kind {
	case isVec:
		if r.vec[o.index] == nil {
			r.fault("the range of %s is not known", o.text)
		}
		return r.vec[o.index]
	case isMem:
		a := r.machine.address(o)
		if n := r.memory[a]; n != nil {
			return n
		}
		for _, s := range r.machine.statics {
			if a-s.base < uint64(len(s.data)) {
				w := r.machine.load(a, 64)
				x := new(big.Int).SetUint64(w.v)
				n := r.fresh(Range{x, x})
				r.memory[a] = n
				return n
			}
		}
	}
	r.fault("the range of %s is not known", o.text)
	return nil
}

// term reads an operand of anything but a multiplication.
func (r *Ranges) term(i *inst, o *operandOf) *number {
	n := r.read(i, o)
	for _, shift := range []uint{48, 52} {
		if r.isCarried(n, shift) && !n.Within(Below(shift)) {
			r.fault("%s has been carried from bit %d up", o.text, shift)
		}
	}
	r.use(n)
	return n
}

// use notes that a part that was shifted out has gone where it belongs.
func (r *Ranges) use(n *number) { delete(r.pending, n.id) }

// factor reads an operand of a multiplication.
func (r *Ranges) factor(i *inst, o *operandOf) (*number, *big.Int) {
	n := r.read(i, o)
	r.use(n)
	if n.Within(Below(52)) {
		return n, n.Hi
	}
	if n.Lo.Sign() < 0 || !r.isCarried(n, 52) {
		r.fault("the factor %s is in %v", o.text, n.Range)
	}
	return n, Below(52).Hi
}

func (r *Ranges) write(i *inst, o *operandOf, n *number) {
	if o.kind == isMem {
		if i.mask != 0 {
			r.fault("a masked store")
		}
		r.memory[r.machine.address(o)] = n
		return
	}
	if i.mask != 0 && !i.zeroing {
		old := r.vec[o.index]
		if old == nil {
			r.fault("the range of %s is not known", o.text)
		}
		joined := r.fresh(union(old.Range, n.Range))
		// The choice that Ranges takes on trust.
		if k := r.mask[i.mask]; k != nil && k.id == n.id {
			r.carried[high{joined.id, k.shift}] = true
		}
		n = joined
	}
	r.vec[o.index] = n
}

func union(a, b Range) Range {
	if b.Lo.Cmp(a.Lo) < 0 {
		a.Lo = b.Lo
	}
	if b.Hi.Cmp(a.Hi) > 0 {
		a.Hi = b.Hi
	}
	return a
}

// bits returns the range of numbers with as many bits as the larger bound has.
func (r *Ranges) bits(a, b *number) *number {
	if a.Lo.Sign() < 0 || b.Lo.Sign() < 0 {
		r.fault("a logical operation on what may be negative")
	}
	return r.fresh(Below(uint(max(a.Hi.BitLen(), b.Hi.BitLen()))))
}

// step follows one instruction, before the machine runs it.
func (r *Ranges) step(i *inst) {
	op, _, _ := strings.Cut(i.text, " ")
	op, _, _ = strings.Cut(op, ".")
	last := len(i.op) - 1
	var out *number
	switch op {
	case "VPXOR", "VPXORQ":
		if i.op[0].sameRegister(&i.op[1]) {
			out = r.fresh(UpTo(0))
			break
		}
		out = r.bits(r.term(i, &i.op[0]), r.term(i, &i.op[1]))
	case "VPORQ":
		out = r.bits(r.term(i, &i.op[0]), r.term(i, &i.op[1]))
	case "VMOVDQU64", "VMOVDQA64", "VPBROADCASTQ":
		out = r.read(i, &i.op[0])
	case "VPADDQ":
		a, b := r.term(i, &i.op[0]), r.term(i, &i.op[1])
		out = r.result(new(big.Int).Add(a.Lo, b.Lo), new(big.Int).Add(a.Hi, b.Hi))
	case "VPSUBQ":
		b, a := r.term(i, &i.op[0]), r.term(i, &i.op[1])
		out = r.result(new(big.Int).Sub(a.Lo, b.Hi), new(big.Int).Sub(a.Hi, b.Lo))
	case "VPMULLQ":
		b, a := r.term(i, &i.op[0]), r.term(i, &i.op[1])
		if a.Lo.Sign() < 0 || b.Lo.Sign() < 0 {
			r.fault("a factor that may be negative")
		}
		out = r.result(new(big.Int).Mul(a.Lo, b.Lo), new(big.Int).Mul(a.Hi, b.Hi))
	case "VPSLLQ":
		a, n := r.term(i, &i.op[1]), uint(i.op[0].imm)
		out = r.result(new(big.Int).Lsh(a.Lo, n), new(big.Int).Lsh(a.Hi, n))
	case "VPSRLQ", "VPSRAQ":
		a, n := r.term(i, &i.op[1]), uint(i.op[0].imm)
		if op == "VPSRLQ" && a.Lo.Sign() < 0 {
			r.fault("%v is shifted as if it were not negative", a.Range)
		}
		out = r.fresh(Range{new(big.Int).Rsh(a.Lo, n), new(big.Int).Rsh(a.Hi, n)})
		out.of = high{a.id, n}
		r.carried[out.of] = true
		r.pending[out.id] = i.text
	case "VPANDQ":
		out = r.cut(i, r.read(i, &i.op[1]), r.read(i, &i.op[0]))
	case "VPMADD52LUQ", "VPMADD52HUQ":
		out = r.multiplyAdd(i, op == "VPMADD52HUQ")
	case "VPTESTMQ", "VPTESTNMQ":
		a := r.term(i, &i.op[1])
		r.term(i, &i.op[0])
		r.mask[i.op[last].index] = nil
		if op == "VPTESTMQ" && a.of.id != 0 {
			r.mask[i.op[last].index] = &a.of
		}
		return
	case "JNE", "JNZ":
		r.rounds[r.machine.pc] = append(r.rounds[r.machine.pc], r.state())
		return
	case "RET":
		r.finish()
		return
	case "VZEROUPPER":
		return
	default:
		if strings.HasPrefix(op, "V") {
			r.fault("an instruction without a rule for ranges")
		}
		if strings.HasPrefix(op, "KMOV") && i.op[1].kind == isMask {
			r.mask[i.op[1].index] = nil
		}
		return
	}
	r.write(i, &i.op[last], out)
}

// cut is VPANDQ with a mask of low bits.
func (r *Ranges) cut(i *inst, a, mask *number) *number {
	if mask.Lo.Cmp(mask.Hi) != 0 {
		a, mask = mask, a
	}
	width := uint(mask.Hi.BitLen())
	if mask.Lo.Cmp(mask.Hi) != 0 || mask.Hi.Cmp(Below(width).Hi) != 0 {
		r.fault("no mask of low bits")
	}
	r.use(mask)
	if a.Within(Below(width)) {
		return r.fresh(a.Range)
	}
	if !r.isCarried(a, width) {
		r.fault("bits of %v from %d up are lost", a.Range, width)
	}
	return r.fresh(Below(width))
}

func (r *Ranges) multiplyAdd(i *inst, upper bool) *number {
	a, x := r.factor(i, &i.op[0])
	b, y := r.factor(i, &i.op[1])
	d := r.term(i, &i.op[2])
	r.Factors++
	top := new(big.Int).Mul(x, y)
	pair := [2]int{min(a.id, b.id), max(a.id, b.id)}
	if upper {
		r.highs[pair] = i.text
		top.Rsh(top, 52)
	} else if top.BitLen() > 52 {
		r.lows[pair] = i.text
		top = Below(52).Hi
	}
	return r.result(d.Lo, new(big.Int).Add(d.Hi, top))
}

// state is all ranges, as text.
func (r *Ranges) state() string {
	var b strings.Builder
	add := func(n *number) {
		if n == nil {
			b.WriteString("-;")
			return
		}
		fmt.Fprintf(&b, "%v %v %v;", n.Range, r.isCarried(n, 52), r.isCarried(n, 48))
	}
	for _, n := range r.vec {
		add(n)
	}
	for _, region := range r.machine.regions {
		for a := region.base; a < region.base+uint64(len(region.data)); a += 8 {
			if r.memory[a] != nil {
				fmt.Fprintf(&b, "%s %d ", region.name, a-region.base)
				add(r.memory[a])
			}
		}
	}
	return b.String()
}

func (r *Ranges) finish() {
	for _, text := range r.pending {
		r.fault("what %s shifted out is lost", text)
	}
	for pair, text := range r.lows {
		if _, ok := r.highs[pair]; !ok {
			r.fault("the high half for %s is not added", text)
		}
	}
	for pair, text := range r.highs {
		if _, ok := r.lows[pair]; !ok {
			r.fault("the low half for %s is not added", text)
		}
	}
	for _, states := range r.rounds {
		if n := len(states); n < 3 || states[n-1] != states[n-2] {
			r.fault("the ranges at the end of a loop differ from round to round")
		}
	}
}
