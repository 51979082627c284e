package proof

import (
	"math/big"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// movesParts follows an instruction that moves parts of vectors. It stops the run unless the
// instruction moves whole lanes.
func (r *Run) movesParts(i *interp.Inst) {
	x := i.Kind.Moves
	imm, sources, widths := x.Sources(i)
	var all []*Form
	for k, o := range sources {
		all = append(all, r.lanes(i, o, widths[k])...)
	}
	per, out := int(64/x.Bits), make([]*Form, width(i))
	for k := range out {
		at := x.From(imm, per*len(out), per*k)
		for j := range per {
			if at < 0 || at%per != 0 || x.From(imm, per*len(out), per*k+j) != at+j {
				r.fault("no rule")
			}
		}
		out[k] = all[at/per]
	}
	r.setLanes(i, len(i.Op)-1, out)
}

// addX86Moves adds the rules for instructions that move lanes and bits of masks. Where a lane comes
// from must not depend on the inputs.
func addX86Moves(t map[string]func(*Run, *interp.Inst)) {
	for _, name := range []string{
		"VPUNPCKLQDQ", "VPUNPCKHQDQ", "VSHUFI64X2", "VPERM2I128", "VINSERTI64X4", "VPSHUFD",
		"VPBLENDD",
	} {
		t[name] = (*Run).movesParts
	}
	t["VPERMQ"] = func(r *Run, i *interp.Inst) {
		if i.Op[0].Kind == interp.Immediate {
			r.movesParts(i)
			return
		}
		n := width(i)
		in, out := r.lanes(i, &i.Op[0], n), make([]*Form, n)
		for k, f := range r.lanes(i, &i.Op[1], n) {
			x, ok := f.constant()
			if !ok {
				r.fault("a permutation that is not constant")
			}
			out[k] = in[new(big.Int).And(x, big.NewInt(int64(n-1))).Int64()]
		}
		r.setLanes(i, 2, out)
	}
	t["VPSHRDQ"] = func(r *Run, i *interp.Inst) { // ⌊(a + 2^64·b)/2^m⌋ mod 2^64
		m := uint(i.Op[0].Imm & 63)
		r.setLanes(i, 3, r.lanewise(i, func(x []*Form) *Form {
			return r.Total([]*Form{r.rightLane(x[1], m), r.low(x[0].Shift(64-m), 64)}, nil)
		}, 1, 2))
	}
	addX86MaskMoves(t)
}

// leftLane returns the word f of a lane, shifted to the left by n bits.
func (r *Run) leftLane(f *Form, n uint) *Form {
	g := r.shifted(f, n)
	if lo, hi := r.quick(g); lo.BitLen() > 63 || hi.BitLen() > 63 {
		return r.low(g, 64)
	}
	return g
}

// addLanes returns a + b. If a or b is a carry of one bit, it records in r.into that this carry is
// a part of the sum. The carry out of the sum is then the carry out of this word and all words
// below it.
func (r *Run) addLanes(a, b *Form) *Form {
	sum := r.Total([]*Form{a, b}, nil)
	for _, f := range []*Form{a, b} {
		if len(f.terms) == 1 && f.terms[0].atom.kind == floor && r.isBit(f) {
			r.into[sum.Key()] = f
		}
	}
	return sum
}

// rightLane returns the word f of a lane, shifted to the right by n bits.
func (r *Run) rightLane(f *Form, n uint) *Form {
	if x, ok := f.constant(); ok {
		x = new(big.Int).And(x, allOnes)
		return Constant(x.Rsh(x, n))
	}
	if lo, _ := r.quick(f); lo.Sign() >= 0 || r.Lower(f, new(big.Int)).Sign() >= 0 {
		return r.Floor(f, n, r.into[f.Key()])
	}
	small := r.near(f)
	if small == nil || n == 0 || n >= 64 {
		r.fault("shifts a number that may be negative")
	}
	g := r.Floor(small, n, nil).Add(r.sign(small).Shift(64 - n))
	r.Know(g, new(big.Int), new(big.Int).Sub(power(64-n), big.NewInt(1)))
	return g
}

// count returns the constant number of bits by which a lane is shifted, at most 64.
func (r *Run) count(f *Form) uint {
	x, ok := f.constant()
	if !ok {
		r.fault("a shift by a number that is not constant")
	}
	return uint(min(new(big.Int).And(x, allOnes).Uint64(), 64))
}

// addX86MaskMoves adds the rules for instructions that compute with masks of eight bits.
func addX86MaskMoves(t map[string]func(*Run, *interp.Inst)) {
	t["KORB"] = func(r *Run, i *interp.Inst) {
		a, b := r.selection(i.Op[0].Index, 8), r.selection(i.Op[1].Index, 8)
		out := make([]*Form, len(a))
		for k := range out {
			if out[k] = unknown; a[k] != unknown && b[k] != unknown {
				out[k] = r.or(a[k], b[k])
			}
		}
		r.setMask(i, out)
	}
	t["KNOTB"] = func(r *Run, i *interp.Inst) {
		a := r.selection(i.Op[0].Index, 8)
		out := make([]*Form, len(a))
		for k, f := range a {
			if out[k] = unknown; f != unknown {
				out[k] = Int(1).Sub(f)
			}
		}
		r.setMask(i, out)
	}
	t["KSHIFTLB"] = func(r *Run, i *interp.Inst) {
		a := r.maskBits(i.Op[1].Index, 8)
		out := make([]*Form, len(a))
		for k := range out {
			if out[k] = (&Form{}); k >= int(i.Op[0].Imm) {
				out[k] = a[k-int(i.Op[0].Imm)]
			}
		}
		r.setMask(i, out)
	}
	t["VMOVMSKPD"] = func(r *Run, i *interp.Inst) { // the signs of all lanes
		n := int(i.Op[0].Bits / 64)
		out := make([]*Form, n)
		for k, f := range r.lanes(i, &i.Op[0], n) {
			if out[k] = unknown; f != unknown {
				out[k] = r.sign(f)
			}
		}
		r.set(i, 1, 32, r.joinBits(out))
	}
}

// joinBits returns the number with the given bits. It is unknown if one of them is.
func (r *Run) joinBits(bits []*Form) *Form {
	f := &Form{}
	for k, b := range bits {
		if b == unknown {
			return unknown
		}
		f = f.Add(b.Shift(uint(k)))
	}
	r.Know(f, new(big.Int), new(big.Int).Sub(power(uint(len(bits))), big.NewInt(1)))
	return f
}
