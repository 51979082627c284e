package amd64

import (
	"encoding/binary"
	"math/bits"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// getVec returns a vector with n lanes of the operand o. The other lanes are zero.
func getVec(m *machine, i *inst, o *operand, n int) vector {
	switch o.Kind {
	case interp.Vec:
		return m.ReadVec(o, n)
	case interp.Memory:
		if !i.Spread {
			return m.LoadVec(m.Address(o), n)
		}
		w := m.Load(m.Address(o), 64)
		r := vector{Defined: 0xff}
		for k := range n {
			r.V[k] = w.V
		}
		if w.Secret {
			r.Secret = uint8(1<<n - 1)
		}
		return r
	}
	m.Fault("operand %s is no vector", o.Text)
	return vector{}
}

// lanesOf returns the mask of the lanes that the instruction writes, and reports whether the mask
// is secret.
func lanesOf(m *machine, i *inst) (uint8, bool) {
	if i.Selection == 0 {
		return 0xff, false
	}
	k := &m.Mask[i.Selection]
	if !k.Defined {
		m.Fault("reads mask register K%d, which holds no value", i.Selection)
	}
	return uint8(k.V), k.Secret
}

// setVec writes n lanes of r to the operand o. If o is a register, it zeroes the upper lanes.
func setVec(m *machine, i *inst, o *operand, r vector, n int) {
	chosen, hidden := lanesOf(m, i)
	all := uint8(1<<n - 1)
	if o.Kind == interp.Memory {
		m.StoreVec(m.Address(o), &r, n, chosen, hidden)
		return
	}
	if o.Kind != interp.Vec {
		m.Fault("operand %s is no vector", o.Text)
	}
	x := &m.Vec[o.Index]
	if chosen&all != all || hidden {
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
	for k := n; k < 8; k++ {
		r.V[k] = 0
	}
	r.Defined, r.Secret = 0xff, r.Secret&all
	*x = r
	if n > 2 && o.Index < 16 {
		m.Flag[uppers] = bit{V: 1}
	}
}

// anySecret returns a mask with the n lowest bits set if any lane of the vectors vs is secret, and
// 0 otherwise. It serves instructions that move data between lanes.
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

// legacy returns the same function as lanewise for the SSE form of an instruction, which has two
// operands and keeps the upper lanes of the destination.
func legacy(cancels bool, f func(a, b uint64) uint64) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		var a, b vector
		if !cancels || !i.Op[0].Same(&i.Op[1]) {
			a, b = getVec(m, i, &i.Op[1], 2), getVec(m, i, &i.Op[0], 2)
		}
		for k := range 2 {
			a.V[k] = f(a.V[k], b.V[k])
		}
		a.Secret |= b.Secret
		setLow(m, &i.Op[1], a)
	}
}

// setLow writes the lowest two lanes of r to operand o. It keeps the other lanes, as SSE does.
func setLow(m *machine, o *operand, r vector) {
	x := &m.Vec[o.Index]
	copy(x.V[:2], r.V[:2])
	x.Defined |= 3
	x.Secret = x.Secret&^3 | r.Secret&3
}

// halves returns a function that applies f to both 32-bit halves of 64-bit lanes.
func halves(f func(a, b uint32) uint32) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		return uint64(f(uint32(a), uint32(b))) | uint64(f(uint32(a>>32), uint32(b>>32)))<<32
	}
}

// accumulate returns the function for an instruction that computes each lane of its destination as
// f(d, a, b), where d is the destination's old lane.
func accumulate(f func(d, a, b uint64) uint64) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := i.Lanes
		a, b := getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[0], n)
		d := getVec(m, i, &i.Op[2], n)
		for k := range n {
			d.V[k] = f(d.V[k], a.V[k], b.V[k])
		}
		d.Secret |= a.Secret | b.Secret
		setVec(m, i, &i.Op[2], d, n)
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
	c, b, a := getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[2], n), getVec(m, i, &i.Op[3], n)
	r := vector{Secret: a.Secret | b.Secret | c.Secret}
	for k := range n {
		for t := range uint(8) {
			if table>>t&1 == 1 {
				x, y, z := a.V[k], b.V[k], c.V[k]
				if t&4 == 0 {
					x = ^x
				}
				if t&2 == 0 {
					y = ^y
				}
				if t&1 == 0 {
					z = ^z
				}
				r.V[k] |= x & y & z
			}
		}
	}
	setVec(m, i, &i.Op[3], r, n)
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

func left64(a, count uint64) uint64  { return a << count }
func right64(a, count uint64) uint64 { return a >> count }
func rightSigned64(a, count uint64) uint64 {
	return uint64(int64(a) >> min(count, 63))
}

func left32(a, count uint64) uint64 {
	return halves(func(x, _ uint32) uint32 { return x << count })(a, 0)
}
func right32(a, count uint64) uint64 {
	return halves(func(x, _ uint32) uint32 { return x >> count })(a, 0)
}

// funnel returns the function for VPSHLDQ or VPSHRDQ, which shift the concatenation of two lanes.
func funnel(f func(a, b uint64, count uint) uint64) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := i.Lanes
		count := uint(i.Op[0].Imm) & 63
		b, a := getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[2], n)
		for k := range n {
			a.V[k] = f(a.V[k], b.V[k], count)
		}
		a.Secret |= b.Secret
		setVec(m, i, &i.Op[3], a, n)
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

func moveLegacy(m *machine, i *inst) {
	r := getVec(m, i, &i.Op[0], 2)
	if i.Op[1].Kind == interp.Memory {
		setVec(m, i, &i.Op[1], r, 2)
		return
	}
	setLow(m, &i.Op[1], r)
}

// moveLow runs the SSE form of MOVQ, between a vector register and any operand.
func moveLow(m *machine, i *inst) {
	src, dst := &i.Op[0], &i.Op[1]
	if i.Bits != 64 {
		m.Fault("a move of %d bits to or from a vector", i.Bits)
	}
	w := getLow(m, src, 64)
	if dst.Kind != interp.Vec {
		m.SetBits(dst, 64, w)
		return
	}
	r := vector{V: [8]uint64{w.V}}
	if w.Secret {
		r.Secret = 1
	}
	setLow(m, dst, r)
}

// getLow returns the lowest bits of operand o if it is a vector register, and otherwise its value.
func getLow(m *machine, o *operand, bits uint) word {
	if o.Kind != interp.Vec {
		return m.GetBits(o, bits)
	}
	r := getVec(m, &inst{}, o, 1)
	return value(r.V[0]&interp.WidthMask(bits), r.Secret&1 != 0)
}

// vmov returns the function for VMOVQ (64 bits) or VMOVD (32 bits). It clears the bits of the
// destination above the moved ones.
func vmov(bits uint) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		w := getLow(m, &i.Op[0], bits)
		if i.Op[1].Kind != interp.Vec {
			m.SetBits(&i.Op[1], bits, w)
			return
		}
		r := vector{V: [8]uint64{w.V}}
		if w.Secret {
			r.Secret = 1
		}
		setVec(m, i, &i.Op[1], r, 2)
	}
}

// broadcast returns the function for VPBROADCASTQ (64 bits) or VPBROADCASTD (32 bits).
func broadcast(bits uint) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := i.Lanes
		w := getLow(m, &i.Op[0], bits)
		if bits == 32 {
			w.V |= w.V << 32
		}
		r := vector{}
		for k := range n {
			r.V[k] = w.V
		}
		if w.Secret {
			r.Secret = uint8(1<<n - 1)
		}
		setVec(m, i, &i.Op[1], r, n)
	}
}

// broadcastLanes returns the function that fills a register with copies of a block of lanes from
// memory. block is the number of lanes.
func broadcastLanes(block int) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := i.Lanes
		b := m.LoadVec(m.Address(&i.Op[0]), block)
		r := vector{}
		for k := range n {
			r.V[k] = b.V[k%block]
			r.Secret |= b.Secret >> (k % block) & 1 << k
		}
		setVec(m, i, &i.Op[1], r, n)
	}
}

// blendDwords runs VPBLENDD: an immediate selects the source of each 32-bit lane.
func blendDwords(m *machine, i *inst) {
	n := i.Lanes
	b, a := getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[2], n)
	for k := range 2 * n {
		if i.Op[0].Imm>>k&1 == 1 {
			part := uint64(0xffffffff) << (32 * (k & 1))
			a.V[k/2] = a.V[k/2]&^part | b.V[k/2]&part
		}
	}
	a.Secret |= b.Secret
	setVec(m, i, &i.Op[3], a, n)
}

// blendBytes runs VPBLENDVB: the top bit of each byte of a vector selects the source of that byte.
func blendBytes(m *machine, i *inst) {
	n := i.Lanes
	by, b, a := getVec(m, i, &i.Op[0], n), getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[2], n)
	for k := range n {
		sel := by.V[k] >> 7 & 0x0101010101010101 * 0xff
		a.V[k] = a.V[k]&^sel | b.V[k]&sel
	}
	a.Secret |= b.Secret | by.Secret
	setVec(m, i, &i.Op[3], a, n)
}

// blendMask runs VPBLENDMQ: the lanes that the mask selects come from the first source operand in
// Go's order, and the other lanes from the second.
func blendMask(m *machine, i *inst) {
	n := i.Lanes
	b, a := getVec(m, i, &i.Op[0], n), getVec(m, i, &i.Op[1], n)
	chosen, hidden := lanesOf(m, i)
	for k := range n {
		if chosen>>k&1 == 1 {
			a.V[k] = b.V[k]
		} else if i.Zeroing {
			a.V[k] = 0
		}
	}
	a.Secret |= b.Secret
	if hidden {
		a.Secret = uint8(1<<n - 1)
	}
	plain := *i
	plain.Selection = 0
	setVec(m, &plain, &i.Op[2], a, n)
}

// testMask returns the function for VPTESTMQ, VPTESTNMQ or a comparison with a mask as its result.
// It sets a bit of the mask if f holds for the lane. a and b are the lane's operands, and imm is
// the instruction's immediate.
func testMask(f func(a, b, imm uint64) bool) func(*machine, *inst) {
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
		for k := range n {
			if chosen>>k&1 == 1 && f(a.V[k], b.V[k], imm) {
				r.V |= 1 << k
			}
		}
		m.Mask[i.Op[at+2].Index] = r
	}
}

// compare returns the function that evaluates the eight predicates of VPCMPQ (if isSigned is set)
// or VPCMPUQ. imm selects the predicate.
func compare(isSigned bool) func(a, b, imm uint64) bool {
	return func(a, b, imm uint64) bool {
		less := a < b
		if isSigned {
			less = int64(a) < int64(b)
		}
		switch imm & 7 {
		case 0:
			return a == b
		case 1:
			return less
		case 2:
			return less || a == b
		case 3:
			return false
		case 4:
			return a != b
		case 5:
			return !less
		case 6:
			return !less && a != b
		}
		return true
	}
}

// compareEqual runs VPCMPEQQ, whose result is a vector or a mask.
func compareEqual(m *machine, i *inst) {
	if i.Op[2].Kind == interp.Mask {
		testMask(func(a, b, _ uint64) bool { return a == b })(m, i)
		return
	}
	lanewise(true, equalLanes)(m, i)
}

func compareGreater(m *machine, i *inst) {
	if i.Op[2].Kind == interp.Mask {
		testMask(func(a, b, _ uint64) bool { return int64(a) > int64(b) })(m, i)
		return
	}
	lanewise(true, func(a, b uint64) uint64 { return ones(int64(a) > int64(b)) })(m, i)
}

func equalLanes(a, b uint64) uint64 { return ones(a == b) }

func ones(yes bool) uint64 {
	if yes {
		return ^uint64(0)
	}
	return 0
}

// vptest runs VPTEST. It sets ZF if both sources have no set bit in common, and CF if every bit
// that is set in the first source is set in the second.
func vptest(m *machine, i *inst) {
	n := i.Lanes
	a, b := getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[0], n)
	var both, only uint64
	for k := range n {
		both |= a.V[k] & b.V[k]
		only |= b.V[k] &^ a.V[k]
	}
	s := (a.Secret | b.Secret) != 0
	m.SetFlag(zero, both == 0, s)
	m.SetFlag(carry, only == 0, s)
	for _, f := range []int{overflow, sign, parity} {
		m.SetFlag(f, false, false)
	}
}

func moveByteMask(m *machine, i *inst) {
	n := int(i.Op[0].Bits / 64)
	a := getVec(m, i, &i.Op[0], n)
	var r uint64
	for k := range n {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], a.V[k])
		for j, x := range b {
			r |= uint64(x>>7) << (8*k + j)
		}
	}
	m.SetBits(&i.Op[1], 32, value(r, a.Secret != 0))
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

// low52 adds to d the low half of the product of the two 52-bit factors a and b, and high52 adds
// the high half.
func low52(d, a, b uint64) uint64 {
	const m52 = 1<<52 - 1
	return d + a&m52*(b&m52)&m52
}

func high52(d, a, b uint64) uint64 {
	const m52 = 1<<52 - 1
	hi, lo := bits.Mul64(a&m52, b&m52)
	return d + (hi<<12 | lo>>52)
}
