package blocks

import (
	"math"
	"math/big"
	"strconv"
)

// order holds the lower four limbs of d = 2^256 − n, where n is the order of the group. The fifth
// limb is 1.
var order = [4]uint32{0x2fc9bebf, 0x402da173, 0x50b75fc4, 0x45512319}

// limb returns limb i of d as a decimal constant.
func limb(i int) string { return strconv.FormatUint(uint64(order[i]), 10) }

// MulOrder returns the block for a·b modulo n, fully reduced, for any a and b.
//
// The product is e + h·2^256. Since 2^256 ≡ d modulo n, the block replaces it by e + h·d. It does
// this three times; each line gives the bound on h and the bound on the new value:
//
//	h < 2^256          e + h·d < 2^256·(1 + d), so that the next h is at most d < 1.28·2^128
//	h ≤ d              e + h·d < 2^256 + d² < 2.62·2^256
//	h ≤ 2              e + h·d < 2^256 + 2^130 < 2n
//
// The third time, it adds d·(h + 1) instead. If that sum reaches 2^256, then e + h·d is n or more,
// and dropping the carry has subtracted n. Otherwise d is subtracted again.
func MulOrder() *Block {
	b := &Block{Name: "sc_product", Comment: "r = a·b", Type: "sc", Inputs: "ab"}
	b.product()

	b.multiples("f", "g", limbs("e", 8, 8))
	c := chain{b: b}
	for i := range 8 {
		c.add(reg("f", 4+i), reg("f", 4+i), reg("e", 8+i), true)
	}
	c.add("f12", "0", "0", false)
	c.accumulate("f", 4)
	c.add("f12", "f12", "0", false)

	// Limb f12, the fifth limb of h, is 0 or 1, so its products have no upper halves. If it is 1,
	// the other limbs of h are less than 0.28·2^128, and the product h·d, summed in u, is below
	// 2^256.
	b.multiples("u", "v", limbs("f", 8, 4))
	for i := range 4 {
		b.emit(c.op("mad.lo", i < 3), reg("u", 4+i), limb(i), "f12", reg("u", 4+i))
	}
	for i := range 4 {
		c.add(reg("u", 4+i), reg("u", 4+i), reg("f", 8+i), true)
	}
	c.add("u8", "f12", "0", false)
	c.accumulate("u", 0)
	c.add("u8", "u8", "0", false)

	b.emit("add", "u8", "u8", "1")
	for i := range 4 {
		b.emit(c.op("mad.lo", true), reg("e", i), limb(i), "u8", reg("e", i))
	}
	c.add("e4", "e4", "u8", true)
	for i := 5; i < 8; i++ {
		c.add(reg("e", i), reg("e", i), "0", true)
	}
	c.add("s0", "0", "0", false)
	b.emit("sub", "s0", "s0", "1") // all ones if d is to be subtracted, otherwise 0
	for i := range 4 {
		b.emit("and", reg("m", i), "s0", limb(i))
	}
	b.emit("and", "m4", "s0", "1")
	for i := range 8 {
		y := "0"
		if i < 5 {
			y = reg("m", i)
		}
		c.sub(reg("r", i), reg("e", i), y, i < 7)
	}
	return b
}

// limbs returns the names of n limbs of an operand, beginning with the limb whose index is start.
func limbs(letter string, start, n int) []string {
	var list []string
	for i := range n {
		list = append(list, reg(letter, start+i))
	}
	return list
}

// multiples sets x to the product of h and the lower four limbs of d. x has four limbs more than h.
// The accumulator scratch is overwritten. The limbs of d are so small that a sum of three products
// often cannot carry out of a pair of limbs. The code computes a bound of each pair's sum to find
// the pairs that can carry.
func (b *Block) multiples(x, scratch string, h []string) {
	sums := [2]*accumulator{{b: b, letter: x}, {b: b, letter: scratch}}
	bounds := make([]big.Int, len(h)+3) // upper bound of the pair that begins at each limb
	for j := range order {
		for parity, sum := range sums {
			c := chain{b: b}
			for i, y := range h {
				at := i + j
				if at%2 != parity {
					continue
				}
				lo, hi := reg(sum.letter, at), reg(sum.letter, at+1)
				carries := pairCarries(&bounds[at], order[j], c.carries)
				switch {
				case at < sum.top:
					c.wide(lo, hi, limb(j), y, carries)
				case c.carries:
					b.emit(c.op("mad.lo", true), lo, limb(j), y, "0")
					b.emit(c.op("mad.hi", false), hi, limb(j), y, "0")
				default:
					b.emit("mul.lo", lo, limb(j), y)
					b.emit("mul.hi", hi, limb(j), y)
				}
				sum.top = max(sum.top, at+2)
			}
		}
	}
	b.join(sums[0], sums[1], 1)
}

// pairCarries adds to bound, the bound of a pair of limbs, the greatest product of x and a limb,
// and 1 if carry says that a carry comes in. It reports whether the sum of the pair can carry.
func pairCarries(bound *big.Int, x uint32, carry bool) bool {
	product := new(big.Int).SetUint64(uint64(x) * math.MaxUint32)
	bound.Add(bound, product)
	if carry {
		bound.Add(bound, big.NewInt(1))
	}
	if bound.IsUint64() {
		return false
	}
	bound.SetUint64(math.MaxUint64)
	return true
}

// accumulate adds eight limbs of x to e. It then adds the carry to the next n limbs of x, and
// leaves a carry.
func (c *chain) accumulate(x string, n int) {
	for i := range 8 {
		c.add(reg("e", i), reg("e", i), reg(x, i), true)
	}
	for i := range n {
		c.add(reg(x, 8+i), reg(x, 8+i), "0", true)
	}
}
