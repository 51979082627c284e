// Package vectors writes arithmetic on eight numbers at a time as sequences of AVX-512
// instructions, for all lane kernels. Products are made by IFMA or by floating-point arithmetic;
// see Multiplier.
//
// A number has five limbs of 52 bits. Limb i of all eight numbers is one vector register or 64
// bytes of memory. The words for ranges are those of docs/field-bounds.md:
//
//	reduced   limbs 0 … 3 below 2^52, limb 4 below 2^49
//	factor    an input of the multiplier: all limbs below 2^52, after removal
//	          of carried bits, which the multiplier IFMA ignores (see Ready)
//	raw       columns 0 … 4 of a product after Fold: not carried, below 2^57
//
// A multiplication begins with Product or Square, which computes ten columns. Fold then folds
// columns 5 to 9 into the lower ones. This leaves a raw result, which additions and subtractions
// accept. Ready makes it a factor, and Reduce makes it reduced, which serves both purposes.
package vectors

import (
	"math"
	"slices"

	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// C is 2^256 modulo p.
	C = limbs.C
	// R is 2^260 modulo p: one unit of column 5 counts as R units of column 0.
	R = C << 4

	mask52 = 1<<52 - 1
	mask48 = 1<<48 - 1
)

// P has the five limbs of the field prime p.
var P = [5]uint64{mask52 + 1 - C, mask52, mask52, mask52, mask48}

// Size is the size in bytes of an Element (eight numbers) in memory, and Width the size of one of
// its limbs.
const (
	Size  = 320
	Width = 64
)

// A Machine is an avo context with methods for arithmetic on vectors. It allocates vector
// registers.
type Machine struct {
	*build.Context
	name string
	free []int // numbers of the unused registers
	used [32]bool
	data map[uint64]operand.Mem
	base operand.Mem

	mask, fold reg.VecPhysical // registers of 2^52 − 1 and R, or nil before Field is called

	multiplier Multiplier
	surpluses  [32]*surplus        // of each register
	converted  [32]bool            // whether Convert converted the register
	doubles    map[operand.Op]bool // vectors in memory that StoreFactor wrote

	// Registers of the constants of fused, if a kernel for AVX2 calls Field, or else nil.
	high, low reg.VecPhysical

	// The fields of a kernel for AVX2; see Narrow.
	narrow  *Layout      // nil for other kernels
	scratch int          // bytes of scratch memory
	bytes   int          // bytes of read-only data
	masks   bool         // whether the kernel returns a mask
	keep    map[slot]int // see Keep

	lean bool // whether to save registers by keeping each column in one register
}

// New returns a machine that adds instructions to c, for the kernel with the given name.
func New(c *build.Context, name string, mul Multiplier) *Machine {
	m := &Machine{Context: c, name: name, multiplier: mul, data: map[uint64]operand.Mem{},
		doubles: map[operand.Op]bool{}}
	for k := range 32 {
		m.free = append(m.free, k)
	}
	return m
}

// Register allocates a register. It chooses the one that has been unused the longest, which gives
// Schedule the most freedom to reorder. A lean machine for 512-bit vectors chooses the one released
// last, because it must use few registers.
func (m *Machine) Register() reg.VecPhysical {
	if len(m.free) == 0 {
		panic("vectors: out of registers in " + m.name)
	}
	at := 0
	if m.lean && m.narrow == nil {
		at = len(m.free) - 1
	}
	k := m.free[at]
	m.free = slices.Delete(m.free, at, at+1)
	m.used[k] = true
	m.surpluses[k], m.converted[k] = nil, false
	return zmm[k]
}

// Release returns registers to the pool of unused ones. It ignores operands in memory.
func (m *Machine) Release(ops ...operand.Op) {
	for _, o := range ops {
		if r, ok := o.(reg.VecPhysical); ok {
			m.free = append(m.free, int(r.PhysicalIndex()))
		}
	}
}

var zmm = [32]reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// Constant puts the constant v into read-only data, and returns the memory operand from which it
// can be broadcast.
func (m *Machine) Constant(v uint64) operand.Mem {
	if at, ok := m.data[v]; ok {
		return at
	}
	copies := 1
	if m.narrow != nil {
		copies = 4
	}
	m.data[v] = m.repeat(copies, func(int) uint64 { return v })
	return m.data[v]
}

// PerLane puts eight constants into read-only data, one for each lane, and returns the address of
// the first.
func (m *Machine) PerLane(v [8]uint64) operand.Mem {
	return m.repeat(8, func(k int) uint64 { return v[k] })
}

// Vector returns a new register with v in every lane.
func (m *Machine) Vector(v uint64) reg.VecPhysical {
	r := m.Register()
	m.VPBROADCASTQ(m.Constant(v), r)
	return r
}

// Field loads the two constants that multiplications need, 2^52 − 1 and R, into registers.
func (m *Machine) Field() {
	m.mask = m.Vector(mask52)
	if m.multiplier == FMA {
		m.fold = m.Vector(math.Float64bits(R))
		if m.narrow != nil {
			m.high, m.low = m.Vector(square), m.Vector(both)
		}
		return
	}
	m.fold = m.Vector(R)
}

// Zero clears a register.
func (m *Machine) Zero(r reg.VecPhysical) {
	if r.PhysicalIndex() < 16 {
		y := r.AsY()
		m.VPXOR(y, y, y)
		return
	}
	m.VPXORQ(r, r, r)
}

// Return clears every vector register that the kernel used, so that no secret stays in them. Then
// it writes the return instruction.
func (m *Machine) Return() {
	for k, used := range m.used {
		if used && m.narrow == nil { // Narrow clears all registers at once
			m.Zero(zmm[k])
		}
	}
	m.VZEROUPPER()
	m.RET()
}

// ReturnPublic writes a return without clearing registers, for kernels on public data.
func (m *Machine) ReturnPublic() {
	m.VZEROUPPER()
	m.RET()
}

// An Element is the location of eight numbers of five limbs, in registers or in memory.
type Element [5]operand.Op

// At returns the element in memory at offset bytes above the address m.
func At(m operand.Mem, offset int) Element {
	var e Element
	for i := range e {
		e[i] = m.Offset(offset + Width*i)
	}
	return e
}

// Pointer returns the memory operand at the address in r.
func Pointer(r reg.Register) operand.Mem { return operand.Mem{Base: r} }

// Load returns a copy of e in new registers.
func (m *Machine) Load(e Element) Element {
	var r Element
	for i := range e {
		x := m.Register()
		m.VMOVDQU64(e[i], x)
		m.converted[x.PhysicalIndex()] = m.doubles[e[i]]
		r[i] = x
	}
	return r
}

// Store writes e, which is in registers, to the memory operands of the element named to.
func (m *Machine) Store(e, to Element) {
	for i := range e {
		m.VMOVDQU64(e[i], to[i])
		delete(m.doubles, to[i])
	}
}

// Drop releases the registers of the elements es.
func (m *Machine) Drop(es ...Element) {
	for _, e := range es {
		m.Release(e[:]...)
	}
}

// Scratch reserves bytes of the kernel's frame, sets r to their address, and returns the memory
// operand at r. The address is a multiple of 64, so that no vector there crosses a cache line; Go
// aligns frames only to 8 bytes. A kernel with more than 512 bytes of scratch checks for stack
// growth like other functions. A kernel for AVX2 does not use r: the address is in Layout.Frame, a
// multiple of 32.
func (m *Machine) Scratch(bytes int, r reg.GPPhysical) operand.Mem {
	if m.narrow != nil {
		at := Pointer(m.narrow.Frame).Offset(m.scratch)
		m.scratch += (bytes + slotBytes - 1) &^ (slotBytes - 1)
		return at
	}
	if bytes > 512 {
		m.Attributes(0)
	}
	local := m.AllocLocal(bytes + 56)
	m.LEAQ(local, r)
	m.ADDQ(operand.I8(63), r)
	m.ANDQ(operand.I8(-64), r)
	return Pointer(r)
}
