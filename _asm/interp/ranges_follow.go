package interp

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Lanes returns the contents that operand o has in each lane.
func (r *Ranges) Lanes(i *Inst, o *Operand) []Lane {
	if o.Kind == Vec {
		return r.vec[o.Index][:o.Bits/64]
	}
	if o.Kind != Memory {
		r.Fault("operand %s is no vector", o.Text)
	}
	a := r.machine.Address(o)
	switch {
	case i.Broadcast || i.Kind.Broadcasts:
		return r.broadcast(a)
	case i.Kind.MemoryLanes != 0:
		return r.load(a, i.Kind.MemoryLanes)
	}
	return r.load(a, i.Lanes)
}

// broadcast returns the lanes of a register in which each lane holds the number at address a.
func (r *Ranges) broadcast(a uint64) []Lane {
	l := r.load(a, 1)[0]
	if l.position != alone {
		r.Fault("broadcasts one lane of a vector")
	}
	return r.every(l.n, everywhere)
}

// every returns the lanes of a register in which each lane holds n. Lane 0 is at the position base,
// or at position 0 if base is negative and a register has all eight lanes.
func (r *Ranges) every(n *Number, base int) []Lane {
	if r.lanes == 8 {
		base = max(base, 0)
	}
	out := make([]Lane, r.lanes)
	for k := range out {
		out[k] = Lane{n, position(base, k)}
	}
	return out
}

// Read returns the number that operand o holds in all of its lanes; see alike.
func (r *Ranges) Read(i *Inst, o *Operand) *Number { return r.whole(r.alike(r.Lanes(i, o))) }

// ReadSum returns the number that operand o holds in all of its lanes, like Read. Unlike Read, it
// accepts a number whose lanes differ from it by an offset (see Number.offset). It serves additions
// and double-precision instructions.
func (r *Ranges) ReadSum(i *Inst, o *Operand) *Number { return r.alike(r.Lanes(i, o)) }

// Write stores the number n in every lane of operand o. It records that these lanes have the same
// positions in their vector as the lanes that the instruction has read.
func (r *Ranges) Write(i *Inst, o *Operand, n *Number) {
	if r.apart {
		r.writeLane(i, o, n)
		return
	}
	r.WriteLanes(i, o, r.every(n, r.base))
}

// WriteLanes stores the lanes in operand o.
func (r *Ranges) WriteLanes(i *Inst, o *Operand, lanes []Lane) {
	if r.apart {
		r.writeApart(i, o, lanes)
		return
	}
	if i.Selection != 0 {
		n := r.choose(i, o, r.alike(lanes))
		lanes = r.every(n, r.base)
	}
	if l := lanes[0]; r.Trace != nil && l.n != nil && l.n.Lo != nil {
		r.Trace(i, l.n.Range)
	}
	if o.Kind == Memory {
		r.store(r.machine.Address(o), lanes)
		return
	}
	x := r.vec[o.Index]
	clear(x[copy(x, lanes):])
	r.written = o.Index
}

// compare checks the register that was written last: in each lane, the actual value in the run must
// be in the lane's range. If it is not, a rule for ranges is wrong, and compare stops the run.
func (r *Ranges) compare() {
	index := r.written
	if r.written = -1; index < 0 {
		return
	}
	var last *Number
	var lo, span uint64
	for k, l := range r.vec[index] {
		if l.n == nil || l.n == r.reference || l.n == r.poison {
			continue
		}
		if l.n != last {
			last = l.n
			size := new(big.Int).Sub(l.n.Hi, l.n.Lo)
			if !size.IsUint64() {
				return
			}
			lo, span = modWord(l.n.Lo)+l.n.offset, size.Uint64()
		}
		if v := r.machine.Vec[index].V[k]; v-lo > span {
			r.Fault("before this, lane %d of vector register %d is %#x, and not in %v", k, index, v,
				l.n.Range)
		}
	}
}

// modWord returns x modulo 2^64.
func modWord(x *big.Int) uint64 {
	return new(big.Int).And(x, Below(64).Hi).Uint64()
}

// choose returns the number that operand o holds after n is written to it with a mask.
func (r *Ranges) choose(i *Inst, o *Operand, n *Number) *Number {
	if o.Kind == Memory {
		r.Fault("a masked store")
	}
	var old *Number
	if i.Zeroing {
		old = r.fresh(UpTo(0))
	} else {
		old = r.Read(i, o)
	}
	if n == r.reference || old == r.reference {
		r.Fault("a choice of references")
	}
	return r.choice(r.mask[i.Selection], n, old)
}

// choice returns the number that is n in the lanes that the mask k selects, and old in the others.
func (r *Ranges) choice(k maskState, n, old *Number) *Number {
	n = r.whole(n)
	if n == r.poison || old == r.poison {
		return r.poison
	}
	joined := r.fresh(union(old.Range, n.Range))
	joined.equal = [2]*form{sumOf(n), sumOf(old)}
	joined.choice = &choice{mask: k.id, yes: n, no: old}
	if k.over != nil && k.over.whole == n && r.within(old, notNegative) && r.within(n, notNegative) &&
		r.bound(sumOf(old).less(n, 0), map[int]bool{}).Hi.Sign() <= 0 {
		joined.choice.over = k.over
	}
	return joined
}

// Choose returns the number that is yes in the lanes that mask selects, and no in the other lanes.
func (r *Ranges) Choose(mask, yes, no *Number) *Number {
	if mask.mask == nil {
		r.Fault("a choice by what is no mask")
	}
	k := *mask.mask
	if !r.fromThisRound(mask) {
		k.over = nil
	}
	return r.choice(k, yes, no)
}

// step tracks one instruction. The machine calls it before it runs the instruction.
func (r *Ranges) step(i *Inst) {
	if r.machine.Steps == 1 {
		r.hide()
	}
	r.compare()
	r.base = everywhere
	backward := i.Target >= 0 && i.Target <= r.machine.pc
	switch i.Kind.Control {
	case Return:
		r.finish()
		return
	case JumpIf:
		switch {
		case !backward:
		case r.fixed(i):
			r.settle(i.Target)
		default:
			r.rounds[r.machine.pc] = append(r.rounds[r.machine.pc], r.state())
			r.forget()
		}
		return
	case Jump:
		if backward {
			r.Fault("a loop without a condition at its end")
		}
		return
	}
	if len(i.Op) == 0 {
		return
	}
	if r.apart {
		r.stepApart(i)
		return
	}
	out := &i.Op[len(i.Op)-1]
	vectors := slices.ContainsFunc(i.Op, func(o Operand) bool { return o.Kind == Vec })
	switch {
	case !vectors && i.Kind.Range != nil:
		i.Kind.Range(r, i)
	case !vectors && out.Kind == Mask:
		r.NewMask(i)
	case !vectors && out.Kind == Memory && out.Base != Arguments && !i.Kind.Hint:
		r.storeReference(i, out)
	case !vectors:
	case i.Kind.Cancels && i.Op[0].Same(&i.Op[1]):
		r.Write(i, out, r.fresh(UpTo(0)))
	case r.special(i, out):
	case i.Kind.Range == nil:
		r.Fault("an instruction without a rule for ranges")
	default:
		i.Kind.Range(r, i)
	}
}

// special tracks an instruction if one of its operands is a reference or poison. The result is then
// also a reference, or also poison. Exception: a comparison of references gives a mask, and so does
// a shift that leaves only the sign of a reference. special reports whether there was such an
// operand.
func (r *Ranges) special(i *Inst, out *Operand) bool {
	references, poison, others := false, false, false
	for k := range i.Op {
		o := &i.Op[k]
		if o.Kind == General && o != out {
			references = true
		}
		if o == out && !i.Kind.Accumulates || o.Kind != Vec && o.Kind != Memory {
			continue
		}
		if i.Kind.Broadcasts && o.Kind == Memory {
			continue
		}
		for _, l := range r.Lanes(i, o) {
			switch {
			case l.n == r.reference:
				references = true
			case l.n == r.poison:
				poison = true
			case l.n != nil && l.n.mask == nil && l.n.Lo.Cmp(l.n.Hi) != 0:
				others = true
			}
		}
	}
	if !references && !poison {
		return false
	}
	if references && (others || poison) {
		r.Fault("a reference and a number are combined")
	}
	n := r.poison
	if references {
		n = r.reference
	}
	compares := i.Kind.Compares ||
		i.Kind.SignShifts && i.Op[0].Kind == Immediate && i.Op[0].Imm == 63
	tests := compares || out.Kind == Mask || out.Kind == General
	if tests && poison {
		r.Fault("a test of poison")
	}
	switch {
	case compares:
		r.base = anyPart
		r.Write(i, out, r.newMask())
	case out.Kind == Mask:
		r.NewMask(i)
	}
	if tests {
		return true
	}
	lanes := make([]Lane, i.Lanes)
	for k := range lanes {
		lanes[k] = Lane{n, alone}
	}
	r.WriteLanes(i, out, lanes)
	return true
}

// hide makes everything secret that is no address in memory: the arguments, and the regions that
// have values when the run begins.
func (r *Ranges) hide() {
	m := r.machine
	address := func(v uint64) bool {
		in := func(x *Region) bool { return v-x.base < uint64(len(x.data)) }
		return slices.ContainsFunc(m.regions, in)
	}
	for _, x := range m.regions {
		if slices.Contains(m.statics, x) {
			continue
		}
		for at := range x.state {
			word := x.data[at&^7:]
			if x.state[at]&defined == 0 || len(word) >= 8 && address(binary.LittleEndian.Uint64(word)) {
				continue
			}
			x.state[at] |= secret
		}
	}
}

// fixed reports whether the conditional jump i depends on nothing that is secret. As hide has made
// all arguments secret, the jump is then the same for all of them.
func (r *Ranges) fixed(i *Inst) bool {
	for _, o := range i.Op {
		if o.Kind == General && r.machine.Reg[o.Index].Secret != 0 {
			return false
		}
	}
	return !slices.ContainsFunc(r.machine.Flag, func(f Bits) bool { return f.Secret })
}

// settle ends a round of a loop that begins at the instruction first and whose jump back does not
// depend on secrets (see fixed). The loops inside it may run again, so settle checks that their
// states are stable, and deletes these states. It also narrows the ranges of results by the sums to
// which they are equal, because these sums may be used only until the next call of forget.
func (r *Ranges) settle(first int) {
	for pc := range r.rounds {
		if pc >= first && pc < r.machine.pc {
			r.stable(pc)
			delete(r.rounds, pc)
		}
	}
	for _, region := range r.results {
		for at := 0; at < len(region.data); at += 8 {
			if n := r.memory[region.base+uint64(at)].n; n != nil && n != r.reference && n != r.poison {
				r.within(r.whole(n), Range{plusOne, minusOne})
			}
		}
	}
}

// stable checks that the loop which ends at pc has a stable state.
func (r *Ranges) stable(pc int) {
	if n := len(r.rounds[pc]); n < 3 || r.rounds[pc][n-1] != r.rounds[pc][n-2] {
		r.Fault("the ranges at the end of a loop differ from round to round")
	}
}

// forget ends a round of a loop: the next round may use only the facts that state records.
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

// state describes, as text, all facts that are known at the end of a round and may be used in the
// next. It leaves out the sums to which numbers are equal, because the next round does not use
// them.
func (r *Ranges) state() string {
	var b strings.Builder
	seen := map[*Number]int{}
	var add func(l Lane)
	add = func(l Lane) {
		switch l.n {
		case nil, r.reference, r.poison:
			fmt.Fprintf(&b, "%v %v;", l.n == nil, l.n == r.poison)
			return
		}
		at, ok := seen[l.n]
		if !ok {
			at = len(seen)
			seen[l.n] = at
		}
		_, unused := r.pending[l.n]
		fmt.Fprintf(&b, "%d %d %v %v %d %v;", l.position, at, l.n.Range, unused, l.n.offset,
			l.n.mask != nil)
		for _, n := range []*Number{l.n.double, l.n.plain} {
			if n != nil {
				add(Lane{n, l.position})
			}
		}
		for _, shift := range r.arch.Carries {
			fmt.Fprintf(&b, "%v;", r.carried(l.n, shift))
		}
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

// finish checks, at the end of the run, that no bits were lost and that every loop has a stable
// state.
func (r *Ranges) finish() {
	for _, region := range r.results {
		for at := 0; at < len(region.data); at += 8 {
			r.use(r.memory[region.base+uint64(at)].n)
		}
	}
	for n, text := range r.pending {
		r.signed(n)
		r.Fault("the bits that %s shifted out are lost", text)
	}
	for _, o := range r.dropped {
		if s := r.splits[o.at]; s == nil || !s.carried {
			r.Fault("bits from %d up that %s left out are lost", o.at.shift, o.text)
		}
	}
	for _, text := range r.halves {
		switch {
		case text[0] != "" && text[1] == "":
			r.Fault("the high half for %s is not added", text[0])
		case text[0] == "" && text[1] != "":
			r.Fault("the low half for %s is not added", text[1])
		}
	}
	for pc := range r.rounds {
		r.stable(pc)
	}
}
