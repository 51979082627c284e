package kernels

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// msmBuckets returns the kernels of bucket accumulation and bucket reduction (Pippenger).
func msmBuckets() []Kernel {
	return []Kernel{
		{
			Name: "digitsFMA512", Package: "sums", File: "accumulate_amd64",
			Signature: "func(b []ref, bucket []uint32, halves []half, groups, pos, width int, " +
				"middle uint64, row ref, base uint32)",
			Layout: "func(b, bucket []uint32, halves []uint64, groups, pos, width int, " +
				"middle uint64, row, base uint32)",
			Doc: "digitsFMA512 computes a digit of each of 8·groups half scalars, and the bucket\n" +
				"for its point. The digit is the number in the width bits from bit pos on, of\n" +
				"the 192 bits that hold the half scalar, minus middle. bucket[i] becomes base\n" +
				"plus the absolute value of digit i. b[i] becomes 0 if digit i is 0.\n" +
				"Otherwise it becomes row + 64·i, plus 1 if exactly one of the digit and the\n" +
				"half scalar is negative. groups ≥ 1, 0 ≤ pos ≤ 127 and 1 ≤ width ≤ 32.",
			Build: buildDigits,
		},
		{
			Name: "accumulateFMA512", Package: "sums", File: "accumulate_amd64",
			Signature: "func(a, b []ref, bucket []uint32, buckets []ref, n int) (pairs int)",
			Layout:    "func(a, b, bucket, buckets []uint32, n int) (pairs int)",
			Doc: "accumulateFMA512 adds b[i] to the bucket with the number bucket[i], for i from\n" +
				"0 to n−1 in order. If the bucket is empty (0), it becomes b[i]. Otherwise\n" +
				"its content and b[i] become a pair, and the bucket becomes empty. The pairs\n" +
				"move to the fronts of a and b, and the numbers of their buckets to the front\n" +
				"of bucket. pairs is the number of pairs. The kernel overwrites the rest of\n" +
				"a, b and bucket, and 16 more elements of each. n ≥ 1. The kernel does not\n" +
				"check bounds.",
			Build: buildAccumulate,
		},
		{
			Name: "sumRefsFMA512", Package: "sums", File: "accumulate_amd64",
			Signature: "func(a, b, out, free []ref, first ref, n int) (freed int)",
			Layout:    "func(a, b, out, free []uint32, first uint32, n int) (freed int)",
			Doc: "sumRefsFMA512 sets b[i] to out[i] plus bit 0 of a[i], for i < n. It writes\n" +
				"every a[i] and every old b[i] that is not below first to free, with bit 0\n" +
				"cleared. freed is the number of these elements. a, b, out and free need 16\n" +
				"more elements, which the kernel overwrites except in out. n ≥ 1.",
			Build: buildSumRefs,
		},
		{
			Name: "halveFMA512", Package: "sums", File: "accumulate_amd64",
			Signature: "func(src, dst []ref, groups int, first, position uint32, " +
				"a, b []ref, bucket []uint32) (pairs int, left ref)",
			Layout: "func(src, dst []uint32, groups int, first, position uint32, " +
				"a, b, bucket []uint32) (pairs int, left uint32)",
			Doc: "halveFMA512 adds the references src[2·j] and src[2·j+1], for j < 8·groups, to\n" +
				"bucket dst[j], whose old content is ignored. The reference 0 means no point.\n" +
				"If one of the two is 0, dst[j] becomes the other. If neither is 0, they\n" +
				"become a pair in a and b, the pair's element of bucket becomes first + j,\n" +
				"and dst[j] becomes 0.\n" +
				"The kernel also adds all src[2·j+1] that are not 0 to one more bucket, with\n" +
				"the number position: it pairs them in order, and appends these pairs to the\n" +
				"first ones. left is the last of these references if it has no partner, and 0\n" +
				"otherwise. pairs is the number of all pairs. groups ≥ 1. The kernel\n" +
				"overwrites src, and 16 elements after the pairs in a, b and bucket.",
			Build: halveBuckets,
		},
	}
}

// item returns the memory operand of element i in the list of 32-bit numbers at the address list.
func item(list, i reg.Register) operand.Mem {
	return operand.Mem{Base: list, Index: i, Scale: 4}
}

// laneNumbers returns read-only data with the numbers 0 to 7, one for each 64-bit lane.
func laneNumbers(c *build.Context, name string) operand.Mem {
	m := c.StaticGlobal(name)
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for j := range 8 {
		c.AddDatum(8*j, operand.U64(j))
	}
	return m
}

// broadcast returns a register with x in all 64-bit lanes. x is a constant, or the name of a 64-bit
// or 32-bit argument.
func broadcast(c *build.Context, x any) reg.VecVirtual {
	t, z := c.GP64(), c.ZMM()
	switch x := x.(type) {
	case int:
		c.MOVL(operand.U32(x), t.As32())
	case string:
		argument(c, x, t)
	}
	c.VPBROADCASTQ(t, z)
	return z
}

// buildDigits builds the kernel that finds the digits of eight half scalars of three words at a
// time. In each lane it selects the words that contain the digit's bits, and the word with the
// sign.
func buildDigits(c *build.Context) {
	b, bucket, halves, groups := reg.RDI, reg.R8, reg.RSI, reg.R9
	argument(c, "b", b)
	argument(c, "bucket", bucket)
	argument(c, "halves", halves)
	argument(c, "groups", groups)
	argument(c, "pos", reg.RAX)
	argument(c, "width", reg.RCX)

	// A choice selects a word for each lane from the 24 words of eight half scalars. The field at
	// holds the number of the word, from 0 to 23. The field last holds the mask of the lanes whose
	// word is among the last eight. The same mask serves for the digit's high words and for the
	// signs.
	type choice struct {
		at   reg.VecVirtual
		last reg.OpmaskPhysical
	}
	one := broadcast(c, 1)
	lane := c.ZMM()
	c.VMOVDQU64(laneNumbers(c, "digitLanes"), lane)
	first := c.ZMM()
	c.VPADDQ(lane, lane, first)
	c.VPADDQ(lane, first, first)
	t := c.GP64()
	c.MOVQ(reg.RAX, t)
	c.SHRQ(operand.U8(6), t)
	word := c.ZMM()
	c.VPBROADCASTQ(t, word)
	low, high, sign := choice{c.ZMM(), reg.K1}, choice{c.ZMM(), reg.K2}, choice{c.ZMM(), reg.K2}
	c.VPADDQ(word, first, low.at)
	c.VPADDQ(one, low.at, high.at)
	c.VPADDQ(one, first, sign.at)
	c.VPADDQ(one, sign.at, sign.at)
	fifteen := broadcast(c, 15)
	for _, x := range []choice{low, high} {
		c.VPCMPUQ(operand.U8(greater), fifteen, x.at, x.last)
	}

	count, rest := c.XMM(), c.XMM()
	c.ANDQ(operand.I8(63), reg.RAX)
	c.VMOVQ(reg.RAX, count)
	c.SUBQ(operand.I8(64), reg.RAX)
	c.NEGQ(reg.RAX)
	c.VMOVQ(reg.RAX, rest)
	mask := c.ZMM()
	c.MOVL(operand.U32(1), t.As32())
	c.SHLQ(reg.CL, t)
	c.DECQ(t)
	c.VPBROADCASTQ(t, mask)
	middle, base, row := broadcast(c, "middle"), broadcast(c, "base"), broadcast(c, "row")
	c.VPSLLQ(operand.U8(6), lane, lane)
	c.VPADDQ(lane, row, row)
	step := broadcast(c, 8<<6)

	c.Label("loop")
	w := [3]reg.VecVirtual{c.ZMM(), c.ZMM(), c.ZMM()}
	for k, r := range w {
		c.VMOVDQU64(operand.Mem{Base: halves, Disp: 64 * k}, r)
	}
	pick := func(x choice) reg.VecVirtual {
		r := c.ZMM()
		c.VMOVDQA64(x.at, r)
		c.VPERMI2Q(w[1], w[0], r)
		c.VPERMQ(w[2], x.at, x.last, r)
		return r
	}
	d, h, s := pick(low), pick(high), pick(sign)
	// If the digit begins at bit 0 of its word, the shift count, rest, is 64, and this shift leaves
	// no bits of the next word.
	c.VPSRLQ(count, d, d)
	c.VPSLLQ(rest, h, h)
	c.VPORQ(h, d, d)
	c.VPANDQ(mask, d, d)
	c.VPSUBQ(middle, d, d)
	c.VPTESTMQ(d, d, reg.K4)
	negative := c.ZMM()
	c.VPSRAQ(operand.U8(63), d, negative)
	c.VPXORQ(negative, d, d)
	c.VPSUBQ(negative, d, d)
	c.VPADDQ(base, d, d)
	c.VPXORQ(negative, s, s)
	c.VPANDQ(one, s, s)
	c.VPORQ_Z(row, s, reg.K4, s)
	c.VPADDQ(step, row, row)
	c.VPMOVQD(d, d.AsY())
	c.VMOVDQU64(d.AsY(), operand.Mem{Base: bucket})
	c.VPMOVQD(s, s.AsY())
	c.VMOVDQU64(s.AsY(), operand.Mem{Base: b})
	c.ADDQ(operand.U32(3*64), halves)
	c.ADDQ(operand.I8(32), b)
	c.ADDQ(operand.I8(32), bucket)
	c.DECQ(groups)
	c.JNZ(operand.LabelRef("loop"))
	c.VZEROUPPER()
	c.RET()
}

// These are predicates of vector comparisons.
const (
	notLess = 5
	greater = 6
)

// buildAccumulate builds the bucket accumulation kernel. First the kernel goes through the new
// entries in order, and appends the old contents of each entry's bucket to a list. The position in
// this list does not depend on the contents, so the CPU need not wait for one bucket before it
// reads the next. Then the kernel removes from the lists, 16 at a time, the entries whose bucket
// was empty: they have no partner to be added to.
func buildAccumulate(c *build.Context) {
	a, b, bucket, buckets, n := reg.RDI, reg.RSI, reg.R8, reg.R9, reg.R10
	argument(c, "a", a)
	argument(c, "b", b)
	argument(c, "bucket", bucket)
	argument(c, "buckets", buckets)
	argument(c, "n", n)
	const unrolled = 8
	i, rest := c.GP64(), c.GP64()
	c.XORL(i.As32(), i.As32())
	c.MOVQ(n, rest)
	accumulate := func(j int) {
		of := func(list reg.Register) operand.Mem {
			m := item(list, i)
			m.Disp = 4 * j
			return m
		}
		at, was, left := c.GP64(), c.GP32(), c.GP32()
		c.MOVL(of(bucket), at.As32())
		c.MOVL(item(buckets, at), was)
		c.XORL(left, left)
		c.MOVL(was, of(a))
		c.TESTL(was, was)
		c.CMOVLEQ(of(b), left)
		c.MOVL(left, item(buckets, at))
	}
	c.SUBQ(operand.I8(unrolled), rest)
	c.JCS(operand.LabelRef("few"))
	c.Label("many")
	for j := range unrolled {
		accumulate(j)
	}
	c.ADDQ(operand.I8(unrolled), i)
	c.SUBQ(operand.I8(unrolled), rest)
	c.JCC(operand.LabelRef("many"))
	c.Label("few")
	c.ADDQ(operand.I8(unrolled), rest)
	c.JZ(operand.LabelRef("all"))
	c.Label("one")
	accumulate(0)
	c.INCQ(i)
	c.DECQ(rest)
	c.JNZ(operand.LabelRef("one"))
	c.Label("all")

	zero := c.ZMM()
	c.VPXORQ(zero, zero, zero)
	c.VMOVDQU64(zero, item(a, n))
	pairs := c.GP64()
	c.XORL(pairs.As32(), pairs.As32())
	c.XORL(i.As32(), i.As32())
	c.Label("pairs")
	lists := []reg.GPPhysical{a, b, bucket}
	v := []reg.VecVirtual{c.ZMM(), c.ZMM(), c.ZMM()}
	for k, list := range lists {
		c.VMOVDQU64(item(list, i), v[k])
	}
	c.VPTESTMD(v[0], v[0], reg.K1)
	for k, list := range lists {
		// The destination of the compression is a register: with a memory destination, some CPUs
		// compress lane by lane.
		c.VPCOMPRESSD_Z(v[k], reg.K1, v[k])
		c.VMOVDQU64(v[k], item(list, pairs))
	}
	addLanes(c, reg.K1, pairs)
	c.ADDQ(operand.I8(16), i)
	c.CMPQ(i, n)
	c.JLT(operand.LabelRef("pairs"))
	c.Store(pairs, c.Return("pairs"))
	c.VZEROUPPER()
	c.RET()
}

// addLanes adds to sum the number of lanes that a mask of 16 lanes selects.
func addLanes(c *build.Context, mask reg.OpmaskPhysical, sum reg.Register) {
	t := c.GP64()
	c.KMOVW(mask, t.As32())
	c.POPCNTL(t.As32(), t.As32())
	c.ADDQ(t, sum)
}

// buildSumRefs builds the kernel that replaces pairs by references to their sums, 16 pairs at a
// time. It sets b to the references of the sums. From each of the lists a and b it selects the
// references that are not less than the argument first. It appends these, without bit 0, to the
// list to which the argument free points.
func buildSumRefs(c *build.Context) {
	a, b, out, free, n := reg.RDI, reg.RSI, reg.R8, reg.R9, reg.R10
	argument(c, "a", a)
	argument(c, "b", b)
	argument(c, "out", out)
	argument(c, "free", free)
	argument(c, "n", n)
	first, one, zero := c.ZMM(), c.ZMM(), c.ZMM()
	t := c.GP32()
	argument(c, "first", t)
	c.VPBROADCASTD(t, first)
	c.MOVL(operand.U32(1), t)
	c.VPBROADCASTD(t, one)
	// Append zeros to the lists as padding. The loop selects references that are at least the
	// argument named first, so it never selects a zero.
	c.VPXORQ(zero, zero, zero)
	c.VMOVDQU64(zero, item(a, n))
	c.VMOVDQU64(zero, item(b, n))
	i, freed := c.GP64(), c.GP64()
	c.XORL(i.As32(), i.As32())
	c.XORL(freed.As32(), freed.As32())
	c.Label("loop")
	sum, summands := c.ZMM(), []reg.VecVirtual{c.ZMM(), c.ZMM()}
	c.VMOVDQU64(item(a, i), summands[0])
	c.VMOVDQU64(item(b, i), summands[1])
	c.VPANDQ(summands[0], one, sum)
	c.VPORQ(item(out, i), sum, sum)
	c.VMOVDQU64(sum, item(b, i))
	for _, v := range summands {
		c.VPCMPUD(operand.U8(notLess), first, v, reg.K1)
		c.VPANDNQ(v, one, v)
		c.VPCOMPRESSD_Z(v, reg.K1, v)
		c.VMOVDQU64(v, item(free, freed))
		addLanes(c, reg.K1, freed)
	}
	c.ADDQ(operand.I8(16), i)
	c.CMPQ(i, n)
	c.JLT(operand.LabelRef("loop"))
	c.Store(freed, c.Return("freed"))
	c.VZEROUPPER()
	c.RET()
}

// halveBuckets builds halveFMA512. Its first loop also moves the nonzero references at odd
// positions to the start of src, over references that it has already read. The second loop pairs
// these for the additional bucket, whose number is the argument position.
func halveBuckets(c *build.Context) {
	src, dst, groups, a, b, bucket := reg.RSI, reg.RDI, reg.R9, reg.R10, reg.R11, reg.R12
	argument(c, "src", src)
	argument(c, "dst", dst)
	argument(c, "groups", groups)
	argument(c, "a", a)
	argument(c, "b", b)
	argument(c, "bucket", bucket)
	lane := c.ZMM()
	c.VMOVDQU64(laneNumbers(c, "bucketLanes"), lane)
	c.VPMOVQD(lane, lane.AsY())
	number, eight, position := c.YMM(), c.YMM(), c.YMM()
	t := c.GP32()
	argument(c, "first", t)
	c.VPBROADCASTD(t, number)
	c.VPADDD(lane.AsY(), number, number)
	c.MOVL(operand.U32(8), t)
	c.VPBROADCASTD(t, eight)
	argument(c, "position", t)
	c.VPBROADCASTD(t, position)

	// split loads 16 references from m, and returns those at even and those at odd positions.
	split := func(m operand.Mem) (even, odd reg.VecVirtual) {
		x, y := c.ZMM(), c.ZMM()
		c.VMOVDQU64(m, x)
		c.VPSRLQ(operand.U8(32), x, y)
		even, odd = c.YMM(), c.YMM()
		c.VPMOVQD(x, even)
		c.VPMOVQD(y, odd)
		return even, odd
	}
	pairs, at, odds := c.GP64(), c.GP64(), c.GP64()
	c.XORL(pairs.As32(), pairs.As32())
	c.XORL(odds.As32(), odds.As32())
	c.MOVQ(src, at)
	c.Label("halve")
	even, odd := split(operand.Mem{Base: at})
	isEven, isOdd, both, single := reg.K1, reg.K2, reg.K3, reg.K4
	c.VPTESTMD(even, even, isEven)
	c.VPTESTMD(odd, odd, isOdd)
	c.KANDB(isEven, isOdd, both)
	c.KNOTB(both, single)
	x := c.YMM()
	c.VPORD_Z(even, odd, single, x)
	c.VMOVDQU64(x, operand.Mem{Base: dst})
	for _, p := range []struct {
		from  reg.VecVirtual
		which reg.OpmaskPhysical
		to    operand.Mem
	}{
		{even, both, item(a, pairs)},
		{odd, both, item(b, pairs)},
		{number, both, item(bucket, pairs)},
		{odd, isOdd, item(src, odds)},
	} {
		y := c.YMM()
		c.VPCOMPRESSD_Z(p.from, p.which, y)
		c.VMOVDQU64(y, p.to)
	}
	addLanes(c, both, pairs)
	addLanes(c, isOdd, odds)
	c.VPADDD(eight, number, number)
	c.ADDQ(operand.I8(64), at)
	c.ADDQ(operand.I8(32), dst)
	c.DECQ(groups)
	c.JNZ(operand.LabelRef("halve"))

	left, last := c.GP32(), c.GP64()
	c.XORL(left, left)
	c.SHRQ(operand.U8(1), odds)
	c.JCC(operand.LabelRef("even"))
	c.MOVL(operand.Mem{Base: src, Index: odds, Scale: 8}, left)
	c.Label("even")
	c.Store(left, c.Return("left"))
	c.LEAQ(operand.Mem{Base: pairs, Index: odds, Scale: 1}, last)
	c.Label("pair")
	even, odd = split(operand.Mem{Base: src})
	c.VMOVDQU64(even, item(a, pairs))
	c.VMOVDQU64(odd, item(b, pairs))
	c.VMOVDQU64(position, item(bucket, pairs))
	c.ADDQ(operand.I8(64), src)
	c.ADDQ(operand.I8(8), pairs)
	c.CMPQ(pairs, last)
	c.JLT(operand.LabelRef("pair"))
	c.Store(last, c.Return("pairs"))
	c.VZEROUPPER()
	c.RET()
}
