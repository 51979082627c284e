package amd64

import "github.com/koblitz-go/koblitz/_asm/interp"

type (
	ranges = interp.Ranges
	number = *interp.Number
)

// addRanges adds to the instructions in t their rules for ranges: how the range of the result
// follows from the ranges of the operands.
func addRanges(t table) {
	// two adds the rule f for the instruction with the given name, which has two source operands.
	// As in Intel's manuals, a is the minuend, or the value to be shifted.
	two := func(name string, f func(r *ranges, a, b number) number) {
		t[name].Range = func(r *ranges, i *inst) {
			b := r.Read(i, &i.Op[0])
			a := r.Read(i, &i.Op[1])
			r.Write(i, &i.Op[2], f(r, a, b))
		}
	}
	t["VPADDQ"].Range = func(r *ranges, i *inst) {
		b, a := r.ReadSum(i, &i.Op[0]), r.ReadSum(i, &i.Op[1])
		r.Write(i, &i.Op[2], r.Add(b, a))
	}
	t["VPMULUDQ"].Range = func(r *ranges, i *inst) {
		b, a := r.Read(i, &i.Op[0]), r.Read(i, &i.Op[1])
		r.Write(i, &i.Op[2], r.MulWords(i, a, b))
	}
	t["VSUBPD"].Range = func(r *ranges, i *inst) {
		b, a := r.ReadSum(i, &i.Op[0]), r.ReadSum(i, &i.Op[1])
		r.Write(i, &i.Op[2], r.SubtractDoubles(a, b))
	}
	for name, subtract := range map[string]bool{"VFMADD231PD": false, "VFMSUB231PD": true} {
		t[name].Accumulates = true
		t[name].Range = func(r *ranges, i *inst) {
			a, b, d := r.ReadSum(i, &i.Op[0]), r.ReadSum(i, &i.Op[1]), r.ReadSum(i, &i.Op[2])
			r.Write(i, &i.Op[2], r.FusedMultiplyAdd(i, a, b, d, subtract))
		}
	}
	t["VPSUBQ"].Range = func(r *ranges, i *inst) {
		b, a := r.ReadSum(i, &i.Op[0]), r.ReadSum(i, &i.Op[1])
		r.Write(i, &i.Op[2], r.Sub(a, b))
	}
	two("VPMULLQ", func(r *ranges, a, b number) number { return r.Mul(a, b) })
	for _, suffix := range []string{"", "Q"} {
		two("VPAND"+suffix, func(r *ranges, a, b number) number { return r.And(a, b) })
		two("VPOR"+suffix, func(r *ranges, a, b number) number { return r.Or(b, a, false) })
		t["VPXOR"+suffix].Cancels = true
		t["VPXOR"+suffix].Range = func(r *ranges, i *inst) {
			b, a := r.ReadSum(i, &i.Op[0]), r.ReadSum(i, &i.Op[1])
			r.Write(i, &i.Op[2], r.Xor(b, a))
		}
	}
	t["VPSLLQ"].Range = func(r *ranges, i *inst) {
		a := r.Read(i, &i.Op[1])
		r.Write(i, &i.Op[2], r.ShiftLeft(i, a, r.Count(i)))
	}
	for name, signed := range map[string]bool{"VPSRLQ": false, "VPSRAQ": true} {
		t[name].Range = func(r *ranges, i *inst) {
			a := r.Read(i, &i.Op[1])
			r.Write(i, &i.Op[2], r.ShiftRight(i, a, r.Count(i), signed))
		}
		t[name].SignShifts = signed
	}
	t["VPSHRDQ"].Range = func(r *ranges, i *inst) {
		next, a := r.Read(i, &i.Op[1]), r.Read(i, &i.Op[2])
		r.Write(i, &i.Op[3], r.ShiftPair(i, a, next, r.Count(i)))
	}
	for name, upper := range map[string]bool{"VPMADD52LUQ": false, "VPMADD52HUQ": true} {
		t[name].Accumulates = true
		t[name].Range = func(r *ranges, i *inst) {
			a, b, d := r.Read(i, &i.Op[0]), r.Read(i, &i.Op[1]), r.Read(i, &i.Op[2])
			r.Write(i, &i.Op[2], r.MultiplyAdd(i, a, b, d, upper))
		}
	}
	t["VPTESTMQ"].Range = func(r *ranges, i *inst) {
		b, a := r.Read(i, &i.Op[0]), r.Read(i, &i.Op[1])
		if i.Op[0].Same(&i.Op[1]) {
			r.TestNotZero(i, a)
			return
		}
		r.TestOther(i, a, b)
	}
	t["VPTESTNMQ"].Range = func(r *ranges, i *inst) {
		r.TestOther(i, r.Read(i, &i.Op[1]), r.Read(i, &i.Op[0]))
	}
	two("VPCMPEQQ", func(r *ranges, a, b number) number { return r.Equal(a, b) })
	t["VPCMPEQQ"].Compares, t["VPCMPGTQ"].Compares = true, true
	t["VPTERNLOGQ"].Accumulates = true
	t["VPTERNLOGQ"].Range = func(r *ranges, i *inst) {
		const orOfAnd = 0xf8
		if i.Op[0].Imm != orOfAnd {
			r.Fault("a logical operation without a rule for ranges")
		}
		c, b, a := r.Read(i, &i.Op[1]), r.Read(i, &i.Op[2]), r.Read(i, &i.Op[3])
		r.Write(i, &i.Op[3], r.Or(r.And(b, c), a, false))
	}
	t["VPBLENDVB"].Range = func(r *ranges, i *inst) {
		mask, yes, no := r.Read(i, &i.Op[0]), r.Read(i, &i.Op[1]), r.Read(i, &i.Op[2])
		r.Write(i, &i.Op[3], r.Choose(mask, yes, no))
	}
	t["VMOVMSKPD"].Range = func(r *ranges, i *inst) { r.ReadMask(i, &i.Op[0]) }
	t["LDMXCSR"].Range = func(*ranges, *inst) {}
	addMoves(t)
}

// addMoves adds the effects on ranges of the instructions that move lanes.
func addMoves(t table) {
	addPermutations(t)
	for _, name := range []string{"VMOVDQU64", "VMOVDQA64", "VMOVDQU"} {
		t[name].Moves = true
		t[name].Range = func(r *ranges, i *inst) { r.WriteLanes(i, &i.Op[1], r.Lanes(i, &i.Op[0])) }
	}
	t["VPBROADCASTQ"].Broadcasts, t["VPBROADCASTQ"].Moves = true, true
	t["VPBROADCASTQ"].Range = func(r *ranges, i *inst) {
		if i.Op[0].Kind != interp.Memory {
			r.Fault("broadcasts one lane of a vector")
		}
		r.WriteLanes(i, &i.Op[1], r.Lanes(i, &i.Op[0]))
	}
	// VINSERTI64X4 inserts four lanes, so its memory operand has four lanes too.
	t["VINSERTI64X4"].MemoryLanes = 4
	t["VINSERTI64X4"].Range = func(r *ranges, i *inst) {
		out := append([]interp.Lane{}, r.Lanes(i, &i.Op[2])...)
		copy(out[i.Op[0].Imm&1*4:], r.Lanes(i, &i.Op[1]))
		r.WriteLanes(i, &i.Op[3], out)
	}
	for name, high := range map[string]int{"VPUNPCKLQDQ": 0, "VPUNPCKHQDQ": 1} {
		t[name].Range = func(r *ranges, i *inst) {
			moves(r, i, func(k, n int) int { return k&^1 + high + k&1*n })
		}
	}
	t["VSHUFI64X2"].Range = func(r *ranges, i *inst) {
		if i.Lanes != 8 {
			r.Fault("a move of lanes without a rule for ranges")
		}
		moves(r, i, func(k, n int) int { return int(i.Op[0].Imm>>(k&^1)&3)*2 + k&1 + k/4*n })
	}
	t["VPERM2I128"].Range = func(r *ranges, i *inst) {
		if i.Op[0].Imm&0x88 != 0 {
			r.Fault("a move of lanes without a rule for ranges")
		}
		moves(r, i, func(k, n int) int { return int(i.Op[0].Imm>>(k&2*2)&3)*2 + k&1 })
	}
}

// moves runs a move of lanes from two vectors of n lanes. Lane k of the result is lane index(k, n)
// of both: lanes 0 to n−1 are those of the second source, and lanes from n up those of the first
// source.
func moves(r *ranges, i *inst, index func(k, n int) int) {
	last := len(i.Op) - 1
	both := append(append([]interp.Lane{}, r.Lanes(i, &i.Op[last-1])...), r.Lanes(i, &i.Op[last-2])...)
	if len(both) != 2*i.Lanes || i.Selection != 0 {
		r.Fault("a move of lanes without a rule for ranges")
	}
	out := make([]interp.Lane, i.Lanes)
	for k := range out {
		out[k] = both[index(k, i.Lanes)]
	}
	r.WriteLanes(i, &i.Op[last], out)
}

// addPermutations adds the effects of instructions for lanes that are apart; see
// interp.Ranges.Apart.
func addPermutations(t table) {
	move := func(r *ranges, i *inst, from *interp.Operand, index func(k int) int) {
		lanes, out := r.Lanes(i, from), make([]interp.Lane, i.Lanes)
		for k := range out {
			out[k] = r.Copy(lanes[index(k)])
		}
		r.WriteLanes(i, &i.Op[2], out)
	}
	t["VPERMQ"].Moves, t["VPSHUFD"].Moves = true, true
	t["VPERMQ"].Range = func(r *ranges, i *inst) {
		if i.Op[0].Kind == interp.Immediate {
			move(r, i, &i.Op[1], func(k int) int { return k&^3 + int(i.Op[0].Imm>>(k&3*2)&3) })
			return
		}
		move(r, i, &i.Op[0], func(k int) int { return int(r.Index(&i.Op[1], k)) & (i.Lanes - 1) })
	}
	t["VPSHUFD"].Range = func(r *ranges, i *inst) {
		if i.Op[0].Imm != 0x4e { // exchanges neighbouring lanes
			r.Fault("a move of lanes without a rule for ranges")
		}
		move(r, i, &i.Op[1], func(k int) int { return k ^ 1 })
	}
	t["VPSLLVQ"].Range = func(r *ranges, i *inst) {
		count, a := r.Read(i, &i.Op[0]), r.Read(i, &i.Op[1])
		switch v := count.Lo.Uint64(); {
		case count.Lo.Cmp(count.Hi) != 0:
			r.Fault("a shift by a number that is not known")
		case v == 0:
			r.Write(i, &i.Op[2], a)
		case v > 63:
			r.Write(i, &i.Op[2], r.Zero())
		default:
			r.Write(i, &i.Op[2], r.ShiftLeft(i, a, uint(v)))
		}
	}
}
