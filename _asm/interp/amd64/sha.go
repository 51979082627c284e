package amd64

import "math/bits"

// addSHA adds the SHA-256 instructions to the table t, and the SSE instructions that move words
// within 128 bits. Intel lists all of them as having data-independent time.
func addSHA(t table) {
	// words adds an instruction that computes the words of its destination d. s is the source
	// before the destination.
	words := func(name string, operands int, f func(i *inst, x0, s, d [4]uint32) [4]uint32) {
		one(t, name, 0, operands, func(m *machine, i *inst) {
			last := &i.Op[operands-1]
			s, d := getVec(m, i, &i.Op[operands-2], 2), getVec(m, i, last, 2)
			x0 := s
			if name == "SHA256RNDS2" {
				x0 = getVec(m, i, &i.Op[0], 2)
			}
			r := vector{Secret: anySecret(2, x0, s, d)}
			for k, x := range f(i, dwords(&x0), dwords(&s), dwords(&d)) {
				setDword(&r, k, uint64(x))
			}
			setLow(m, last, r)
		})
	}
	// pick adds an instruction that selects the words of its destination from those of d and s.
	pick := func(name string, from [4]int) {
		words(name, 2, func(_ *inst, _, s, d [4]uint32) (r [4]uint32) {
			for k := range r {
				r[k] = append(d[:], s[:]...)[from[k]]
			}
			return r
		})
	}
	pick("PUNPCKLLQ", [4]int{0, 4, 1, 5})
	pick("PUNPCKHLQ", [4]int{2, 6, 3, 7})
	pick("PUNPCKLQDQ", [4]int{0, 1, 4, 5})
	pick("PUNPCKHQDQ", [4]int{2, 3, 6, 7})
}
