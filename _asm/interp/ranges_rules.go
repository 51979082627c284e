package interp

import (
	"fmt"
	"math/big"
	"strings"
)

// lanes returns what the lanes of an operand hold.
func (r *Ranges) lanes(i *inst, o *operandOf) []lane {
	n := int(o.bits / 64)
	if o.kind == isVec {
		return r.vec[o.index][:n]
	}
	if o.kind != isMem {
		r.fault("operand %s is no vector", o.text)
	}
	a := r.machine.address(o)
	if i.broadcast {
		return r.spread(a)
	}
	n = i.lanes()
	if strings.HasPrefix(i.text, "VINSERTI64X4") {
		n = 4
	}
	return r.load(a, n)
}

// spread returns all lanes with a number in memory.
func (r *Ranges) spread(a uint64) []lane {
	l := r.load(a, 1)[0]
	if l.of != alone {
		r.fault("spreads one lane of a vector")
	}
	return every(l.n)
}

// every returns all lanes with a number.
func every(n *number) []lane {
	out := make([]lane, 8)
	for k := range out {
		out[k] = lane{n, k}
	}
	return out
}

// read returns the number in an operand.
func (r *Ranges) read(i *inst, o *operandOf) *number { return r.alike(r.lanes(i, o)) }

// write stores lanes in an operand.
func (r *Ranges) write(i *inst, o *operandOf, lanes []lane) {
	if i.mask != 0 {
		lanes = every(r.choose(i, o, r.alike(lanes)))
	}
	if o.kind == isMem {
		r.store(r.machine.address(o), lanes)
		return
	}
	x := &r.vec[o.index]
	clear(x[copy(x[:], lanes):])
	r.written = x
}

// compare checks what was followed last against the run: the numbers of its
// registers are in the ranges, or a rule for ranges is wrong.
func (r *Ranges) compare() {
	x := r.written
	if r.written = nil; x == nil {
		return
	}
	var last *number
	var lo, span uint64
	for index := range r.vec {
		if x != &r.vec[index] {
			continue
		}
		for k, l := range x {
			if l.n == nil || l.n == r.reference || l.n == r.nothing {
				continue
			}
			if l.n != last {
				last = l.n
				size := new(big.Int).Sub(l.n.Hi, l.n.Lo)
				if !size.IsUint64() {
					return
				}
				lo, span = modWord(l.n.Lo), size.Uint64()
			}
			if v := r.machine.vec[index].v[k]; v-lo > span {
				r.fault("before this, lane %d of vector register %d is %#x, and not in %v", k, index, v, l.n.Range)
			}
		}
	}
}

// modWord returns x modulo 2^64.
func modWord(x *big.Int) uint64 {
	return new(big.Int).And(x, Below(64).Hi).Uint64()
}

// choose returns what a masked write of n leaves.
func (r *Ranges) choose(i *inst, o *operandOf, n *number) *number {
	if o.kind == isMem {
		r.fault("a masked store")
	}
	var old *number
	if i.zeroing {
		old = r.fresh(UpTo(0))
	} else {
		old = r.read(i, o)
	}
	if n == r.reference || old == r.reference {
		r.fault("a choice of references")
	}
	if n == r.nothing || old == r.nothing {
		return r.nothing
	}
	k := r.mask[i.mask]
	joined := r.fresh(union(old.Range, n.Range))
	joined.equal = [2]*form{sumOf(n), sumOf(old)}
	joined.choice = &choice{mask: k.id, yes: n, no: old}
	if k.over != nil && k.over.of == n && r.within(old, notNegative) && r.within(n, notNegative) &&
		r.bound(sumOf(old).less(n, 0), map[int]bool{}).Hi.Sign() <= 0 {
		joined.choice.over = k.over
	}
	return joined
}

// step follows one instruction, before the machine runs it.
func (r *Ranges) step(i *inst) {
	r.compare()
	op, _, _ := strings.Cut(i.text, " ")
	op, _, _ = strings.Cut(op, ".")
	switch {
	case op == "RET":
		r.finish()
	case op == "VZEROUPPER":
	case i.cond != nil && op[0] == 'J' && i.target >= 0 && i.target <= r.machine.pc:
		r.rounds[r.machine.pc] = append(r.rounds[r.machine.pc], r.state())
		r.forget()
	case op == "JMP" && i.target <= r.machine.pc:
		r.fault("a loop without a condition at its end")
	case op[0] == 'V':
		r.vectors(i, op)
	case len(i.op) == 0:
	case i.op[len(i.op)-1].kind == isMask:
		r.setMask(i, nil)
	case i.op[len(i.op)-1].kind == isMem && i.op[len(i.op)-1].base != baseArgs && !strings.HasPrefix(op, "PREFETCH"):
		r.fault("memory that ranges do not follow")
	}
}

// forget ends a round: what is not in state is not known in the next.
func (r *Ranges) forget() {
	r.round = r.ids
	for k := range r.mask {
		r.mask[k].over = nil
	}
	for a := range r.memory {
		if k := r.kindOf(a); k != nil && k.limbs != nil {
			delete(r.memory, a)
		}
	}
}

// setMask gives the mask that an instruction writes a new number.
func (r *Ranges) setMask(i *inst, over *split) {
	r.ids++
	r.mask[i.op[len(i.op)-1].index] = tested{r.ids, over}
}

// vectors follows an instruction on vectors.
func (r *Ranges) vectors(i *inst, op string) {
	last := len(i.op) - 1
	out := &i.op[last]
	if (op == "VPXOR" || op == "VPXORQ") && i.op[0].sameRegister(&i.op[1]) {
		r.write(i, out, every(r.fresh(UpTo(0))))
		return
	}
	if r.special(i, out) {
		return
	}
	in := func(k int) *number { return r.read(i, &i.op[k]) }
	var n *number
	switch op {
	case "VMOVDQU64", "VMOVDQA64":
		r.write(i, out, r.lanes(i, &i.op[0]))
		return
	case "VINSERTI64X4":
		r.insert(i)
		return
	case "VPUNPCKLQDQ", "VPUNPCKHQDQ":
		high := 0
		if op == "VPUNPCKHQDQ" {
			high = 1
		}
		r.permute(i, func(k int) int { return k&^1 + high + k&1*8 })
		return
	case "VSHUFI64X2":
		r.permute(i, func(k int) int { return int(i.op[0].imm>>(k&^1)&3)*2 + k&1 + k/4*8 })
		return
	case "VPBROADCASTQ":
		if i.op[0].kind != isMem {
			r.fault("spreads one lane of a vector")
		}
		r.write(i, out, r.spread(r.machine.address(&i.op[0])))
		return
	case "VPORQ", "VPXORQ":
		n = r.or(r.term(in(0)), r.term(in(1)), op == "VPORQ")
	case "VPADDQ":
		a, b := r.term(in(0)), r.term(in(1))
		n = r.result(new(big.Int).Add(a.Lo, b.Lo), new(big.Int).Add(a.Hi, b.Hi), sumOf(a, b))
	case "VPSUBQ":
		b, a := r.term(in(0)), r.term(in(1))
		n = r.result(new(big.Int).Sub(a.Lo, b.Hi), new(big.Int).Sub(a.Hi, b.Lo), sumOf(a).less(b, 0))
	case "VPMULLQ":
		b, a := r.term(in(0)), r.term(in(1))
		if !r.within(a, notNegative) || !r.within(b, notNegative) {
			r.fault("a factor that may be negative")
		}
		n = r.result(new(big.Int).Mul(a.Lo, b.Lo), new(big.Int).Mul(a.Hi, b.Hi), nil)
	case "VPSLLQ":
		n = r.shiftLeft(i, r.term(in(1)), r.count(i))
	case "VPSRLQ", "VPSRAQ":
		a := r.term(in(1))
		if op == "VPSRLQ" && !r.within(a, notNegative) {
			r.fault("%v is shifted as if it were not negative", a.Range)
		}
		if op == "VPSRAQ" && !r.within(a, words) {
			r.fault("%v is shifted as if it had a sign", a.Range)
		}
		s := r.split(a, r.count(i))
		s.carried = true
		n = s.upper
		r.pending[n] = i.text
	case "VPSHRDQ":
		n = r.fromWords(i, in(2), in(1), r.count(i))
	case "VPANDQ":
		n = r.cut(in(1), in(0))
	case "VPMADD52LUQ", "VPMADD52HUQ":
		n = r.multiplyAdd(i, in(0), in(1), r.term(in(2)), op == "VPMADD52HUQ")
	case "VPTESTMQ", "VPTESTNMQ":
		a := r.term(in(1))
		r.term(in(0))
		if op == "VPTESTMQ" && i.op[0].sameRegister(&i.op[1]) && i.mask == 0 && r.fromThisRound(a) {
			r.setMask(i, a.upperOf)
		} else {
			r.setMask(i, nil)
		}
		return
	default:
		r.fault("an instruction without a rule for ranges")
	}
	r.write(i, out, every(n))
}

// count returns how far an instruction shifts.
func (r *Ranges) count(i *inst) uint {
	if i.op[0].kind != isImm || i.op[0].imm == 0 || i.op[0].imm > 63 {
		r.fault("a shift by a number that is not known")
	}
	return uint(i.op[0].imm)
}

// special follows an instruction that has references as operands, or a number that
// nothing may depend on: so is its result then.
func (r *Ranges) special(i *inst, out *operandOf) bool {
	references, nothing, others := false, false, false
	for k := range i.op {
		o := &i.op[k]
		if o.kind == isReg {
			references = true
		}
		accumulates := strings.HasPrefix(i.text, "VPMADD52")
		if o == out && !accumulates || o.kind != isVec && o.kind != isMem {
			continue
		}
		if strings.HasPrefix(i.text, "VPBROADCASTQ") && o.kind == isMem {
			continue
		}
		for _, l := range r.lanes(i, o) {
			switch {
			case l.n == r.reference:
				references = true
			case l.n == r.nothing:
				nothing = true
			case l.n != nil && l.n.Lo.Cmp(l.n.Hi) != 0:
				others = true
			}
		}
	}
	if !references && !nothing {
		return false
	}
	if references && (others || nothing) {
		r.fault("references meet what is no reference")
	}
	n := r.nothing
	if references {
		n = r.reference
	}
	if out.kind == isMask {
		if nothing {
			r.fault("a test of what nothing may depend on")
		}
		r.setMask(i, nil)
		return true
	}
	lanes := every(n)
	for k := range lanes {
		lanes[k].of = alone
	}
	r.write(i, out, lanes[:i.lanes()])
	return true
}

// permute moves lanes of two vectors of eight: from says which one comes to k, those
// of the first source from 8 on.
func (r *Ranges) permute(i *inst, from func(k int) int) {
	last := len(i.op) - 1
	both := append(append([]lane{}, r.lanes(i, &i.op[last-1])...), r.lanes(i, &i.op[last-2])...)
	if len(both) != 16 || i.mask != 0 {
		r.fault("a move of lanes without a rule for ranges")
	}
	out := make([]lane, 8)
	for k := range out {
		out[k] = both[from(k)]
	}
	r.write(i, &i.op[last], out)
}

// insert puts four lanes into a vector.
func (r *Ranges) insert(i *inst) {
	out := append([]lane{}, r.lanes(i, &i.op[2])...)
	copy(out[i.op[0].imm&1*4:], r.lanes(i, &i.op[1]))
	r.write(i, &i.op[3], out)
}

// or joins numbers that have no bit in common to their sum. Of others only how long
// they are is known.
func (r *Ranges) or(a, b *number, join bool) *number {
	if !r.within(a, notNegative) || !r.within(b, notNegative) {
		r.fault("a logical operation on what may be negative")
	}
	longest := Below(uint(max(a.Hi.BitLen(), b.Hi.BitLen())))
	if join && r.fromThisRound(a) && r.fromThisRound(b) && (r.within(b, Below(a.align)) || r.within(a, Below(b.align))) {
		n := r.sum(intersection(longest, Range{new(big.Int).Add(a.Lo, b.Lo), new(big.Int).Add(a.Hi, b.Hi)}), sumOf(a, b))
		n.align = min(a.align, b.align)
		return n
	}
	return r.fresh(longest)
}

// shiftLeft multiplies by 2^bits, as a word without a sign if need be. Bits that
// are lost then are to be shifted out elsewhere.
func (r *Ranges) shiftLeft(i *inst, a *number, bits uint) *number {
	whole := Range{new(big.Int).Rsh(words.Lo, bits), Below(64 - bits).Hi}
	part := a
	if !r.within(a, whole) {
		if !r.within(a, notNegative) {
			r.fault("%v is shifted beyond 64 bits", a.Range)
		}
		part = r.low(a, 64-bits)
	}
	n := r.sum(Range{new(big.Int).Lsh(part.Lo, bits), new(big.Int).Lsh(part.Hi, bits)}, sumOf().plus(part, bits))
	n.align = bits + part.align
	if part != a {
		r.owed[n] = owed{place{a.id, 64 - bits}, i.text}
	}
	return n
}

// fromWords is VPSHRDQ: what stands from bit shift up in a word, and then the lowest
// bits of the next. What that leaves out of the next is to be shifted out elsewhere.
func (r *Ranges) fromWords(i *inst, a, next *number, shift uint) *number {
	if !r.within(a, Below(64)) || !r.within(next, Below(64)) {
		r.fault("%v and %v are no words", a.Range, next.Range)
	}
	s := r.split(a, shift)
	s.carried = true
	n := r.join(i.text, &joint{s.upper, next, shift}, shift)
	n.joint = &joint{s.upper, next, shift}
	return n
}

// join returns the upper part of a joint with so many bits of the next word.
func (r *Ranges) join(text string, f *joint, bits uint) *number {
	part := r.low(f.next, bits)
	n := r.sum(Range{f.upper.Lo, new(big.Int).Add(f.upper.Hi, new(big.Int).Lsh(part.Hi, 64-f.shift))},
		sumOf(f.upper).plus(part, 64-f.shift))
	if part != f.next {
		r.owed[n] = owed{place{f.next.id, bits}, text}
	}
	return n
}

// cut is VPANDQ with a mask of low bits.
func (r *Ranges) cut(a, mask *number) *number {
	if mask.Lo.Cmp(mask.Hi) != 0 {
		a, mask = mask, a
	}
	width := uint(mask.Hi.BitLen())
	if mask.Lo.Cmp(mask.Hi) != 0 || mask.Hi.Cmp(Below(width).Hi) != 0 {
		r.fault("no mask of low bits")
	}
	r.use(mask)
	carried := r.carried(a, width)
	if a.Within(Below(width)) || !carried && a.joint == nil && r.within(a, Below(width)) {
		return a
	}
	if c := a.choice; c != nil && c.over != nil && c.over.shift == width && carried {
		// What is cut off is not 0 in yes, so at least 1, and 0 where no is.
		top := r.fresh(intersection(c.over.upper.Range, Range{big.NewInt(1), c.over.upper.Hi}))
		n := r.fresh(Below(width))
		n.choice = &choice{mask: c.mask}
		n.equal = [2]*form{
			sumOf(c.yes).less(top, width),
			sumOf(c.over.lower, c.no).less(c.yes, 0),
		}
		return n
	}
	if f := a.joint; f != nil && width > 64-f.shift && r.fromThisRound(a) {
		text := r.owed[a].text
		delete(r.owed, a)
		return r.join(text, f, width-64+f.shift)
	}
	if !carried {
		r.fault("bits of %v from %d up are lost", a.Range, width)
	}
	n := r.split(a, width).lower
	if text, ok := r.pending[a]; ok {
		delete(r.pending, a)
		r.pending[n] = text
	}
	return n
}

func (r *Ranges) multiplyAdd(i *inst, a, b, d *number, upper bool) *number {
	a, x := r.factor(a)
	b, y := r.factor(b)
	r.Factors++
	top := new(big.Int).Mul(x, y)
	pair := [2]int{min(a.id, b.id), max(a.id, b.id)}
	var f *form
	switch {
	case upper:
		r.highs[pair] = i.text
		top.Rsh(top, 52)
	case top.BitLen() > 52:
		r.lows[pair] = i.text
		top = Below(52).Hi
	default: // the low half is the product
		if b.Lo.Cmp(b.Hi) != 0 {
			a, b = b, a
		}
		if b.Lo.Cmp(b.Hi) == 0 && a.Within(Below(52)) {
			f = sumOf(d)
			f.add(a, b.Hi)
		}
	}
	return r.result(d.Lo, new(big.Int).Add(d.Hi, top), f)
}

// state is all that is known at the end of a round but for what numbers are the sum
// of, which is not used in the next.
func (r *Ranges) state() string {
	var b strings.Builder
	seen := map[*number]int{}
	add := func(l lane) {
		switch l.n {
		case nil, r.reference, r.nothing:
			fmt.Fprintf(&b, "%v %v;", l.n == nil, l.n == r.nothing)
			return
		}
		at, ok := seen[l.n]
		if !ok {
			at = len(seen)
			seen[l.n] = at
		}
		_, unused := r.pending[l.n]
		fmt.Fprintf(&b, "%d %d %v %v %v %v;", l.of, at, l.n.Range, r.carried(l.n, 52), r.carried(l.n, 48), unused)
	}
	for _, v := range r.vec {
		for _, l := range v {
			add(l)
		}
	}
	for _, region := range r.machine.regions {
		if r.kindOf(region.base) != nil {
			continue
		}
		for a := region.base; a < region.base+uint64(len(region.data)); a += 8 {
			if l, ok := r.memory[a]; ok {
				fmt.Fprintf(&b, "%s %d ", region.name, a-region.base)
				add(l)
			}
		}
	}
	return b.String()
}

func (r *Ranges) finish() {
	for _, region := range r.results {
		for at := 0; at < len(region.data); at += 8 {
			r.use(r.memory[region.base+uint64(at)].n)
		}
	}
	for _, text := range r.pending {
		r.fault("what %s shifted out is lost", text)
	}
	for _, o := range r.owed {
		if s := r.splits[o.at]; s == nil || !s.carried {
			r.fault("bits from %d up that %s left out are lost", o.at.shift, o.text)
		}
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
