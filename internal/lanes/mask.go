package lanes

import "math/bits"

// A Mask is a set of lanes. It begins as None, First or All, or is the result of a
// comparison: the zero value is no mask, and its one byte is for this package and the
// kernels to read.
type Mask struct {
	bits uint8 // bit place(j) is inverted's if lane j is not in the set
}

// None returns the mask of no lane.
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

// Put adds lane j, which m does not have, to m if bit is 1, and leaves it out if bit is 0.
func (m *Mask) Put(j int, bit uint64) { m.bits ^= uint8(bit) << place(j) }

// Has returns whether m has lane j.
//
//ct:public tells of masks that are public
func (m Mask) Has(j int) bool { return m.bit(j) != 0 }

// bit returns 1 if m has lane j, and 0 if not.
func (m Mask) bit(j int) uint64 { return uint64(m.bits^inverted) >> place(j) & 1 }

// spread returns all ones if m has lane j, and zero if not.
func (m Mask) spread(j int) uint64 { return -m.bit(j) }

// odd returns the lanes whose number is odd.
func (v *Vector) odd() Mask {
	var odd uint8
	for at, x := range v {
		odd |= uint8(x&1) << at
	}
	return Mask{odd ^ inverted}
}

// Any returns whether m has a lane.
//
//ct:public tells of masks that are public
func (m Mask) Any() bool { return m.bits != inverted }

// Count returns how many lanes m has.
//
//ct:public tells of masks that are public
func (m Mask) Count() int { return bits.OnesCount8(m.bits ^ inverted) }

// Not returns the lanes that m does not have.
func (m Mask) Not() Mask { return Mask{^m.bits} }

// And returns the lanes that both masks have.
func (m Mask) And(n Mask) Mask { return Mask{(m.bits^inverted)&(n.bits^inverted) ^ inverted} }

// AndNot returns the lanes that m has and n does not.
func (m Mask) AndNot(n Mask) Mask { return m.And(n.Not()) }

// Or returns the lanes that one of the masks has, or both.
func (m Mask) Or(n Mask) Mask {
	return Mask{((m.bits ^ inverted) | (n.bits ^ inverted)) ^ inverted}
}

// Xor returns the lanes that exactly one of the masks has.
func (m Mask) Xor(n Mask) Mask { return Mask{m.bits ^ n.bits ^ inverted} }

// Rotate returns the mask that has lane j if m has lane j + n, counted round, 0 ≤ n.
func (m Mask) Rotate(n int) Mask {
	r := None()
	for j := range Width {
		r.Put(j, m.bit((j+n)%Width))
	}
	return r
}
