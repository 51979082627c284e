package kernels

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A shaMessage names the registers of a message: its state, and sixteen words of its schedule.
//
// SHA256RNDS2 computes two rounds. It takes the words f, e, b, a of the state in one register,
// lowest first, and h, g, d, c in the other. It replaces h, g, d, c by the new f, e, b, a. The old
// f, e, b, a are the new h, g, d, c.
type shaMessage struct {
	feba, hgdc reg.Register
	w          [4]reg.Register
}

// hashPairs writes the compression function of SHA-256 by the CPU's SHA extensions. Each
// SHA256RNDS2 waits for the one before it, so the kernel computes two messages in turn: the CPU
// executes the instructions of one message while those of the other wait.
func hashPairs(c *build.Context) {
	state, blocks, pairs := operand.Mem{Base: reg.RDI}, operand.Mem{Base: reg.RSI}, reg.RCX
	argument(c, "state", reg.RDI)
	argument(c, "blocks", reg.RSI)
	argument(c, "pairs", pairs)
	constants := hashConstants(c)
	reverse := c.StaticGlobal("reverseWords") // reverses the bytes of each word
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	c.AddDatum(0, operand.U64(0x0405060700010203))
	c.AddDatum(8, operand.U64(0x0c0d0e0f08090a0b))

	// Every SHA256RNDS2 reads two words from X0: words of the schedule plus their round constants.
	sum, t, mask := reg.X0, reg.X13, reg.X14
	messages := [2]shaMessage{
		{reg.X1, reg.X2, [4]reg.Register{reg.X3, reg.X4, reg.X5, reg.X6}},
		{reg.X7, reg.X8, [4]reg.Register{reg.X9, reg.X10, reg.X11, reg.X12}},
	}
	c.MOVOU(reverse, mask)
	halves := []struct {
		x, y  reg.Register // one register for each of the two messages
		words [4]int
	}{
		{messages[0].feba, messages[1].feba, [4]int{5, 4, 1, 0}},
		{messages[0].hgdc, messages[1].hgdc, [4]int{7, 6, 3, 2}},
	}

	c.Label("pair")
	word := func(i int) operand.Mem { return state.Offset(zmm * i) } // word i of both states
	for _, half := range halves {
		c.MOVQ(word(half.words[0]), half.x)
		c.MOVQ(word(half.words[1]), t)
		c.PUNPCKLLQ(t, half.x)
		c.MOVQ(word(half.words[2]), t)
		c.MOVQ(word(half.words[3]), sum)
		c.PUNPCKLLQ(sum, t)
		c.MOVOU(half.x, half.y)
		c.PUNPCKLQDQ(t, half.x)
		c.PUNPCKHQDQ(t, half.y)
	}
	for i, m := range messages {
		c.MOVQ(blocks.Offset(8*i), reg.RAX)
		for k, w := range m.w {
			c.MOVOU(operand.Mem{Base: reg.RAX, Disp: 16 * k}, w)
			c.PSHUFB(mask, w)
		}
	}
	for four := range 16 {
		for _, m := range messages {
			w := func(k int) reg.Register { return m.w[(four+k)%4] }
			c.MOVOU(constants.Offset(16*four), sum)
			c.PADDL(w(0), sum)
			c.SHA256RNDS2(sum, m.feba, m.hgdc)
			c.PSHUFL(operand.U8(0x4e), sum, sum)
			c.SHA256RNDS2(sum, m.hgdc, m.feba)
			if four < 12 {
				c.SHA256MSG1(w(1), w(0))
				c.MOVOU(w(3), t)
				c.PALIGNR(operand.U8(4), w(2), t)
				c.PADDL(t, w(0))
				c.SHA256MSG2(w(3), w(0))
			}
		}
	}
	for _, half := range halves {
		c.MOVOU(half.x, t)
		c.PUNPCKLLQ(half.y, half.x)
		c.PUNPCKHLQ(half.y, t)
		for k, i := range half.words {
			from := []reg.Register{half.x, t}[k/2]
			if k%2 == 1 {
				c.PSHUFL(operand.U8(0x4e), from, from)
			}
			c.MOVQ(word(i), sum)
			c.PADDL(from, sum)
			c.MOVQ(sum, word(i))
		}
	}
	c.ADDQ(operand.U8(8), reg.RDI)
	c.ADDQ(operand.U8(16), reg.RSI)
	c.DECQ(pairs)
	c.JNZ(operand.LabelRef("pair"))
	for _, r := range low[:14] {
		c.PXOR(r.AsX(), r.AsX())
	}
	c.RET()
}
