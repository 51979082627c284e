package interp

import (
	"encoding/binary"
	"math/bits"
)

// lanes returns how many lanes of 64 bits an operand of the instruction has.
// Its last operand that is a vector decides.
func (i *inst) lanes() int {
	for k := len(i.op) - 1; k >= 0; k-- {
		if i.op[k].kind == isVec {
			return int(i.op[k].bits / 64)
		}
	}
	return 0
}

// getVec returns n lanes of an operand; the others are zero.
func (m *Machine) getVec(i *inst, o *operandOf, n int) vector {
	var r vector
	switch o.kind {
	case isVec:
		x := &m.vec[o.index]
		want := uint8(1<<n - 1)
		if x.defined&want != want {
			m.fault("reads %s, which holds no value", o.text)
		}
		copy(r.v[:n], x.v[:n])
		r.secret = x.secret & want
	case isMem:
		if i.broadcast {
			w := m.load(m.address(o), 64)
			for k := range n {
				r.v[k] = w.v
			}
			if w.secret {
				r.secret = uint8(1<<n - 1)
			}
			break
		}
		r = m.loadVec(m.address(o), n)
	default:
		m.fault("operand %s is no vector", o.text)
	}
	r.defined = 0xff
	return r
}

func (m *Machine) loadVec(a uint64, n int) vector {
	r := vector{defined: 0xff}
	for k := range n {
		w := m.load(a+uint64(8*k), 64)
		r.v[k] = w.v
		if w.secret {
			r.secret |= 1 << k
		}
	}
	return r
}

// lanesOf returns which lanes the instruction writes, and whether that is secret.
func (m *Machine) lanesOf(i *inst) (uint8, bool) {
	if i.mask == 0 {
		return 0xff, false
	}
	k := &m.opmask[i.mask]
	if !k.defined {
		m.fault("reads mask register K%d, which holds no value", i.mask)
	}
	return uint8(k.v), k.secret
}

// setVec writes n lanes to an operand, and zeroes the upper ones of a register.
func (m *Machine) setVec(i *inst, o *operandOf, r vector, n int) {
	chosen, hidden := m.lanesOf(i)
	all := uint8(1<<n - 1)
	if o.kind == isMem {
		a := m.address(o)
		if hidden && m.ConstantTime {
			m.fault("stores lanes that a secret selects")
		}
		for k := range n {
			if chosen>>k&1 == 1 {
				m.store(a+uint64(8*k), 64, word{r.v[k], r.secret>>k&1 == 1})
			}
		}
		return
	}
	if o.kind != isVec {
		m.fault("operand %s is no vector", o.text)
	}
	x := &m.vec[o.index]
	if chosen&all != all || hidden {
		old := vector{defined: 0xff}
		if !i.zeroing {
			old = m.getVec(i, o, n)
		}
		for k := range n {
			if chosen>>k&1 == 0 {
				r.v[k] = old.v[k]
				if !hidden {
					r.secret = r.secret&^(1<<k) | old.secret&(1<<k)
				}
			}
		}
		if hidden {
			r.secret = all
		}
	}
	for k := n; k < 8; k++ {
		r.v[k] = 0
	}
	r.defined, r.secret = 0xff, r.secret&all
	*x = r
	if n > 2 && o.index < 16 {
		m.dirty = true
	}
}

// anySecret spreads secrecy from any lane to all, for instructions that move
// data between lanes.
func anySecret(n int, vs ...vector) uint8 {
	for _, v := range vs {
		if v.secret != 0 {
			return uint8(1<<n - 1)
		}
	}
	return 0
}

// lanewise is an instruction on pairs of lanes: the destination gets
// f(second source, first source), in the order of Intel's manuals. If cancels
// is set, a register with itself has a result whatever it holds.
func lanewise(cancels bool, f func(a, b uint64) uint64) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := i.lanes()
		r := vector{}
		if cancels && i.op[0].sameRegister(&i.op[1]) {
			for k := range n {
				r.v[k] = f(0, 0)
			}
		} else {
			a, b := m.getVec(i, &i.op[1], n), m.getVec(i, &i.op[0], n)
			for k := range n {
				r.v[k] = f(a.v[k], b.v[k])
			}
			r.secret = a.secret | b.secret
		}
		m.setVec(i, &i.op[2], r, n)
	}
}

// legacy is the form of SSE: two operands, and the upper lanes stay.
func legacy(cancels bool, f func(a, b uint64) uint64) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		var a, b vector
		if !cancels || !i.op[0].sameRegister(&i.op[1]) {
			a, b = m.getVec(i, &i.op[1], 2), m.getVec(i, &i.op[0], 2)
		}
		for k := range 2 {
			a.v[k] = f(a.v[k], b.v[k])
		}
		a.secret |= b.secret
		m.setLow(&i.op[1], a)
	}
}

// setLow writes the low two lanes as SSE does.
func (m *Machine) setLow(o *operandOf, r vector) {
	x := &m.vec[o.index]
	copy(x.v[:2], r.v[:2])
	x.defined |= 3
	x.secret = x.secret&^3 | r.secret&3
}

// halves makes an operation on 64-bit lanes of one on 32-bit lanes.
func halves(f func(a, b uint32) uint32) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		return uint64(f(uint32(a), uint32(b))) | uint64(f(uint32(a>>32), uint32(b>>32)))<<32
	}
}

// accumulate is an instruction whose destination is a source too.
func accumulate(f func(d, a, b uint64) uint64) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := i.lanes()
		a, b := m.getVec(i, &i.op[1], n), m.getVec(i, &i.op[0], n)
		d := m.getVec(i, &i.op[2], n)
		for k := range n {
			d.v[k] = f(d.v[k], a.v[k], b.v[k])
		}
		d.secret |= a.secret | b.secret
		m.setVec(i, &i.op[2], d, n)
	}
}

// ternary is VPTERNLOGQ: an operation on bits by its table of eight.
func ternary(m *Machine, i *inst) {
	n := i.lanes()
	table := i.op[0].imm
	if i.op[1].sameRegister(&i.op[2]) && i.op[2].sameRegister(&i.op[3]) && (table == 0xff || table == 0) {
		r := vector{}
		for k := range n {
			r.v[k] = -(table & 1)
		}
		m.setVec(i, &i.op[3], r, n)
		return
	}
	c, b, a := m.getVec(i, &i.op[1], n), m.getVec(i, &i.op[2], n), m.getVec(i, &i.op[3], n)
	r := vector{secret: a.secret | b.secret | c.secret}
	for k := range n {
		for t := range uint(8) {
			if table>>t&1 == 1 {
				x, y, z := a.v[k], b.v[k], c.v[k]
				if t&4 == 0 {
					x = ^x
				}
				if t&2 == 0 {
					y = ^y
				}
				if t&1 == 0 {
					z = ^z
				}
				r.v[k] |= x & y & z
			}
		}
	}
	m.setVec(i, &i.op[3], r, n)
}

// shiftLanes shifts all lanes by one count, an immediate or the low lane of a
// vector.
func shiftLanes(f func(a, count uint64) uint64) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := i.lanes()
		a := m.getVec(i, &i.op[1], n)
		var by word
		if i.op[0].kind == isImm {
			by.v = i.op[0].imm & 0xff
		} else {
			c := m.getVec(&inst{}, &i.op[0], 2)
			by = word{c.v[0], c.secret&1 != 0}
		}
		for k := range n {
			a.v[k] = f(a.v[k], by.v)
		}
		if by.secret {
			a.secret = uint8(1<<n - 1)
		}
		m.setVec(i, &i.op[2], a, n)
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

// funnel is VPSHLDQ and VPSHRDQ: shifts of a pair of lanes.
func funnel(f func(a, b uint64, count uint) uint64) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := i.lanes()
		count := uint(i.op[0].imm) & 63
		b, a := m.getVec(i, &i.op[1], n), m.getVec(i, &i.op[2], n)
		for k := range n {
			a.v[k] = f(a.v[k], b.v[k], count)
		}
		a.secret |= b.secret
		m.setVec(i, &i.op[3], a, n)
	}
}

// moveVec is VMOVDQU and its relatives; aligned is set for those that need an
// aligned address.
func moveVec(aligned bool) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := i.lanes()
		for k := range i.op {
			if o := &i.op[k]; aligned && o.kind == isMem && m.address(o)%uint64(8*n) != 0 {
				m.fault("the address is not a multiple of %d", 8*n)
			}
		}
		m.setVec(i, &i.op[1], m.getVec(i, &i.op[0], n), n)
	}
}

func moveLegacy(m *Machine, i *inst) {
	r := m.getVec(i, &i.op[0], 2)
	if i.op[1].kind == isMem {
		m.setVec(i, &i.op[1], r, 2)
		return
	}
	m.setLow(&i.op[1], r)
}

// moveLow is MOVQ between a vector register and anything, in the form of SSE.
func moveLow(m *Machine, i *inst) {
	src, dst := &i.op[0], &i.op[1]
	if i.bits != 64 {
		m.fault("a move of %d bits to or from a vector", i.bits)
	}
	w := m.getLow(src, 64)
	if dst.kind != isVec {
		m.setBits(dst, 64, w)
		return
	}
	r := vector{v: [8]uint64{w.v}}
	if w.secret {
		r.secret = 1
	}
	m.setLow(dst, r)
}

// getLow returns the low bits of a vector register, or another operand.
func (m *Machine) getLow(o *operandOf, bits uint) word {
	if o.kind != isVec {
		return m.getBits(o, bits)
	}
	r := m.getVec(&inst{}, o, 1)
	return word{r.v[0] & widthMask(bits), r.secret&1 != 0}
}

// vmov is VMOVQ and VMOVD: the lanes above the moved part become zero.
func vmov(bits uint) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		w := m.getLow(&i.op[0], bits)
		if i.op[1].kind != isVec {
			m.setBits(&i.op[1], bits, w)
			return
		}
		r := vector{v: [8]uint64{w.v}}
		if w.secret {
			r.secret = 1
		}
		m.setVec(i, &i.op[1], r, 2)
	}
}

// broadcast is VPBROADCASTQ, or with 32 bits VPBROADCASTD.
func broadcast(bits uint) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := i.lanes()
		w := m.getLow(&i.op[0], bits)
		if bits == 32 {
			w.v |= w.v << 32
		}
		r := vector{}
		for k := range n {
			r.v[k] = w.v
		}
		if w.secret {
			r.secret = uint8(1<<n - 1)
		}
		m.setVec(i, &i.op[1], r, n)
	}
}

// broadcastLanes repeats a block of so many lanes from memory.
func broadcastLanes(block int) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := i.lanes()
		b := m.loadVec(m.address(&i.op[0]), block)
		r := vector{}
		for k := range n {
			r.v[k] = b.v[k%block]
			r.secret |= b.secret >> (k % block) & 1 << k
		}
		m.setVec(i, &i.op[1], r, n)
	}
}

// blendDwords is VPBLENDD: 32-bit lanes by an immediate.
func blendDwords(m *Machine, i *inst) {
	n := i.lanes()
	b, a := m.getVec(i, &i.op[1], n), m.getVec(i, &i.op[2], n)
	for k := range 2 * n {
		if i.op[0].imm>>k&1 == 1 {
			part := uint64(0xffffffff) << (32 * (k & 1))
			a.v[k/2] = a.v[k/2]&^part | b.v[k/2]&part
		}
	}
	a.secret |= b.secret
	m.setVec(i, &i.op[3], a, n)
}

// blendBytes is VPBLENDVB: by the top bits of a vector's bytes.
func blendBytes(m *Machine, i *inst) {
	n := i.lanes()
	by, b, a := m.getVec(i, &i.op[0], n), m.getVec(i, &i.op[1], n), m.getVec(i, &i.op[2], n)
	for k := range n {
		sel := by.v[k] >> 7 & 0x0101010101010101 * 0xff
		a.v[k] = a.v[k]&^sel | b.v[k]&sel
	}
	a.secret |= b.secret | by.secret
	m.setVec(i, &i.op[3], a, n)
}

// blendMask is VPBLENDMQ, which has its mask as a selector: lanes that are not
// chosen come from the second source.
func blendMask(m *Machine, i *inst) {
	n := i.lanes()
	b, a := m.getVec(i, &i.op[0], n), m.getVec(i, &i.op[1], n)
	chosen, hidden := m.lanesOf(i)
	for k := range n {
		if chosen>>k&1 == 1 {
			a.v[k] = b.v[k]
		} else if i.zeroing {
			a.v[k] = 0
		}
	}
	a.secret |= b.secret
	if hidden {
		a.secret = uint8(1<<n - 1)
	}
	plain := *i
	plain.mask = 0
	m.setVec(&plain, &i.op[2], a, n)
}

// testMask is VPTESTMQ, VPTESTNMQ and the comparisons with a mask as result:
// one bit for every lane in which f holds.
func testMask(f func(a, b, imm uint64) bool) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := i.lanes()
		at := 0
		var imm uint64
		if i.op[0].kind == isImm {
			imm, at = i.op[0].imm, 1
		}
		a, b := m.getVec(i, &i.op[at+1], n), m.getVec(i, &i.op[at], n)
		chosen, hidden := m.lanesOf(i)
		r := mask{defined: true, secret: hidden || (a.secret|b.secret) != 0}
		for k := range n {
			if chosen>>k&1 == 1 && f(a.v[k], b.v[k], imm) {
				r.v |= 1 << k
			}
		}
		m.opmask[i.op[at+2].index] = r
	}
}

// compare evaluates the eight predicates of VPCMPUQ and VPCMPQ.
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

// compareEqual has a vector or a mask as its result.
func compareEqual(m *Machine, i *inst) {
	if i.op[2].kind == isMask {
		testMask(func(a, b, _ uint64) bool { return a == b })(m, i)
		return
	}
	lanewise(true, equalLanes)(m, i)
}

func compareGreater(m *Machine, i *inst) {
	if i.op[2].kind == isMask {
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

// vptest sets ZF if no bit is in both, CF if none of the first source is
// outside the second.
func vptest(m *Machine, i *inst) {
	n := i.lanes()
	a, b := m.getVec(i, &i.op[1], n), m.getVec(i, &i.op[0], n)
	var both, only uint64
	for k := range n {
		both |= a.v[k] & b.v[k]
		only |= b.v[k] &^ a.v[k]
	}
	s := (a.secret | b.secret) != 0
	m.setFlag(zero, both == 0, s)
	m.setFlag(carry, only == 0, s)
	for _, f := range []int{overflow, sign, parity} {
		m.setFlag(f, false, false)
	}
}

func moveByteMask(m *Machine, i *inst) {
	n := int(i.op[0].bits / 64)
	a := m.getVec(i, &i.op[0], n)
	var r uint64
	for k := range n {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], a.v[k])
		for j, x := range b {
			r |= uint64(x>>7) << (8*k + j)
		}
	}
	m.setBits(&i.op[1], 32, word{r, a.secret != 0})
}

func vzeroupper(m *Machine, i *inst) {
	for k := range 16 {
		x := &m.vec[k]
		clear(x.v[2:])
		x.defined |= 0xfc
		x.secret &= 3
	}
	m.dirty = false
}

func vzeroall(m *Machine, i *inst) {
	for k := range 16 {
		m.vec[k] = vector{defined: 0xff}
	}
	m.dirty = false
}

// low52 and high52 are the halves of a product of 52-bit factors.
func low52(d, a, b uint64) uint64 {
	const m52 = 1<<52 - 1
	return d + a&m52*(b&m52)&m52
}

func high52(d, a, b uint64) uint64 {
	const m52 = 1<<52 - 1
	hi, lo := bits.Mul64(a&m52, b&m52)
	return d + (hi<<12 | lo>>52)
}
