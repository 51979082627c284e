package ptx

import "strings"

// lay produces fn.code from the translated statements. It inserts a check before an instruction
// that reads a register, unless an instruction before it in the same sequence, without a label in
// between, defines the register. A scope whose registers become undefined again is entered again
// only after a label. At run time, the interpreter records writes to checked registers only.
func (fn *function) lay(steps []step) {
	checked := make([]bool, len(fn.registers))
	needs := make([][]int32, len(steps))
	defined := make(map[int32]bool)
	for i, st := range steps {
		if fn.statements[i].mark == markLabel {
			clear(defined)
		}
		for _, slot := range st.reads {
			if !defined[slot] {
				checked[slot], defined[slot] = true, true
				needs[i] = append(needs[i], slot)
			}
		}
		for _, slot := range st.writes {
			defined[slot] = true
		}
	}
	starts := make([]int, len(steps)+1) // the index of the first instruction of each statement
	line := 0
	add := func(in instr) {
		fn.code = append(fn.code, in)
		fn.lines = append(fn.lines, int32(line))
	}
	for i, st := range steps {
		s := &fn.statements[i]
		line = s.line
		starts[i] = len(fn.code)
		for _, r := range s.regs {
			if checked[r.slot] {
				add(instr{op: opForget, d: r.slot})
			}
		}
		for _, slot := range needs[i] {
			add(instr{op: opNeed, a: slot})
		}
		for k, in := range st.code {
			if k == 0 { // an instruction on a vector is counted once
				in.class = classOf(s.op)
			}
			add(in)
		}
		for _, slot := range st.writes {
			if checked[slot] {
				add(instr{op: opDefine, d: slot})
			}
		}
	}
	starts[len(steps)] = len(fn.code)
	line = fn.line
	add(instr{op: opReturn}) // needed if the body ends without ret
	for i, st := range steps {
		if st.jump != nil {
			// The jump is the last instruction of its statement.
			fn.code[starts[i+1]-1].x = uint64(starts[st.jump.at])
		}
	}
}

// classOf returns the class of an opcode.
func classOf(opcode string) class {
	if strings.HasPrefix(opcode, "mul") || strings.HasPrefix(opcode, "mad") {
		return classProduct
	}
	return classOther
}
