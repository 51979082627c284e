package proof

import (
	"math/big"
	"slices"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// amd64 returns the rules for the instructions of amd64.
func amd64() map[string]func(*Run, *interp.Inst) {
	t := map[string]func(*Run, *interp.Inst){}
	addX86Sums(t)
	addX86Logic(t)
	addX86Conditions(t)
	addX86Vectors(t)
	return t
}

// resultFlags records ZF and SF for the result f. The other flags are not followed.
func (r *Run) resultFlags(f *Form, bits uint) {
	for _, name := range []string{"CF", "PF", "OF"} {
		r.setFlag(name, nil)
	}
	r.setFlag("ZF", func() *Form { return r.zero(f) })
	r.setFlag("SF", func() *Form { return r.Floor(f, bits-1, nil) })
}

// variable returns f, or nil if f is constant.
func variable(f *Form) *Form {
	if _, ok := f.constant(); ok {
		return nil
	}
	return f
}

func addX86Sums(t map[string]func(*Run, *interp.Inst)) {
	zero := &Form{}
	minus := big.NewInt(-1)
	// add sets operand k to a + b + c. If negative is set, it sets it to a − b − c, and CF is the
	// borrow.
	add := func(r *Run, i *interp.Inst, k int, a, b, c *Form, negative bool) {
		f := r.Total([]*Form{a}, []*Form{b, c})
		if !negative {
			f = r.Total([]*Form{a, b, c}, nil)
		} else {
			c = c.Times(minus)
		}
		carry, low := r.Cut(f, i.Bits, c)
		if k >= 0 {
			r.set(i, k, i.Bits, low)
		}
		r.resultFlags(low, i.Bits)
		if negative {
			carry = carry.Times(minus)
		}
		r.setBit("CF", carry)
		if !slices.ContainsFunc([]*Form{a, b, c}, func(f *Form) bool { return variable(f) != nil }) {
			clear(r.flag) // all flags are constants, too
		}
	}
	sum := func(carry bool) func(r *Run, i *interp.Inst) {
		return func(r *Run, i *interp.Inst) {
			c := zero
			if carry {
				c = r.getFlag("CF")
			}
			add(r, i, 1, r.get(i, 1, i.Bits), r.get(i, 0, i.Bits), c, false)
		}
	}
	t["ADDQ"], t["ADDB"], t["ADCQ"] = sum(false), sum(false), sum(true)
	difference := func(carry bool) func(r *Run, i *interp.Inst) {
		return func(r *Run, i *interp.Inst) {
			a, b, c := zero, zero, zero
			if !i.Op[0].Same(&i.Op[1]) {
				a, b = r.get(i, 1, i.Bits), r.get(i, 0, i.Bits)
			}
			if carry {
				c = r.getFlag("CF")
			}
			add(r, i, 1, a, b, c, true)
		}
	}
	t["SUBQ"], t["SBBQ"] = difference(false), difference(true)
	t["CMPQ"] = func(r *Run, i *interp.Inst) {
		add(r, i, -1, r.get(i, 0, 64), r.get(i, 1, 64), zero, true)
	}
	t["NEGQ"] = func(r *Run, i *interp.Inst) {
		add(r, i, 0, zero, r.get(i, 0, 64), zero, true)
	}
	count := func(delta int64) func(r *Run, i *interp.Inst) {
		return func(r *Run, i *interp.Inst) {
			before := r.flag[r.flagOf("CF")]
			add(r, i, 0, r.get(i, 0, i.Bits), Int(delta), zero, false)
			r.flag[r.flagOf("CF")] = before
		}
	}
	t["INCQ"], t["DECQ"], t["DECL"] = count(1), count(-1), count(-1)
	chain := func(name string) func(r *Run, i *interp.Inst) {
		return func(r *Run, i *interp.Inst) {
			c := r.getFlag(name)
			carry, low := r.Cut(r.Total([]*Form{r.get(i, 1, 64), r.get(i, 0, 64), c}, nil), 64, c)
			r.set(i, 1, 64, low)
			r.setBit(name, carry)
		}
	}
	t["ADCXQ"], t["ADOXQ"] = chain("CF"), chain("OF")
	t["MULXQ"] = func(r *Run, i *interp.Inst) {
		high, low := r.Cut(r.Product(r.get(i, 0, 64), r.register(2)), 64, nil)
		if !i.Op[1].Same(&i.Op[2]) {
			r.set(i, 1, 64, low)
		}
		r.set(i, 2, 64, high)
	}
	product := func(r *Run, i *interp.Inst) {
		r.set(i, len(i.Op)-1, 64, r.low(r.Product(r.get(i, 0, 64), r.get(i, 1, 64)), 64))
		r.unknownFlags()
	}
	t["IMULQ"] = func(r *Run, i *interp.Inst) {
		if len(i.Op) == 1 { // signed, with the product in DX:AX
			high, low := r.Cut(r.Product(r.signed(r.get(i, 0, 64)), r.signed(r.register(0))), 64, nil)
			r.writes = append(r.writes, write{&interp.Operand{Index: 0}, 0, 64, low},
				write{&interp.Operand{Index: 2}, 0, 64, r.unsigned(high)})
			r.unknownFlags()
			return
		}
		product(r, i)
	}
	t["IMUL3Q"] = product
	t["LEAQ"] = func(r *Run, i *interp.Inst) {
		r.set(i, 1, 64, r.low(r.effective(&i.Op[0]), 64))
	}
}

func addX86Logic(t map[string]func(*Run, *interp.Inst)) {
	logic := func(f func(r *Run, a, b *Form) *Form, writes, cancels bool) func(*Run, *interp.Inst) {
		return func(r *Run, i *interp.Inst) {
			out := &Form{}
			if !cancels || !i.Op[0].Same(&i.Op[1]) {
				out = f(r, r.get(i, 1, i.Bits), r.get(i, 0, i.Bits))
			}
			if writes {
				r.set(i, 1, i.Bits, out)
			}
			r.resultFlags(out, i.Bits)
			r.setBit("CF", &Form{})
			r.setBit("OF", &Form{})
		}
	}
	and, or, xor, test := logic((*Run).and, true, false), logic((*Run).or, true, false),
		logic((*Run).xor, true, true), logic((*Run).and, false, false)
	t["ANDQ"], t["ANDL"], t["ORQ"], t["ORL"], t["XORQ"], t["XORL"] = and, and, or, or, xor, xor
	t["TESTQ"], t["TESTL"], t["TESTB"] = test, test, test
	t["NOTQ"] = func(r *Run, i *interp.Inst) {
		r.set(i, 0, 64, Constant(allOnes).Sub(r.get(i, 0, 64)))
	}
	for name, kind := range map[string]byte{"SHL": 'l', "SHR": 'r', "SAR": 's'} {
		t[name+"XQ"] = func(r *Run, i *interp.Inst) {
			r.set(i, 2, 64, r.shift(kind, r.get(i, 1, 64), r.amount(r.get(i, 0, 64))))
		}
		t[name+"Q"] = func(r *Run, i *interp.Inst) {
			if len(i.Op) == 3 { // the bits come from another register
				n, a, b := r.amount(r.get(i, 0, 64)), r.get(i, 1, 64), r.get(i, 2, 64)
				if kind == 'r' {
					b = r.Floor(r.Total([]*Form{b, r.shifted(a, 64)}, nil), n, nil)
				} else {
					b = r.Floor(r.Total([]*Form{r.shifted(b, 64), a}, nil), 64-n, nil)
				}
				r.set(i, 2, 64, r.low(b, 64))
			} else {
				r.set(i, 1, 64, r.shift(kind, r.get(i, 1, 64), r.amount(r.get(i, 0, 64))))
			}
			r.unknownFlags()
		}
		t[name+"L"] = func(r *Run, i *interp.Inst) {
			if kind == 's' || len(i.Op) == 3 {
				r.fault("no rule")
			}
			n := r.amount(r.get(i, 0, 8)) % 32
			r.set(i, 1, 32, r.low(r.shift(kind, r.get(i, 1, 32), n), 32))
			r.unknownFlags()
		}
	}
	move := func(r *Run, i *interp.Inst) {
		if i.Op[0].Kind == interp.Vec || i.Op[1].Kind == interp.Vec {
			r.fault("no rule")
		}
		r.set(i, 1, i.Bits, r.get(i, 0, i.Bits))
	}
	t["MOVQ"], t["MOVL"], t["MOVB"] = move, move, move
	t["MOVBLZX"] = func(r *Run, i *interp.Inst) { r.set(i, 1, 32, r.get(i, 0, 8)) }
	t["MOVLQZX"] = func(r *Run, i *interp.Inst) { r.set(i, 1, 64, r.get(i, 0, 32)) }
}

// x86Condition returns the flag that the condition tests. no says that the flag must be 0.
func (r *Run) x86Condition(name string) (flag *Form, no bool) {
	for k, names := range [][]string{{"CS", "LO", "EQ", "Z", "MI", "OS"},
		{"CC", "HS", "NE", "NZ", "PL", "OC"}} {
		for j, s := range names {
			if s == name {
				return r.getFlag([]string{"CF", "CF", "ZF", "ZF", "SF", "OF"}[j]), k == 1
			}
		}
	}
	for _, f := range r.flag {
		if f == nil {
			continue
		}
		if _, ok := f().constant(); !ok {
			r.fault("a condition on several flags")
		}
	}
	return nil, false
}

func addX86Conditions(t map[string]func(*Run, *interp.Inst)) {
	for _, c := range []string{"CS", "CC", "EQ", "NE", "MI", "PL", "OS", "OC", "Z", "NZ", "LS", "HI",
		"GE", "LT", "GT", "LE"} {
		t["J"+c] = func(r *Run, i *interp.Inst) {
			f, _ := r.x86Condition(c)
			if f == nil { // a loop
				f = &Form{}
			}
			r.jump(i, f)
		}
		move := func(r *Run, i *interp.Inst) {
			f, no := r.x86Condition(c)
			a, b := r.get(i, 0, i.Bits), r.get(i, 1, i.Bits)
			if f == nil {
				r.fault("no rule")
			}
			if no {
				a, b = b, a
			}
			r.set(i, 1, i.Bits, r.Select(f, a, b))
		}
		t["CMOVQ"+c], t["CMOVL"+c] = move, move
		t["SET"+c] = func(r *Run, i *interp.Inst) {
			f, no := r.x86Condition(c)
			if f == nil {
				r.fault("no rule")
			}
			if no {
				f = Int(1).Sub(f)
			}
			r.set(i, 0, 8, f)
		}
	}
	t["JMP"] = func(*Run, *interp.Inst) {}
	t["RET"] = t["JMP"]
}
