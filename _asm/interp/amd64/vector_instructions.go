package amd64

import "math/bits"

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
	// masked adds an instruction whose lanes a mask register may select.
	masked := func(name string, operands int, run func(*machine, *inst)) {
		one(t, name, 0, operands, run).masked = true
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
	masked("VPROLQ", 3, shiftLanes(func(a, count uint64) uint64 {
		return bits.RotateLeft64(a, int(count))
	}))
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

	// The following are instructions on 32-bit lanes, and others without a mask of 64-bit lanes.
	one(t, "VPADDD", 0, 3, lanewise(false, add32))
	one(t, "VPSUBD", 0, 3, lanewise(true, sub32))
	one(t, "VPCMPEQD", 0, 3, lanewise(true, equal32))
	one(t, "VPSLLD", 0, 3, shiftLanes(left32))
	one(t, "VPSRLD", 0, 3, shiftLanes(right32))
	one(t, "VPSHUFD", 0, 3, func(m *machine, i *inst) {
		n := i.Lanes
		setVec(m, i, &i.Op[2], shuffle32(m, i, getVec(m, i, &i.Op[1], n), n), n)
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

	// The following are SSE2 instructions, for CPUs without AVX.
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
	one(t, "PSHUFL", 0, 3, func(m *machine, i *inst) {
		setLow(m, &i.Op[2], shuffle32(m, i, getVec(m, i, &i.Op[1], 2), 2))
	})
	addSHA(t)
}
