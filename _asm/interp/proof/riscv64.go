package proof

import (
	"math/big"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// riscv64 returns the rules for the instructions of riscv64.
func riscv64() map[string]func(*Run, *interp.Inst) {
	t := map[string]func(*Run, *interp.Inst){}
	two := func(names []string, f func(r *Run, a, b *Form) *Form) {
		for _, name := range names {
			t[name] = func(r *Run, i *interp.Inst) {
				if i.Kind.Cancels && i.Op[0].Same(&i.Op[1]) {
					r.set(i, 2, 64, &Form{})
					return
				}
				r.set(i, 2, 64, f(r, r.get(i, 1, 64), r.get(i, 0, 64)))
			}
		}
	}
	minus := big.NewInt(-1)
	two([]string{"ADD", "ADDI"}, func(r *Run, a, b *Form) *Form {
		// If one of the summands is a carry, the new carry contains it.
		c := b
		if _, hi := r.quick(a); hi.Cmp(big.NewInt(2)) <= 0 {
			c = a
		}
		carry, low := r.Cut(r.Total([]*Form{a, b}, nil), 64, r.small(c))
		r.carries[low.Key()] = sum{[2]*Form{a, b}, carry}
		return low
	})
	two([]string{"SUB"}, func(r *Run, a, b *Form) *Form {
		borrow, low := r.Cut(r.Total([]*Form{a}, []*Form{b}), 64, r.small(b.Times(minus)))
		r.borrows[low.Key()] = borrow.Times(minus)
		return low
	})
	two([]string{"AND", "ANDI"}, (*Run).and)
	two([]string{"OR", "ORI"}, (*Run).or)
	two([]string{"XOR", "XORI"}, (*Run).xor)
	for name, kind := range map[string]byte{"SLL": 'l', "SRL": 'r', "SRA": 's'} {
		two([]string{name, name + "I"}, func(r *Run, a, b *Form) *Form {
			return r.shift(kind, a, r.amount(b))
		})
	}
	two([]string{"SLTU", "SLTIU"}, (*Run).less)
	two([]string{"MUL"}, func(r *Run, a, b *Form) *Form { return r.low(r.Product(a, b), 64) })
	two([]string{"MULHU"}, func(r *Run, a, b *Form) *Form { return r.Floor(r.Product(a, b), 64, nil) })
	two([]string{"MULHSU"}, func(r *Run, a, b *Form) *Form {
		return r.unsigned(r.Floor(r.Product(r.signed(a), b), 64, nil))
	})
	t["LUI"] = func(r *Run, i *interp.Inst) { r.set(i, 1, 64, Constant(word(i.Op[0].Imm<<12))) }
	t["ADDIW"] = func(r *Run, i *interp.Inst) { // the sign of 32 bits is extended
		x, ok := r.get(i, 1, 64).constant()
		if !ok {
			r.fault("no rule")
		}
		r.set(i, 2, 64, Constant(word(uint64(int32(x.Uint64()+i.Op[0].Imm)))))
	}
	move := func(r *Run, i *interp.Inst) { r.set(i, 1, i.Bits, r.get(i, 0, i.Bits)) }
	t["MOV"], t["LD"], t["SD"], t["SB"] = move, move, move, move
	jump := func(f func(r *Run, a, b *Form) *Form) func(r *Run, i *interp.Inst) {
		return func(r *Run, i *interp.Inst) { r.jump(i, f(r, r.get(i, 0, 64), r.get(i, 1, 64))) }
	}
	equal := jump(func(r *Run, a, b *Form) *Form {
		d := a.Sub(b)
		if lo, _ := r.quick(d); lo.Sign() < 0 {
			d = d.Times(minus)
		}
		if lo, _ := r.quick(d); lo.Sign() < 0 {
			r.fault("a comparison of two numbers")
		}
		return r.zero(d)
	})
	t["BEQ"], t["BNE"] = equal, equal
	t["BLTU"], t["BGEU"] = jump((*Run).less), jump((*Run).less)
	t["JMP"] = func(*Run, *interp.Inst) {}
	t["RET"] = t["JMP"]
	return t
}

// small returns f if it is from −2 to 2, or nil.
func (r *Run) small(f *Form) *Form {
	if lo, hi := r.quick(f); lo.Cmp(big.NewInt(-2)) >= 0 && hi.Cmp(big.NewInt(2)) <= 0 {
		return f
	}
	return nil
}

// less returns 1 if a is less than b, and otherwise 0.
func (r *Run) less(a, b *Form) *Form {
	if x, ok := b.constant(); ok && x.Cmp(big.NewInt(1)) == 0 {
		return r.IsZero(a)
	}
	if _, ok := a.constant(); ok && a.Now().Sign() == 0 {
		return Int(1).Sub(r.IsZero(b))
	}
	minus := big.NewInt(-1)
	// The sum of two numbers is less than either of them if it has a carry.
	if s, ok := r.carries[a.Key()]; ok && (s.of[0].Key() == b.Key() || s.of[1].Key() == b.Key()) {
		return s.carry
	}
	out := r.Floor(r.Total([]*Form{a}, []*Form{b}), 64, r.small(b.Times(minus))).Times(minus)
	// A difference with a borrow is not 0, so that a bit subtracted from it does not borrow.
	if borrow := r.borrows[a.Key()]; borrow != nil && r.isBit(b) {
		r.Know(out.Add(borrow), new(big.Int), big.NewInt(1))
	}
	return out
}
