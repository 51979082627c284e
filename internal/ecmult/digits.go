//ct:unrun-portable for vector lanes, which the other build has

package ecmult

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
)

// This file holds the portable versions of the table reads for secret digits, one digit in each
// lane. They compute what the kernels of the same names compute; the kernels' doc comments have the
// contracts.

// readDigitsGeneric does the work of readDigits. It uses every entry of the table, under masks.
func readDigitsGeneric(
	p *lanes.Affine, table []lanes.Affine, words *[3]lanes.Vector, shift, width int,
) {
	//ct:secret words[0].At(5)&1 == 1
	var hot, mask lanes.Vector
	negative := laneDigits(&hot, words[:], uint(shift), uint(width))
	*p = lanes.Affine{}
	for e := range table {
		nextMask(&mask, &hot)
		t := &table[e]
		for i := range t.X {
			for j, m := range mask {
				p.X[i][j] |= m & t.X[i][j]
				p.Y[i][j] |= m & t.Y[i][j]
			}
		}
	}
	p.CondNeg(negative, p)
}

// readSharedGeneric does the work of readShared. The elements of the table's vectors are points and
// not lanes, so their order does not depend on that of the lanes.
func readSharedGeneric(
	p *lanes.Affine, table *[10][4]lanes.Vector, words *[5]lanes.Vector, shift, width int,
) {
	//ct:secret words[0].At(5)&1 == 1
	var hot, mask lanes.Vector
	negative := laneDigits(&hot, words[:], uint(shift), uint(width))
	*p = lanes.Affine{}
	for e := range 1 << (width - 1) {
		nextMask(&mask, &hot)
		for i := range p.X {
			x, y := table[i][e/8][e%8], table[5+i][e/8][e%8]
			for j, m := range mask {
				p.X[i][j] |= m & x
				p.Y[i][j] |= m & y
			}
		}
	}
	p.CondNeg(negative, p)
}

// laneDigits reads the digits of all lanes, as oddDigit does. It sets lane j of hot to a word with
// one bit set, as many positions below the sign bit as the index of the digit in a table of odd
// multiples, and returns the mask of the lanes with negative digits.
func laneDigits(hot *lanes.Vector, words []lanes.Vector, shift, width uint) (negative lanes.Mask) {
	i, s := shift/64, shift%64
	negative = lanes.None()
	for j := range lanes.Width {
		code := words[i].At(j) >> s
		if i+1 < uint(len(words)) {
			code |= words[i+1].At(j) << 1 << (63 - s)
		}
		sign, index := oddDigit(code&(1<<width-1), width)
		negative.Put(j, uint64(sign))
		hot.Set(j, 1<<63>>(index&63))
	}
	return negative
}

// nextMask sets each lane of mask to all ones if the top bit of the lane of hot is set, and to zero
// if it is not. Then it shifts hot by one position, for the next entry of the table.
func nextMask(mask, hot *lanes.Vector) {
	for j, h := range hot {
		mask[j] = signMask(h)
		hot[j] = h << 1
	}
}
