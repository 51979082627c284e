package interp

// kmov moves so many bits between mask registers, general registers and memory.
func kmov(bits uint) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		src, dst := &i.op[0], &i.op[1]
		var w word
		if src.kind == isMask {
			w = m.getMask(src)
			w.v &= widthMask(bits)
		} else {
			w = m.getBits(src, bits)
		}
		switch dst.kind {
		case isMask:
			m.opmask[dst.index] = mask{w.v, true, w.secret}
		case isReg:
			m.setBits(dst, max(bits, 32), w)
		default:
			m.setBits(dst, bits, w)
		}
	}
}

func (m *Machine) getMask(o *operandOf) word {
	k := &m.opmask[o.index]
	if !k.defined {
		m.fault("reads %s, which holds no value", o.text)
	}
	return word{k.v, k.secret}
}

// maskLogic is an operation on mask registers of so many bits.
func maskLogic(bits uint, cancels bool, f func(a, b uint64) uint64) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		var a, b word
		if !cancels || !i.op[0].sameRegister(&i.op[1]) {
			a, b = m.getMask(&i.op[1]), m.getMask(&i.op[0])
		}
		m.opmask[i.op[2].index] = mask{f(a.v, b.v) & widthMask(bits), true, a.secret || b.secret}
	}
}

func maskNot(bits uint) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		a := m.getMask(&i.op[0])
		m.opmask[i.op[1].index] = mask{^a.v & widthMask(bits), true, a.secret}
	}
}

func maskShift(bits uint, left bool) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		a, n := m.getMask(&i.op[1]), i.op[0].imm&0xff
		var r uint64
		if left {
			r = a.v << n & widthMask(bits)
		} else {
			r = (a.v & widthMask(bits)) >> n
		}
		m.opmask[i.op[2].index] = mask{r, true, a.secret}
	}
}

// maskTest is KORTEST: ZF if the union is empty, CF if it is full.
func maskTest(bits uint) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		a, b := m.getMask(&i.op[1]), m.getMask(&i.op[0])
		r, s := (a.v|b.v)&widthMask(bits), a.secret || b.secret
		m.setFlag(zero, r == 0, s)
		m.setFlag(carry, r == widthMask(bits), s)
		for _, f := range []int{overflow, sign, parity} {
			m.setFlag(f, false, false)
		}
	}
}

func addMasks(t table) {
	for s, bits := range map[string]uint{"B": 8, "W": 16, "D": 32, "Q": 64} {
		one(t, "KMOV"+s, 0, 2, kmov(bits))
		one(t, "KAND"+s, 0, 3, maskLogic(bits, false, func(a, b uint64) uint64 { return a & b }))
		one(t, "KANDN"+s, 0, 3, maskLogic(bits, false, func(a, b uint64) uint64 { return ^a & b }))
		one(t, "KOR"+s, 0, 3, maskLogic(bits, false, func(a, b uint64) uint64 { return a | b }))
		one(t, "KXOR"+s, 0, 3, maskLogic(bits, true, func(a, b uint64) uint64 { return a ^ b }))
		one(t, "KXNOR"+s, 0, 3, maskLogic(bits, true, func(a, b uint64) uint64 { return ^(a ^ b) }))
		one(t, "KADD"+s, 0, 3, maskLogic(bits, false, func(a, b uint64) uint64 { return a + b }))
		one(t, "KNOT"+s, 0, 2, maskNot(bits))
		one(t, "KSHIFTL"+s, 0, 3, maskShift(bits, true))
		one(t, "KSHIFTR"+s, 0, 3, maskShift(bits, false))
		one(t, "KORTEST"+s, 0, 2, maskTest(bits))
	}
}

func addVectors(t table) {
	// masked adds an instruction that also has a form with a mask.
	masked := func(name string, operands int, run func(*Machine, *inst)) {
		one(t, name, 0, operands, run)
		t[name].masked = true
	}
	lanes := func(cancels bool, f func(a, b uint64) uint64, names ...string) {
		for _, n := range names {
			masked(n, 3, lanewise(cancels, f))
		}
	}
	and := func(a, b uint64) uint64 { return a & b }
	or := func(a, b uint64) uint64 { return a | b }
	exclusive := func(a, b uint64) uint64 { return a ^ b }
	andNot := func(a, b uint64) uint64 { return ^a & b }
	addLanes := func(a, b uint64) uint64 { return a + b }
	subLanes := func(a, b uint64) uint64 { return a - b }
	add32 := halves(func(a, b uint32) uint32 { return a + b })
	sub32 := halves(func(a, b uint32) uint32 { return a - b })
	equal32 := halves(func(a, b uint32) uint32 { return uint32(ones(a == b)) })
	mul32 := func(a, b uint64) uint64 { return a & 0xffffffff * (b & 0xffffffff) }

	lanes(false, and, "VPAND", "VPANDQ")
	lanes(false, or, "VPOR", "VPORQ")
	lanes(true, exclusive, "VPXOR", "VPXORQ")
	lanes(false, andNot, "VPANDN", "VPANDNQ")
	lanes(false, addLanes, "VPADDQ")
	lanes(true, subLanes, "VPSUBQ")
	lanes(false, mul32, "VPMULUDQ")
	lanes(false, func(a, b uint64) uint64 { return a * b }, "VPMULLQ")
	lanes(false, func(a, b uint64) uint64 { return min(a, b) }, "VPMINUQ")
	lanes(false, func(a, b uint64) uint64 { return max(a, b) }, "VPMAXUQ")
	lanes(false, left64, "VPSLLVQ")
	lanes(false, right64, "VPSRLVQ")
	lanes(false, rightSigned64, "VPSRAVQ")
	masked("VPCMPEQQ", 3, compareEqual)
	masked("VPCMPGTQ", 3, compareGreater)
	masked("VPCMPUQ", 4, testMask(compare(false)))
	masked("VPCMPQ", 4, testMask(compare(true)))
	masked("VPTESTMQ", 3, testMask(func(a, b, _ uint64) bool { return a&b != 0 }))
	masked("VPTESTNMQ", 3, testMask(func(a, b, _ uint64) bool { return a&b == 0 }))
	masked("VPSLLQ", 3, shiftLanes(left64))
	masked("VPSRLQ", 3, shiftLanes(right64))
	masked("VPSRAQ", 3, shiftLanes(rightSigned64))
	masked("VPSHLDQ", 4, funnel(func(a, b uint64, n uint) uint64 { return a<<n | b>>(64-n) }))
	masked("VPSHRDQ", 4, funnel(func(a, b uint64, n uint) uint64 { return a>>n | b<<(64-n) }))
	masked("VPMADD52LUQ", 3, accumulate(low52))
	masked("VPMADD52HUQ", 3, accumulate(high52))
	masked("VPTERNLOGQ", 4, ternary)
	masked("VPBROADCASTQ", 2, broadcast(64))
	masked("VPERMQ", 3, permQ)
	masked("VPERMI2Q", 3, perm2(true))
	masked("VPERMT2Q", 3, perm2(false))
	masked("VPUNPCKLQDQ", 3, interleave(0))
	masked("VPUNPCKHQDQ", 3, interleave(1))
	masked("VALIGNQ", 4, valignq)
	one(t, "VSHUFI64X2", 0, 4, shuffleBlocks)
	masked("VPBLENDMQ", 3, blendMask)
	masked("VMOVDQU64", 2, moveVec(false))
	masked("VMOVDQA64", 2, moveVec(true))

	// Lanes of 32 bits, and instructions that have no mask of 64-bit lanes.
	one(t, "VPADDD", 0, 3, lanewise(false, add32))
	one(t, "VPSUBD", 0, 3, lanewise(true, sub32))
	one(t, "VPCMPEQD", 0, 3, lanewise(true, equal32))
	one(t, "VPSLLD", 0, 3, shiftLanes(left32))
	one(t, "VPSRLD", 0, 3, shiftLanes(right32))
	one(t, "VPSHUFD", 0, 3, func(m *Machine, i *inst) {
		n := i.lanes()
		m.setVec(i, &i.op[2], shuffle32(m, i, m.getVec(i, &i.op[1], n), n), n)
	})
	one(t, "VPBROADCASTD", 0, 2, broadcast(32))
	one(t, "VMOVDQU", 0, 2, moveVec(false))
	one(t, "VMOVUPD", 0, 2, moveVec(false))
	one(t, "VMOVUPS", 0, 2, moveVec(false))
	one(t, "VMOVDQA", 0, 2, moveVec(true))
	one(t, "VMOVQ", 0, 2, vmov(64))
	one(t, "VMOVD", 0, 2, vmov(32))
	one(t, "VPINSRQ", 0, 4, vpinsrq)
	one(t, "VPEXTRQ", 0, 3, vpextrq)
	one(t, "VPERM2I128", 0, 4, perm128)
	one(t, "VEXTRACTI128", 0, 3, extract(2))
	one(t, "VEXTRACTI64X2", 0, 3, extract(2))
	one(t, "VEXTRACTI64X4", 0, 3, extract(4))
	one(t, "VINSERTI128", 0, 4, insert(2))
	one(t, "VINSERTI64X2", 0, 4, insert(2))
	one(t, "VINSERTI64X4", 0, 4, insert(4))
	one(t, "VBROADCASTI128", 0, 2, broadcastLanes(2))
	one(t, "VBROADCASTI64X2", 0, 2, broadcastLanes(2))
	one(t, "VBROADCASTI64X4", 0, 2, broadcastLanes(4))
	one(t, "VPBLENDD", 0, 4, blendDwords)
	one(t, "VPBLENDVB", 0, 4, blendBytes)
	one(t, "VPTEST", 0, 2, vptest)
	one(t, "VPMOVMSKB", 0, 2, moveByteMask)
	one(t, "VZEROUPPER", 0, 0, vzeroupper)
	one(t, "VZEROALL", 0, 0, vzeroall)

	// SSE2, for CPUs without AVX.
	one(t, "MOVOU", 0, 2, moveLegacy)
	one(t, "MOVUPS", 0, 2, moveLegacy)
	one(t, "PAND", 0, 2, legacy(false, and))
	one(t, "POR", 0, 2, legacy(false, or))
	one(t, "PXOR", 0, 2, legacy(true, exclusive))
	one(t, "PANDN", 0, 2, legacy(false, andNot))
	one(t, "PADDQ", 0, 2, legacy(false, addLanes))
	one(t, "PSUBQ", 0, 2, legacy(true, subLanes))
	one(t, "PADDL", 0, 2, legacy(false, add32))
	one(t, "PSUBL", 0, 2, legacy(true, sub32))
	one(t, "PCMPEQL", 0, 2, legacy(true, equal32))
	one(t, "PCMPEQQ", 0, 2, legacy(true, equalLanes))
	one(t, "PMULULQ", 0, 2, legacy(false, mul32))
	one(t, "PSHUFL", 0, 3, func(m *Machine, i *inst) { m.setLow(&i.op[2], shuffle32(m, i, m.getVec(i, &i.op[1], 2), 2)) })
	one(t, "PUNPCKLQDQ", 0, 2, func(m *Machine, i *inst) {
		a, b := m.getVec(i, &i.op[1], 2), m.getVec(i, &i.op[0], 2)
		a.v[1] = b.v[0]
		a.secret = a.secret&1 | b.secret&1<<1
		m.setLow(&i.op[1], a)
	})
}
