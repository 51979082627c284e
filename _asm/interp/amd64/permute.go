package amd64

import "github.com/koblitz-go/koblitz/_asm/interp"

// moves adds an instruction that moves parts of vectors to the table t.
func moves(t table, name string, operands int, x interp.Moves) *interp.Kind {
	k := one(t, name, 0, operands, func(m *machine, i *inst) { move(m, i, &x) })
	k.Moves = &x
	return k
}

// move runs an instruction that x describes.
func move(m *machine, i *inst, x *interp.Moves) {
	imm, sources, widths := x.Sources(i)
	var lanes, secret []uint64
	for at, o := range sources {
		v := getVec(m, i, o, widths[at])
		for k := range widths[at] {
			lanes, secret = append(lanes, v.V[k]), append(secret, uint64(v.Secret>>k&1))
		}
	}
	r, per := vector{}, int(64/x.Bits)
	for k := range per * i.Lanes {
		if at := x.From(imm, per*i.Lanes, k); at >= 0 {
			part := lanes[at/per] >> (uint(at%per) * x.Bits) & interp.WidthMask(x.Bits)
			r.V[k/per] |= part << (uint(k%per) * x.Bits)
			r.Secret |= uint8(secret[at/per] << (k / per))
		}
	}
	setVec(m, i, &i.Op[len(i.Op)-1], r, i.Lanes)
}

// addMoves adds the instructions that move parts of vectors to the table t.
func addMoves(t table) {
	for half, name := range []string{"VPUNPCKL", "VPUNPCKH"} {
		// In every 128 bits, they take the lower or the upper half of both sources, and interleave
		// its parts.
		moves(t, name+"QDQ", 3, interp.Moves{Bits: 64, From: func(_ uint64, n, k int) int {
			return k&^1 + half + k&1*n
		}}).Masked = true
		moves(t, name+"DQ", 3, interp.Moves{Bits: 32, From: func(_ uint64, n, k int) int {
			return k&^3 + 2*half + k>>1&1 + k&1*n
		}})
	}
	four := func(imm uint64, _, k int) int { return k&^3 + int(imm>>(k&3*2)&3) }
	moves(t, "VPSHUFD", 3, interp.Moves{Bits: 32, From: four})
	permute := moves(t, "VPERMQ", 3, interp.Moves{Bits: 64, From: four})
	permute.Masked, permute.Run = true, permQ
	moves(t, "VPMOVQD", 2, interp.Moves{Bits: 32, From: func(_ uint64, _, k int) int { return 2 * k }})
	moves(t, "VBROADCASTI128", 2, interp.Moves{Bits: 64, Block: 2,
		From: func(_ uint64, _, k int) int { return k & 1 }})
	for name, block := range map[string]int{"VINSERTI128": 2, "VINSERTI64X4": 4} {
		moves(t, name, 4, interp.Moves{Bits: 64, Block: block, From: func(imm uint64, n, k int) int {
			if at := k - int(imm)%(n/block)*block; at >= 0 && at < block {
				return n + at
			}
			return k
		}})
	}
	// Bit k of the immediate operand says whether part k comes from the second source.
	moves(t, "VPBLENDD", 4, interp.Moves{Bits: 32, From: func(imm uint64, n, k int) int {
		return k + int(imm>>k&1)*n
	}})
	// The blocks of two lanes in the lower half of the result come from the first source, and those
	// in the upper half from the second.
	moves(t, "VSHUFI64X2", 4, interp.Moves{Bits: 64, From: func(imm uint64, n, k int) int {
		blocks, block := uint64(n/2), k/2
		at := imm
		for range block {
			at /= blocks
		}
		return 2*int(at%blocks) + k&1 + 2*block/int(blocks)*n
	}})
	// Each half of the result is one of the four halves of both sources, or 0.
	moves(t, "VPERM2I128", 4, interp.Moves{Bits: 64, From: func(imm uint64, _, k int) int {
		control := imm >> (k / 2 * 4)
		if control&8 != 0 {
			return -1
		}
		return 2*int(control&3) + k&1
	}})
}

// permQ runs VPERMQ. The indices are a vector, or an immediate that selects lanes in every 256
// bits.
func permQ(m *machine, i *inst) {
	if i.Op[0].Kind == interp.Immediate {
		move(m, i, i.Kind.Moves)
		return
	}
	n := i.Lanes
	a, x := getVec(m, i, &i.Op[0], n), getVec(m, i, &i.Op[1], n)
	r := vector{Secret: anySecret(n, a, x)}
	for k := range n {
		r.V[k] = a.V[x.V[k]%uint64(n)]
	}
	setVec(m, i, &i.Op[2], r, n)
}

// perm2 runs VPERMI2Q, which selects each lane of the result from the lanes of two registers. The
// indices are in the destination.
func perm2(m *machine, i *inst) {
	n := i.Lanes
	hi, lo, x := getVec(m, i, &i.Op[0], n), getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[2], n)
	r, all := vector{Secret: anySecret(n, hi, lo, x)}, append(lo.V[:n:n], hi.V[:n]...)
	for k := range n {
		r.V[k] = all[x.V[k]%uint64(2*n)]
	}
	setVec(m, i, &i.Op[2], r, n)
}

// shuffleBytes runs VPSHUFB, which selects bytes in every 128 bits, or 0 where the top bit of the
// selector is set.
func shuffleBytes(m *machine, i *inst) {
	n := i.Lanes
	x, a := getVec(m, i, &i.Op[0], n), getVec(m, i, &i.Op[1], n)
	r := vector{Secret: anySecret(n, x, a)}
	for k := range 8 * n {
		if by := lane(&x, k, 8); by < 0x80 {
			r.V[k/8] |= lane(&a, k&^15+int(by&15), 8) << (k & 7 * 8)
		}
	}
	setVec(m, i, &i.Op[2], r, n)
}

// vpinsrq runs VPINSRQ, which inserts a number into a copy of a vector of two lanes.
func vpinsrq(m *machine, i *inst) {
	w, a := m.GetBits(&i.Op[1], 64), getVec(m, i, &i.Op[2], 2)
	at := i.Op[0].Imm & 1
	a.V[at] = w.V
	a.Secret &^= 1 << at
	if w.Secret {
		a.Secret |= 1 << at
	}
	setVec(m, i, &i.Op[3], a, 2)
}
