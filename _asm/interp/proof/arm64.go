package proof

import (
	"math/big"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// arm64 returns the rules for the instructions of arm64.
func arm64() map[string]func(*Run, *interp.Inst) {
	t := map[string]func(*Run, *interp.Inst){}
	const zr = 31
	set := func(r *Run, i *interp.Inst, k int, f *Form) {
		if o := &i.Op[k]; o.Kind != interp.General || o.Index != zr {
			r.set(i, k, i.Bits, f)
		}
	}
	move := func(r *Run, i *interp.Inst) { set(r, i, 1, r.get(i, 0, i.Bits)) }
	t["MOVD"], t["MOVB"], t["MOVZ"] = move, move, move
	t["MOVK"] = func(r *Run, i *interp.Inst) {
		f := r.get(i, 1, 64)
		old, ok := f.constant()
		if !ok {
			r.fault("no rule")
		}
		part := uint64(0xffff)
		for i.Op[0].Imm&^part != 0 {
			part <<= 16
		}
		set(r, i, 1, Constant(word(old.Uint64()&^part|i.Op[0].Imm)))
	}
	t["LDP"] = func(r *Run, i *interp.Inst) {
		a := r.address(&i.Op[0])
		set(r, i, 1, r.load(a, 64))
		set(r, i, 2, r.load(a+8, 64))
	}
	t["STP"] = func(r *Run, i *interp.Inst) {
		a := r.address(&i.Op[2])
		r.writes = append(r.writes, write{&i.Op[2], a, 64, r.get(i, 0, 64)},
			write{&i.Op[2], a + 8, 64, r.get(i, 1, 64)})
	}
	// sum computes a + b + c. If negative is set, it computes a − b + c, and C is 1 without a
	// borrow.
	sum := func(r *Run, i *interp.Inst, k int, a, b, c *Form, negative, flags bool) {
		f := r.Total([]*Form{a, c}, []*Form{b})
		if !negative {
			f = r.Total([]*Form{a, b, c}, nil)
		}
		carry, low := r.Cut(f, 64, c)
		if k >= 0 {
			set(r, i, k, low)
		}
		if flags {
			if negative {
				carry = carry.Add(Int(1))
			}
			r.setBit("C", carry)
			r.setFlag("Z", func() *Form { return r.zero(low) })
			r.setFlag("N", func() *Form { return r.sign(low) })
			r.setFlag("V", nil)
		}
	}
	for _, x := range []struct {
		name                    string
		minus, withCarry, flags bool
	}{
		{"ADD", false, false, false}, {"ADDS", false, false, true},
		{"ADC", false, true, false}, {"ADCS", false, true, true},
		{"SUB", true, false, false}, {"SUBS", true, false, true},
		{"SBC", true, true, false}, {"SBCS", true, true, true},
	} {
		t[x.name] = func(r *Run, i *interp.Inst) {
			a, b, c := r.get(i, 1, 64), r.get(i, 0, 64), &Form{}
			if x.withCarry {
				c = r.getFlag("C")
			}
			if x.minus && x.withCarry {
				c = c.Sub(Int(1))
			}
			sum(r, i, 2, a, b, c, x.minus, x.flags)
		}
	}
	t["CMP"] = func(r *Run, i *interp.Inst) {
		sum(r, i, -1, r.get(i, 1, 64), r.get(i, 0, 64), &Form{}, true, true)
	}
	t["CMN"] = func(r *Run, i *interp.Inst) {
		sum(r, i, -1, r.get(i, 1, 64), r.get(i, 0, 64), &Form{}, false, true)
	}
	t["NEG"] = func(r *Run, i *interp.Inst) {
		sum(r, i, 1, &Form{}, r.get(i, 0, 64), &Form{}, true, false)
	}
	product := func(r *Run, i *interp.Inst) (high, low *Form) {
		return r.Cut(r.Product(r.get(i, 0, 64), r.get(i, 1, 64)), 64, nil)
	}
	t["MUL"] = func(r *Run, i *interp.Inst) { _, low := product(r, i); set(r, i, 2, low) }
	t["UMULH"] = func(r *Run, i *interp.Inst) { high, _ := product(r, i); set(r, i, 2, high) }
	t["SMULH"] = func(r *Run, i *interp.Inst) {
		high := r.Floor(r.Product(r.signed(r.get(i, 0, 64)), r.signed(r.get(i, 1, 64))), 64, nil)
		set(r, i, 2, r.unsigned(high))
	}
	for name, f := range map[string]func(r *Run, a, b *Form) *Form{
		"AND": (*Run).and, "ORR": (*Run).or, "EOR": (*Run).xor,
	} {
		t[name] = func(r *Run, i *interp.Inst) {
			if i.Kind.Cancels && i.Op[0].Same(&i.Op[1]) {
				set(r, i, 2, &Form{})
				return
			}
			set(r, i, 2, f(r, r.get(i, 1, 64), r.get(i, 0, 64)))
		}
	}
	for name, kind := range map[string]byte{"LSL": 'l', "LSR": 'r', "ASR": 's'} {
		t[name] = func(r *Run, i *interp.Inst) {
			set(r, i, 2, r.shift(kind, r.get(i, 1, 64), r.amount(r.get(i, 0, 64))))
		}
	}
	t["EXTR"] = func(r *Run, i *interp.Inst) {
		n, low, high := uint(i.Op[0].Imm), r.get(i, 1, 64), r.get(i, 2, 64)
		set(r, i, 3, r.Total([]*Form{r.Floor(low, n, nil), r.shifted(r.low(high, n), 64-n)}, nil))
	}
	t["TST"] = func(r *Run, i *interp.Inst) {
		f := r.and(r.get(i, 1, 64), r.get(i, 0, 64))
		r.setBit("C", &Form{})
		r.setBit("V", &Form{})
		r.setFlag("Z", func() *Form { return r.zero(f) })
		r.setFlag("N", func() *Form { return r.sign(f) })
	}
	for c, x := range map[string]struct {
		flag string
		no   bool
	}{
		"HS": {"C", false}, "LO": {"C", true}, "EQ": {"Z", false}, "NE": {"Z", true},
		"MI": {"N", false}, "PL": {"N", true},
	} {
		choose := func(r *Run, a, b *Form) *Form {
			if x.no {
				a, b = b, a
			}
			out := r.Select(r.getFlag(x.flag), a, b)
			r.Know(out, new(big.Int), allOnes)
			return out
		}
		t["B"+c] = func(r *Run, i *interp.Inst) { r.jump(i, r.getFlag(x.flag)) }
		t["CSEL"+c] = func(r *Run, i *interp.Inst) {
			set(r, i, 2, choose(r, r.get(i, 0, 64), r.get(i, 1, 64)))
		}
		t["CSINC"+c] = func(r *Run, i *interp.Inst) {
			set(r, i, 2, choose(r, r.get(i, 0, 64), r.low(r.get(i, 1, 64).Add(Int(1)), 64)))
		}
	}
	t["CBZ"] = func(r *Run, i *interp.Inst) { r.jump(i, r.zero(r.get(i, 0, 64))) }
	t["CBNZ"] = t["CBZ"]
	t["B"] = func(*Run, *interp.Inst) {}
	t["RET"] = t["B"]
	return t
}
