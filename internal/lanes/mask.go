package lanes

import "math/bits"

// A Mask is a set of lanes. Create it with None, First or All, or by a comparison: the zero value
// is not a valid mask. Only this package and the kernels know the meaning of its bits.
type Mask struct {
	bits uint8 // bit place(j) equals that bit of inverted if lane j is not in the set
}

// None returns the empty mask.
//
//ct:public makes constants
func None() Mask { return Mask{inverted} }

// All returns the mask of every lane.
//
//ct:public makes constants
func All() Mask { return None().Not() }

// First returns the mask of lanes 0 to n − 1.
//
//ct:public makes constants
func First(n int) Mask {
	m := None()
	for j := range n {
		m.Put(j, 1)
	}
	return m
}

// Put adds lane j to m if bit is 1. m must not contain lane j before the call.
func (m *Mask) Put(j int, bit uint64) { m.bits ^= uint8(bit) << place(j) }

// Has reports whether lane j is in m.
//
//ct:public callers pass only masks that are public
func (m Mask) Has(j int) bool { return m.bit(j) != 0 }

// bit returns 1 if lane j is in m, and 0 otherwise.
func (m Mask) bit(j int) uint64 { return uint64(m.bits^inverted) >> place(j) & 1 }

// spread returns all ones if lane j is in m, and zero otherwise.
func (m Mask) spread(j int) uint64 { return -m.bit(j) }

// odd returns the mask of the lanes of v whose number is odd.
func (v *Vector) odd() Mask {
	var odd uint8
	for at, x := range v {
		odd |= uint8(x&1) << at
	}
	return Mask{odd ^ inverted}
}

// Any reports whether m is not empty.
//
//ct:public callers pass only masks that are public
func (m Mask) Any() bool { return m.bits != inverted }

// Count returns the number of lanes in m.
//
//ct:public callers pass only masks that are public
func (m Mask) Count() int { return bits.OnesCount8(m.bits ^ inverted) }

// Not returns the mask of the lanes that are not in m.
func (m Mask) Not() Mask { return Mask{^m.bits} }

// And returns the mask of the lanes that are in both m and n.
func (m Mask) And(n Mask) Mask { return Mask{(m.bits^inverted)&(n.bits^inverted) ^ inverted} }

// AndNot returns the mask of the lanes that are in m and not in n.
func (m Mask) AndNot(n Mask) Mask { return m.And(n.Not()) }

// Or returns the mask of the lanes that are in m or in n.
func (m Mask) Or(n Mask) Mask {
	return Mask{((m.bits ^ inverted) | (n.bits ^ inverted)) ^ inverted}
}

// Xor returns the mask of the lanes that are in exactly one of m and n.
func (m Mask) Xor(n Mask) Mask { return Mask{m.bits ^ n.bits ^ inverted} }

// Rotate returns the mask that contains lane j if m contains lane (j + n) mod Width, for n ≥ 0.
func (m Mask) Rotate(n int) Mask {
	r := None()
	for j := range Width {
		r.Put(j, m.bit((j+n)%Width))
	}
	return r
}
