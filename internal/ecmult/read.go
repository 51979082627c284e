package ecmult

import "github.com/koblitz-go/koblitz/internal/point"

// readPackedGeneric sets e to the entry number index of a packed table of 1 to 64 entries. For
// every index it reads the whole table in the same order.
//
// The index becomes a word with one bit set. While the loop goes through the table, it shifts this
// word, so that the bit is at the sign bit for the right entry; so a mask costs one shift. Eight
// masks at a time are applied to one limb of eight entries: masks and sum then stay in registers.
// In the other order, entry by entry, the compiler spills half of the sum at every entry, and the
// function takes twice as long; a loop over the limbs would take a quarter longer. The compiler
// eliminates all bounds checks here.
func readPackedGeneric(e *point.Entry, table string, index uint64) {
	//ct:secret index == 0
	if point.AlignedLoads { //ct:unrun for CPUs that cannot load words from any address
		readPackedAligned(e, table, index)
		return
	}
	*e = point.Entry{}
	hot := uint64(1<<63) >> (index & 63)
	for len(table) >= 8*point.PackedSize {
		m0, m1, m2, m3 := signMask(hot), signMask(hot<<1), signMask(hot<<2), signMask(hot<<3)
		m4, m5, m6, m7 := signMask(hot<<4), signMask(hot<<5), signMask(hot<<6), signMask(hot<<7)
		hot <<= 8
		t0, t1 := table[0*point.PackedSize:], table[1*point.PackedSize:]
		t2, t3 := table[2*point.PackedSize:], table[3*point.PackedSize:]
		t4, t5 := table[4*point.PackedSize:], table[5*point.PackedSize:]
		t6, t7 := table[6*point.PackedSize:], table[7*point.PackedSize:]
		e[0] |= m0&point.PackedLimb(t0[0:]) | m1&point.PackedLimb(t1[0:]) |
			m2&point.PackedLimb(t2[0:]) | m3&point.PackedLimb(t3[0:]) |
			m4&point.PackedLimb(t4[0:]) | m5&point.PackedLimb(t5[0:]) |
			m6&point.PackedLimb(t6[0:]) | m7&point.PackedLimb(t7[0:])
		e[1] |= m0&point.PackedLimb(t0[8:]) | m1&point.PackedLimb(t1[8:]) |
			m2&point.PackedLimb(t2[8:]) | m3&point.PackedLimb(t3[8:]) |
			m4&point.PackedLimb(t4[8:]) | m5&point.PackedLimb(t5[8:]) |
			m6&point.PackedLimb(t6[8:]) | m7&point.PackedLimb(t7[8:])
		e[2] |= m0&point.PackedLimb(t0[16:]) | m1&point.PackedLimb(t1[16:]) |
			m2&point.PackedLimb(t2[16:]) | m3&point.PackedLimb(t3[16:]) |
			m4&point.PackedLimb(t4[16:]) | m5&point.PackedLimb(t5[16:]) |
			m6&point.PackedLimb(t6[16:]) | m7&point.PackedLimb(t7[16:])
		e[3] |= m0&point.PackedLimb(t0[24:]) | m1&point.PackedLimb(t1[24:]) |
			m2&point.PackedLimb(t2[24:]) | m3&point.PackedLimb(t3[24:]) |
			m4&point.PackedLimb(t4[24:]) | m5&point.PackedLimb(t5[24:]) |
			m6&point.PackedLimb(t6[24:]) | m7&point.PackedLimb(t7[24:])
		e[4] |= m0&point.PackedLimb(t0[32:]) | m1&point.PackedLimb(t1[32:]) |
			m2&point.PackedLimb(t2[32:]) | m3&point.PackedLimb(t3[32:]) |
			m4&point.PackedLimb(t4[32:]) | m5&point.PackedLimb(t5[32:]) |
			m6&point.PackedLimb(t6[32:]) | m7&point.PackedLimb(t7[32:])
		e[5] |= m0&point.PackedLimb(t0[40:]) | m1&point.PackedLimb(t1[40:]) |
			m2&point.PackedLimb(t2[40:]) | m3&point.PackedLimb(t3[40:]) |
			m4&point.PackedLimb(t4[40:]) | m5&point.PackedLimb(t5[40:]) |
			m6&point.PackedLimb(t6[40:]) | m7&point.PackedLimb(t7[40:])
		e[6] |= m0&point.PackedLimb(t0[48:]) | m1&point.PackedLimb(t1[48:]) |
			m2&point.PackedLimb(t2[48:]) | m3&point.PackedLimb(t3[48:]) |
			m4&point.PackedLimb(t4[48:]) | m5&point.PackedLimb(t5[48:]) |
			m6&point.PackedLimb(t6[48:]) | m7&point.PackedLimb(t7[48:])
		e[7] |= m0&point.PackedLimb(t0[56:]) | m1&point.PackedLimb(t1[56:]) |
			m2&point.PackedLimb(t2[56:]) | m3&point.PackedLimb(t3[56:]) |
			m4&point.PackedLimb(t4[56:]) | m5&point.PackedLimb(t5[56:]) |
			m6&point.PackedLimb(t6[56:]) | m7&point.PackedLimb(t7[56:])
		table = table[8*point.PackedSize:]
	}
	for len(table) >= point.PackedSize { //ct:unrun every table has a multiple of eight entries
		m := signMask(hot)
		hot <<= 1
		for i := range e { //ct:unrun every table has a multiple of eight entries
			e[i] |= m & point.PackedLimb(table[8*i:8*i+8])
		}
		table = table[point.PackedSize:] //ct:unrun every table has a multiple of eight entries
	}
}

// readGeneric does the work of readPackedGeneric for a table that is a slice of entries.
func readGeneric(e *point.Entry, table []point.Entry, index uint64) {
	//ct:secret index == 3
	*e = point.Entry{}
	hot := uint64(1<<63) >> (index & 63)
	for len(table) >= 8 {
		m0, m1, m2, m3 := signMask(hot), signMask(hot<<1), signMask(hot<<2), signMask(hot<<3)
		m4, m5, m6, m7 := signMask(hot<<4), signMask(hot<<5), signMask(hot<<6), signMask(hot<<7)
		hot <<= 8
		t := (*[8]point.Entry)(table)
		e[0] |= m0&t[0][0] | m1&t[1][0] | m2&t[2][0] | m3&t[3][0] |
			m4&t[4][0] | m5&t[5][0] | m6&t[6][0] | m7&t[7][0]
		e[1] |= m0&t[0][1] | m1&t[1][1] | m2&t[2][1] | m3&t[3][1] |
			m4&t[4][1] | m5&t[5][1] | m6&t[6][1] | m7&t[7][1]
		e[2] |= m0&t[0][2] | m1&t[1][2] | m2&t[2][2] | m3&t[3][2] |
			m4&t[4][2] | m5&t[5][2] | m6&t[6][2] | m7&t[7][2]
		e[3] |= m0&t[0][3] | m1&t[1][3] | m2&t[2][3] | m3&t[3][3] |
			m4&t[4][3] | m5&t[5][3] | m6&t[6][3] | m7&t[7][3]
		e[4] |= m0&t[0][4] | m1&t[1][4] | m2&t[2][4] | m3&t[3][4] |
			m4&t[4][4] | m5&t[5][4] | m6&t[6][4] | m7&t[7][4]
		e[5] |= m0&t[0][5] | m1&t[1][5] | m2&t[2][5] | m3&t[3][5] |
			m4&t[4][5] | m5&t[5][5] | m6&t[6][5] | m7&t[7][5]
		e[6] |= m0&t[0][6] | m1&t[1][6] | m2&t[2][6] | m3&t[3][6] |
			m4&t[4][6] | m5&t[5][6] | m6&t[6][6] | m7&t[7][6]
		e[7] |= m0&t[0][7] | m1&t[1][7] | m2&t[2][7] | m3&t[3][7] |
			m4&t[4][7] | m5&t[5][7] | m6&t[6][7] | m7&t[7][7]
		table = table[8:]
	}
	for j := range table { //ct:unrun every table has a multiple of eight entries
		m := signMask(hot)
		hot <<= 1
		for i := range e { //ct:unrun every table has a multiple of eight entries
			e[i] |= m & table[j][i]
		}
	}
}

// signMask returns all ones if the top bit of x is set, and zero if it is not.
func signMask(x uint64) uint64 { return uint64(int64(x) >> 63) }

// readPackedAligned does the work of readPacked with loads of aligned words only, for a table at
// any address.
//
// An entry is eight words long, so all entries begin at the same distance above an aligned address.
// An entry then overlaps nine words, and its last word is the first word of the next entry. The
// loop selects all nine words, and the entry is extracted from them once, at the end.
//
//ct:unrun for CPUs that cannot load words from any address
func readPackedAligned(e *point.Entry, table string, index uint64) {
	entries, skew := point.AlignedEntries(table)
	count := len(entries) - 1
	read(e, entries[:count], index)
	var last uint64
	if skew != 0 {
		hot := uint64(1<<63) >> (index & 63)
		for i := range count {
			last |= signMask(hot) & entries[i+1][0]
			hot <<= 1
		}
	}
	e.Realign(last, skew)
}
