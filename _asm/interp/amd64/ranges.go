package amd64

import "github.com/koblitz-go/koblitz/_asm/interp"

type ranges = interp.Ranges

// addRanges says what instructions do to ranges.
func addRanges(t table) {
	// follow is for a result of two sources in the order of Intel's manuals, the second
	// operand first.
	follow := func(name string, f func(r *ranges, i *inst, a, b *interp.Number) *interp.Number) {
		t[name].Range = func(r *ranges, i *inst) {
			b := r.Read(i, &i.Op[0])
			a := r.Read(i, &i.Op[1])
			r.Write(i, &i.Op[2], f(r, i, a, b))
		}
	}
	// shift is for a result of one source, shifted by an immediate.
	shift := func(name string, f func(r *ranges, i *inst, a *interp.Number, n uint) *interp.Number) {
		t[name].Range = func(r *ranges, i *inst) {
			a := r.Read(i, &i.Op[1])
			r.Write(i, &i.Op[2], f(r, i, a, r.Count(i)))
		}
	}
	follow("VPADDQ", func(r *ranges, _ *inst, a, b *interp.Number) *interp.Number { return r.Add(b, a) })
	follow("VPSUBQ", func(r *ranges, _ *inst, a, b *interp.Number) *interp.Number { return r.Sub(a, b) })
	follow("VPMULLQ", func(r *ranges, _ *inst, a, b *interp.Number) *interp.Number { return r.Mul(a, b) })
	follow("VPANDQ", func(r *ranges, _ *inst, a, b *interp.Number) *interp.Number { return r.And(a, b) })
	follow("VPORQ", func(r *ranges, _ *inst, a, b *interp.Number) *interp.Number { return r.Or(b, a, false) })
	follow("VPXORQ", func(r *ranges, _ *inst, a, b *interp.Number) *interp.Number { return r.Or(b, a, true) })
	shift("VPSLLQ", func(r *ranges, i *inst, a *interp.Number, n uint) *interp.Number { return r.ShiftLeft(i, a, n) })
	shift("VPSRLQ", func(r *ranges, i *inst, a *interp.Number, n uint) *interp.Number { return r.ShiftRight(i, a, n, false) })
	shift("VPSRAQ", func(r *ranges, i *inst, a *interp.Number, n uint) *interp.Number { return r.ShiftRight(i, a, n, true) })
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
	for _, name := range []string{"VPXOR", "VPXORQ"} {
		t[name].Cancels = true
	}
	addMoves(t)
}

// addMoves says which lanes go where.
func addMoves(t table) {
	for _, name := range []string{"VMOVDQU64", "VMOVDQA64"} {
		t[name].Range = func(r *ranges, i *inst) { r.WriteLanes(i, &i.Op[1], r.Lanes(i, &i.Op[0])) }
	}
	t["VPBROADCASTQ"].Repeats = true
	t["VPBROADCASTQ"].Range = func(r *ranges, i *inst) {
		if i.Op[0].Kind != interp.Memory {
			r.Fault("spreads one lane of a vector")
		}
		r.WriteLanes(i, &i.Op[1], r.Lanes(i, &i.Op[0]))
	}
	// Four lanes go into a vector.
	t["VINSERTI64X4"].MemoryLanes = 4
	t["VINSERTI64X4"].Range = func(r *ranges, i *inst) {
		out := append([]interp.Lane{}, r.Lanes(i, &i.Op[2])...)
		copy(out[i.Op[0].Imm&1*4:], r.Lanes(i, &i.Op[1]))
		r.WriteLanes(i, &i.Op[3], out)
	}
	for name, high := range map[string]int{"VPUNPCKLQDQ": 0, "VPUNPCKHQDQ": 1} {
		t[name].Range = func(r *ranges, i *inst) {
			moves(r, i, func(k int) int { return k&^1 + high + k&1*8 })
		}
	}
	t["VSHUFI64X2"].Range = func(r *ranges, i *inst) {
		moves(r, i, func(k int) int { return int(i.Op[0].Imm>>(k&^1)&3)*2 + k&1 + k/4*8 })
	}
}

// moves moves lanes of two vectors of eight: from says which one comes to k, those
// of the first source from 8 on.
func moves(r *ranges, i *inst, from func(k int) int) {
	last := len(i.Op) - 1
	both := append(append([]interp.Lane{}, r.Lanes(i, &i.Op[last-1])...), r.Lanes(i, &i.Op[last-2])...)
	if len(both) != 16 || i.Selection != 0 {
		r.Fault("a move of lanes without a rule for ranges")
	}
	out := make([]interp.Lane, 8)
	for k := range out {
		out[k] = both[from(k)]
	}
	r.WriteLanes(i, &i.Op[last], out)
}
