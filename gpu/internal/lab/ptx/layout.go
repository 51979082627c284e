package ptx

// A bitset is a set of registers: bit i is set if register i belongs to it.
type bitset []uint64

func (b bitset) has(r *register) bool { return b[r.slot>>6]>>(r.slot&63)&1 != 0 }
func (b bitset) set(r *register)      { b[r.slot>>6] |= 1 << (r.slot & 63) }
func (b bitset) clear(r *register)    { b[r.slot>>6] &^= 1 << (r.slot & 63) }

// intersect removes from b the registers that are not in c, and reports whether that changed b.
func (b bitset) intersect(c bitset) bool {
	changed := false
	for i, v := range c {
		if b[i]&^v != 0 {
			b[i] &= v
			changed = true
		}
	}
	return changed
}

// A flow computes which registers are defined at each statement of a function on every path that
// leads to the statement.
type flow struct {
	fn    *function
	steps []step
	begin map[int]bitset // registers defined at the first statement of each block
}

// advance adds to b, the set of defined registers, those that statement i defines. A guarded
// statement may not be executed, so it defines nothing.
func (f *flow) advance(b bitset, i int) {
	s := &f.fn.statements[i]
	if s.mark == markScope {
		for _, r := range s.regs {
			b.clear(r)
		}
	}
	if s.guard == nil {
		for _, r := range f.steps[i].writes {
			b.set(r)
		}
	}
}

// solve computes, for every block, the set of registers that are defined at its beginning.
func (f *flow) solve() {
	words := (len(f.fn.registers) + 63) / 64
	f.begin = map[int]bitset{0: make(bitset, words)}
	work := []int{0}
	reach := func(at int, b bitset) {
		if at >= len(f.steps) {
			return
		}
		old, ok := f.begin[at]
		if !ok {
			f.begin[at] = append(bitset(nil), b...)
		} else if !old.intersect(b) {
			return
		}
		work = append(work, at)
	}
	labels := make(map[int]bool)
	for _, l := range f.fn.labels {
		labels[l.at] = true
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		b := append(bitset(nil), f.begin[i]...)
		for first := i; i < len(f.steps); i++ {
			if i > first && labels[i] {
				reach(i, b)
				break
			}
			f.advance(b, i)
			if l := f.steps[i].jump; l != nil {
				reach(l.at, b)
			}
			if f.steps[i].always {
				break
			}
		}
	}
}

// lay produces fn.code from the translated statements. It inserts a check before an instruction
// that reads a register that is not defined on every path. At run time, the interpreter records
// writes to these registers only.
func (fn *function) lay(steps []step) {
	f := &flow{fn: fn, steps: steps}
	f.solve()
	words := (len(fn.registers) + 63) / 64
	unsure := make(bitset, words)
	needs := make([][]*register, len(steps))
	reached := make([]bool, len(steps))
	var b bitset
	for i := range steps {
		if s, ok := f.begin[i]; ok {
			b = append(b[:0], s...)
		} else if i > 0 && (!reached[i-1] || steps[i-1].always) {
			continue
		}
		reached[i] = true
		reads := steps[i].reads
		if g := fn.statements[i].guard; g != nil {
			reads = append(reads[:len(reads):len(reads)], g)
		}
		for _, r := range reads {
			if !b.has(r) {
				unsure.set(r)
				needs[i] = append(needs[i], r)
			}
		}
		f.advance(b, i)
	}
	e := &layer{fn: fn, starts: make([]int, len(steps)+1)}
	for i := range steps {
		e.starts[i] = len(fn.code)
		if reached[i] {
			e.step(i, &steps[i], needs[i], unsure)
		}
	}
	e.starts[len(steps)] = len(fn.code)
	e.line = fn.line
	e.add(instr{op: opReturn}) // needed if the body ends without ret
	for _, j := range e.jumps {
		fn.code[j.at].x = uint64(e.starts[j.to.at])
	}
}

// A layer lays out the instructions of a function one after another.
type layer struct {
	fn     *function
	starts []int // index of the first instruction of each statement
	jumps  []pendingJump
	line   int
}

// A pendingJump is a jump whose target address is not known yet.
type pendingJump struct {
	at int
	to *label
}

func (e *layer) add(in instr) {
	e.fn.code = append(e.fn.code, in)
	e.fn.lines = append(e.fn.lines, int32(e.line))
	e.fn.classes = append(e.fn.classes, Other)
}

func (e *layer) step(i int, st *step, needs []*register, unsure bitset) {
	s := &e.fn.statements[i]
	e.line = s.line
	if s.mark == markScope {
		for _, r := range s.regs {
			if unsure.has(r) {
				e.add(instr{op: opForget, d: r.slot, a: 1})
			}
		}
		return
	}
	for _, r := range needs {
		if r == s.guard {
			e.add(instr{op: opNeed, a: r.slot})
		}
	}
	skip := -1
	class := classOf(s.op)
	if s.guard != nil && st.jump == nil {
		skip = len(e.fn.code)
		in := instr{op: opSkipNot, a: s.guard.slot}
		if s.not {
			in.op = opSkipIf
		}
		e.add(in)
		e.fn.classes[skip] = class
	}
	for _, r := range needs {
		if r != s.guard {
			e.add(instr{op: opNeed, a: r.slot})
		}
	}
	for i, in := range st.code {
		if st.jump != nil {
			e.jumps = append(e.jumps, pendingJump{len(e.fn.code), st.jump})
		}
		e.add(in)
		if i == 0 && skip < 0 {
			e.fn.classes[len(e.fn.classes)-1] = class
		}
	}
	for _, r := range st.writes {
		if unsure.has(r) {
			e.add(instr{op: opDefine, d: r.slot})
		}
	}
	if skip >= 0 {
		e.fn.code[skip].x = uint64(len(e.fn.code) - skip - 1)
	}
}
