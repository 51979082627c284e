package interp

import "slices"

// Apart makes r follow each lane of a register as a number of its own, for kernels that hold
// different numbers in the lanes and move them from lane to lane. The rule of an instruction that
// computes lane by lane then runs once for each lane. Masks and the indices of moves are those of
// the actual run; they must be constants, or arguments whose values are all tried. HoldWord
// declares the ranges of memory.
func (r *Ranges) Apart() { r.apart = true }

// HoldWord declares that the word of memory at address is in s when the run begins.
func (r *Ranges) HoldWord(address uint64, s Range) { r.memory[address] = Lane{r.fresh(s), alone} }

// Word returns the range of the word of memory at address after the run. It tries to prove that
// this range is within s. clean is as for At.
func (r *Ranges) Word(address uint64, s Range) (bounds Range, clean bool) {
	n := r.memory[address].n
	if n == nil {
		return Range{}, false
	}
	r.within(n, s)
	return n.Range, r.clean(n)
}

// stepApart tracks one instruction that is no jump and no return.
func (r *Ranges) stepApart(i *Inst) {
	out := &i.Op[len(i.Op)-1]
	switch {
	case !slices.ContainsFunc(i.Op, func(o Operand) bool { return o.Kind == Vec }):
		if out.Kind == Memory && !i.Kind.Hint {
			r.Fault("writes memory whose ranges are not tracked")
		}
	case i.Kind.Range == nil:
		r.Fault("an instruction without a rule for ranges")
	case i.Kind.Moves:
		r.lane = 0
		i.Kind.Range(r, i)
	case out.Kind != Vec:
		r.Fault("an instruction without a rule for lanes that are apart")
	default:
		cancels := i.Kind.Cancels && i.Op[0].Same(&i.Op[1])
		for r.lane = range i.Lanes {
			switch {
			case !r.selects(i, r.lane):
				if i.Zeroing {
					r.vec[out.Index][r.lane] = Lane{r.Zero(), alone}
				}
			case cancels:
				r.writeLane(i, out, r.Zero())
			default:
				i.Kind.Range(r, i)
			}
		}
		r.clearAbove(out, i.Lanes)
	}
}

// selects reports whether the mask of i, if it has one, selects lane k.
func (r *Ranges) selects(i *Inst, k int) bool {
	return i.Selection == 0 || r.machine.Mask[i.Selection].V>>k&1 != 0
}

// known returns the number in l.
func (r *Ranges) known(l Lane) *Number {
	if l.n == nil {
		r.Fault("a lane holds an unknown value")
	}
	return l.n
}

// writeLane stores n in lane r.lane of the register o.
func (r *Ranges) writeLane(i *Inst, o *Operand, n *Number) {
	if o.Kind != Vec {
		r.Fault("an instruction without a rule for lanes that are apart")
	}
	if r.Trace != nil {
		r.Trace(i, n.Range)
	}
	r.vec[o.Index][r.lane] = Lane{n, alone}
	r.written = o.Index
}

// writeApart stores lanes in operand o, as far as the mask of i selects them.
func (r *Ranges) writeApart(i *Inst, o *Operand, lanes []Lane) {
	lanes = lanes[:i.Lanes]
	if o.Kind == Memory {
		if i.Selection != 0 {
			r.Fault("a masked store")
		}
		r.store(r.machine.Address(o), lanes)
		return
	}
	for k, l := range lanes {
		switch {
		case r.selects(i, k):
			r.vec[o.Index][k] = Lane{r.known(l), alone}
		case i.Zeroing:
			r.vec[o.Index][k] = Lane{r.Zero(), alone}
		}
	}
	r.written = o.Index
	r.clearAbove(o, i.Lanes)
}

// clearAbove records that an instruction that wrote n lanes of o has cleared the lanes above.
func (r *Ranges) clearAbove(o *Operand, n int) {
	for k := n; k < len(r.vec[o.Index]); k++ {
		r.vec[o.Index][k] = Lane{r.Zero(), alone}
	}
}

// Index returns the actual number in lane k of the register o, which is an index of a move.
func (r *Ranges) Index(o *Operand, k int) uint64 { return r.machine.Vec[o.Index].V[k] }

// Zero returns the number 0.
func (r *Ranges) Zero() *Number { return r.fresh(UpTo(0)) }

// Copy returns a number that is equal to the one in l, for a lane that holds it too. Bits that were
// carried from one of the two were carried from both.
func (r *Ranges) Copy(l Lane) Lane {
	n := r.known(l)
	c := r.sum(n.Range, sumOf(n))
	for _, shift := range r.arch.Carries {
		if r.carried(n, shift) {
			r.split(c, shift).carried = true
		}
	}
	return Lane{c, alone}
}
