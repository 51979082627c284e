package amd64

import "math/bits"

func addMasks(t table) {
	for s, bits := range map[string]uint{"B": 8, "W": 16, "Q": 64} {
		one(t, "KMOV"+s, 0, 2, kmov(bits))
	}
	one(t, "KANDB", 0, 3, maskLogic(and))
	one(t, "KORB", 0, 3, maskLogic(or))
	one(t, "KNOTB", 0, 2, maskNot)
	one(t, "KSHIFTLB", 0, 3, maskShiftLeft)
}

func addVectors(t table) {
	// masked adds an instruction whose lanes a mask register may select.
	masked := func(name string, operands int, run func(*machine, *inst)) {
		one(t, name, 0, operands, run).Masked = true
	}
	lanes := func(cancels bool, f func(a, b uint64) uint64, names ...string) {
		for _, n := range names {
			masked(n, 3, lanewise(cancels, f))
		}
	}
	right := func(a, count uint64) uint64 { return a >> count }
	lanes(false, and, "VPAND", "VPANDQ")
	lanes(false, or, "VPOR", "VPORQ")
	lanes(true, xor, "VPXOR", "VPXORQ")
	t["VPXOR"].Cancels, t["VPXORQ"].Cancels = true, true
	lanes(false, func(a, b uint64) uint64 { return ^a & b }, "VPANDNQ")
	lanes(false, func(a, b uint64) uint64 { return a + b }, "VPADDQ")
	lanes(true, func(a, b uint64) uint64 { return a - b }, "VPSUBQ")
	lanes(false, func(a, b uint64) uint64 { return a * b }, "VPMULLQ")
	lanes(false, func(a, b uint64) uint64 {
		return a & 0xffffffff * (b & 0xffffffff)
	}, "VPMULUDQ")
	left := func(a, count uint64) uint64 { return a << count }
	lanes(false, right, "VPSRLVQ")
	lanes(false, left, "VPSLLVQ")
	masked("VPCMPUQ", 4, testMask(64, compare))
	masked("VPTESTMQ", 3, testMask(64, func(a, b, _ uint64) bool { return a&b != 0 }))
	masked("VPTESTNMQ", 3, testMask(64, func(a, b, _ uint64) bool { return a&b == 0 }))
	masked("VPSLLQ", 3, shiftLanes(left))
	masked("VPSRLQ", 3, shiftLanes(right))
	masked("VPSRAQ", 3, shiftLanes(func(a, count uint64) uint64 { return uint64(int64(a) >> count) }))
	masked("VPROLQ", 3, shiftLanes(func(a, count uint64) uint64 {
		return bits.RotateLeft64(a, int(count))
	}))
	masked("VPSHRDQ", 4, eachLane(false, func(_ *machine, i *inst, x []uint64) uint64 {
		count := i.Op[0].Imm & 63
		return x[0]>>count | x[1]<<(64-count)
	}))
	// VPMADD52 adds one half of the product of two 52-bit factors.
	const mask52 = 1<<52 - 1
	masked("VPMADD52LUQ", 3, eachLane(true, func(_ *machine, _ *inst, x []uint64) uint64 {
		return x[2] + x[0]&mask52*(x[1]&mask52)&mask52
	}))
	masked("VPMADD52HUQ", 3, eachLane(true, func(_ *machine, _ *inst, x []uint64) uint64 {
		hi, lo := bits.Mul64(x[0]&mask52, x[1]&mask52)
		return x[2] + (hi<<12 | lo>>52)
	}))
	masked("VPTERNLOGQ", 4, ternary)
	masked("VPBROADCASTQ", 2, broadcast(64))
	masked("VPERMI2Q", 3, perm2)
	masked("VMOVDQU64", 2, moveVec(false))
	masked("VMOVDQA64", 2, moveVec(true))

	// The following are instructions on 32-bit lanes, and other instructions that take no mask of
	// 64-bit lanes.
	one(t, "VPCMPEQQ", 0, 3, lanewise(true, func(a, b uint64) uint64 { return ones(a == b) }))
	one(t, "VPCMPGTQ", 0, 3,
		lanewise(true, func(a, b uint64) uint64 { return ones(int64(a) > int64(b)) }))
	one(t, "VPADDD", 0, 3, lanewise(false, halves(func(a, b uint32) uint32 { return a + b })))
	one(t, "VPSUBD", 0, 3, lanewise(true, halves(func(a, b uint32) uint32 { return a - b })))
	one(t, "VPSRLD", 0, 3, shiftLanes(func(a, count uint64) uint64 {
		return halves(func(x, _ uint32) uint32 { return x >> count })(a, 0)
	}))
	one(t, "VPBROADCASTD", 0, 2, broadcast(32))
	one(t, "VMOVDQU", 0, 2, moveVec(false))
	one(t, "VPBLENDVB", 0, 4, eachLane(false, func(_ *machine, _ *inst, x []uint64) uint64 {
		chosen := x[2] >> 7 & 0x0101_0101_0101_0101 * 0xff // bytes whose sign bit in the mask is set
		return x[1]&chosen | x[0]&^chosen
	}))
	one(t, "VPSHUFB", 0, 3, shuffleBytes)
	one(t, "VMOVMSKPD", 0, 2, signs)
	one(t, "VMOVQ", 0, 2, vmov)
	one(t, "VPINSRQ", 0, 4, vpinsrq)
	one(t, "VZEROUPPER", 0, 0, vzeroupper)
	one(t, "VZEROALL", 0, 0, vzeroall)
	one(t, "PXOR", 0, 2, pxor) // for CPUs without AVX
	addMoves(t)
	addSHA(t)
}
