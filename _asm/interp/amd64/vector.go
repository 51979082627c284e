package amd64

import "github.com/koblitz-go/koblitz/_asm/interp"

// getVec returns a vector with n lanes of the operand o. The other lanes are zero.
func getVec(m *machine, i *inst, o *operand, n int) vector {
	switch o.Kind {
	case interp.Vec:
		return m.ReadVec(o, n)
	case interp.Memory:
		if !i.Broadcast {
			return m.LoadVec(m.Address(o), n)
		}
		return repeat(m.Load(m.Address(o), 64), n)
	}
	m.Fault("operand %s is no vector", o.Text)
	return vector{}
}

// repeat returns a vector with w in each of n lanes.
func repeat(w word, n int) vector {
	r := vector{Defined: 0xff}
	for k := range n {
		r.V[k] = w.V
	}
	if w.Secret {
		r.Secret = uint8(1<<n - 1)
	}
	return r
}

// lanesOf returns, as a mask, the lanes that the instruction writes, and reports whether the mask
// is secret.
func lanesOf(m *machine, i *inst) (mask uint64, secret bool) {
	if i.Selection == 0 {
		return ^uint64(0), false
	}
	k := &m.Mask[i.Selection]
	if !k.Defined {
		m.Fault("reads mask register K%d, which holds no value", i.Selection)
	}
	return k.V, k.Secret
}

// setVec writes n lanes of r to the operand o. If o is a register, it zeroes the upper lanes.
func setVec(m *machine, i *inst, o *operand, r vector, n int) {
	chosen, hidden := lanesOf(m, i)
	all := uint8(1<<n - 1)
	if o.Kind == interp.Memory {
		m.StoreVec(m.Address(o), &r, n, uint8(chosen), hidden)
		return
	}
	if o.Kind != interp.Vec {
		m.Fault("operand %s is no vector", o.Text)
	}
	if uint8(chosen)&all != all || hidden {
		old := vector{Defined: 0xff}
		if !i.Zeroing {
			old = getVec(m, i, o, n)
		}
		for k := range n {
			if chosen>>k&1 == 0 {
				r.V[k] = old.V[k]
				if !hidden {
					r.Secret = r.Secret&^(1<<k) | old.Secret&(1<<k)
				}
			}
		}
		if hidden {
			r.Secret = all
		}
	}
	clear(r.V[n:])
	r.Defined, r.Secret = 0xff, r.Secret&all
	m.Vec[o.Index] = r
	if n > 2 && o.Index < 16 {
		m.Flag[uppers] = bit{V: 1}
	}
}

// anySecret returns a mask with the n lowest bits set if any lane of the vectors vs is secret, and
// 0 otherwise. Instructions that move data between lanes mark their result with this mask.
func anySecret(n int, vs ...vector) uint8 {
	for _, v := range vs {
		if v.Secret != 0 {
			return uint8(1<<n - 1)
		}
	}
	return 0
}

// lanewise returns the function for an instruction that computes each lane of the destination from
// the same lane of two sources: f(second source, first source), in the order of Intel's manuals. If
// cancels is set, equal source registers give a public result, even if they hold no value.
func lanewise(cancels bool, f func(a, b uint64) uint64) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := i.Lanes
		r := vector{}
		if cancels && i.Op[0].Same(&i.Op[1]) {
			for k := range n {
				r.V[k] = f(0, 0)
			}
		} else {
			a, b := getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[0], n)
			for k := range n {
				r.V[k] = f(a.V[k], b.V[k])
			}
			r.Secret = a.Secret | b.Secret
		}
		setVec(m, i, &i.Op[2], r, n)
	}
}

// eachLane returns the function for an instruction that computes each lane of its last operand as f
// of the same lanes of its other operands, from the last to the first. An immediate is not among
// them. If accumulates is set, the lane that is replaced follows the others.
func eachLane(
	accumulates bool, f func(m *machine, i *inst, x []uint64) uint64,
) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n, last := i.Lanes, len(i.Op)-1
		var v []vector
		for k := last - 1; k >= 0 && i.Op[k].Kind != interp.Immediate; k-- {
			v = append(v, getVec(m, i, &i.Op[k], n))
		}
		if accumulates {
			v = append(v, getVec(m, i, &i.Op[last], n))
		}
		r, x := vector{}, make([]uint64, len(v))
		for k := range n {
			for j := range v {
				x[j] = v[j].V[k]
			}
			r.V[k] = f(m, i, x)
		}
		for j := range v {
			r.Secret |= v[j].Secret
		}
		setVec(m, i, &i.Op[last], r, n)
	}
}

// pxor runs PXOR, which keeps the upper lanes of the destination.
func pxor(m *machine, i *inst) {
	var a, b vector
	if !i.Op[0].Same(&i.Op[1]) {
		a, b = getVec(m, i, &i.Op[1], 2), getVec(m, i, &i.Op[0], 2)
	}
	a.V[0], a.V[1] = a.V[0]^b.V[0], a.V[1]^b.V[1]
	a.Secret |= b.Secret
	setLow(m, &i.Op[1], a)
}

// halves returns a function that applies f to both 32-bit halves of 64-bit lanes.
func halves(f func(a, b uint32) uint32) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		return uint64(f(uint32(a), uint32(b))) | uint64(f(uint32(a>>32), uint32(b>>32)))<<32
	}
}

// ternary runs VPTERNLOGQ, which computes each bit of the result from three bits. The immediate is
// the truth table of eight bits.
func ternary(m *machine, i *inst) {
	n := i.Lanes
	table := i.Op[0].Imm
	if i.Op[1].Same(&i.Op[2]) && i.Op[2].Same(&i.Op[3]) && (table == 0xff || table == 0) {
		r := vector{}
		for k := range n {
			r.V[k] = -(table & 1)
		}
		setVec(m, i, &i.Op[3], r, n)
		return
	}
	eachLane(true, func(_ *machine, _ *inst, x []uint64) (r uint64) {
		for k := range uint64(8) {
			if table>>k&1 == 1 { // k has a bit for each of a, b and c, the highest one for a
				a, b, c := x[2], x[0], x[1]
				r |= (a ^ (k>>2&1 - 1)) & (b ^ (k>>1&1 - 1)) & (c ^ (k&1 - 1))
			}
		}
		return r
	})(m, i)
}

// shiftLanes returns the function that shifts all lanes by one count, which is an immediate or the
// lowest lane of a vector.
func shiftLanes(f func(a, count uint64) uint64) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := i.Lanes
		a := getVec(m, i, &i.Op[1], n)
		var by word
		if i.Op[0].Kind == interp.Immediate {
			by.V = i.Op[0].Imm & 0xff
		} else {
			c := getVec(m, &inst{}, &i.Op[0], 2)
			by = value(c.V[0], c.Secret&1 != 0)
		}
		for k := range n {
			a.V[k] = f(a.V[k], by.V)
		}
		if by.Secret {
			a.Secret = uint8(1<<n - 1)
		}
		setVec(m, i, &i.Op[2], a, n)
	}
}

// moveVec returns the function for VMOVDQU and similar moves. aligned says that the instruction
// requires an aligned address.
func moveVec(aligned bool) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := i.Lanes
		for k := range i.Op {
			if o := &i.Op[k]; aligned && o.Kind == interp.Memory && m.Address(o)%uint64(8*n) != 0 {
				m.Fault("the address is not a multiple of %d", 8*n)
			}
		}
		setVec(m, i, &i.Op[1], getVec(m, i, &i.Op[0], n), n)
	}
}

// vmov runs VMOVQ to a vector register. It clears the bits of the register above the number.
func vmov(m *machine, i *inst) {
	setVec(m, i, &i.Op[1], repeat(m.GetBits(&i.Op[0], 64), 1), 2)
}

// broadcast returns the function for VPBROADCASTQ (64 bits) or VPBROADCASTD (32 bits).
func broadcast(bits uint) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		var w word
		if o := &i.Op[0]; o.Kind == interp.Vec {
			a := m.ReadVec(o, 2)
			w = value(a.V[0]&interp.WidthMask(bits), a.Secret&1 != 0)
		} else {
			w = m.GetBits(o, bits)
		}
		if bits == 32 {
			w.V |= w.V << 32
		}
		setVec(m, i, &i.Op[1], repeat(w, i.Lanes), i.Lanes)
	}
}

// signs runs VMOVMSKPD, which moves the sign bits of all lanes to a general register.
func signs(m *machine, i *inst) {
	n := i.Lanes
	a := getVec(m, i, &i.Op[0], n)
	r := word{Secret: a.Secret != 0}
	for k := range n {
		r.V |= a.V[k] >> 63 << k
	}
	m.SetBits(&i.Op[1], 32, r)
}

// lane returns the k-th lane of v, in lanes of the given width.
func lane(v *vector, k int, bits uint) uint64 {
	at := uint(k) * bits
	return v.V[at/64] >> (at % 64) & interp.WidthMask(bits)
}

// testMask returns the function for an instruction that compares or tests lanes of the given width
// and has a mask as its result. The bit of a lane in that mask is set if f holds for the lane. a
// and b are the lane's operands, and imm is the instruction's immediate.
func testMask(bits uint, f func(a, b, imm uint64) bool) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := i.Lanes
		at := 0
		var imm uint64
		if i.Op[0].Kind == interp.Immediate {
			imm, at = i.Op[0].Imm, 1
		}
		a, b := getVec(m, i, &i.Op[at+1], n), getVec(m, i, &i.Op[at], n)
		chosen, hidden := lanesOf(m, i)
		r := bit{Defined: true, Secret: hidden || (a.Secret|b.Secret) != 0}
		for k := range 64 / int(bits) * n {
			if chosen>>k&1 == 1 && f(lane(&a, k, bits), lane(&b, k, bits), imm) {
				r.V |= 1 << k
			}
		}
		m.Mask[i.Op[at+2].Index] = r
	}
}

// compare evaluates the predicate of VPCMPUQ and VPCMPUD that imm selects.
func compare(a, b, imm uint64) bool {
	switch imm & 7 {
	case 0:
		return a == b
	case 1:
		return a < b
	case 2:
		return a <= b
	case 3:
		return false
	case 4:
		return a != b
	case 5:
		return a >= b
	case 6:
		return a > b
	}
	return true
}

func ones(yes bool) uint64 {
	if yes {
		return ^uint64(0)
	}
	return 0
}

func vzeroupper(m *machine, i *inst) {
	for k := range 16 {
		x := &m.Vec[k]
		clear(x.V[2:])
		x.Defined |= 0xfc
		x.Secret &= 3
	}
	m.Flag[uppers] = bit{}
}

func vzeroall(m *machine, i *inst) {
	for k := range 16 {
		m.Vec[k] = vector{Defined: 0xff}
	}
	m.Flag[uppers] = bit{}
}
