// Package vectors holds the arithmetic on eight numbers at a time that all lane
// kernels share, as sequences of AVX-512 IFMA instructions.
//
// A number is five limbs of 52 bits, and limb i of all eight is one vector
// register or 64 bytes of memory. The words for ranges are those of
// docs/field-bounds.md:
//
//	reduced   limbs 0 … 3 below 2^52, limb 4 below 2^49
//	factor    what the multiplier may read: all limbs below 2^52, which holds
//	          of limbs whose upper bits are to be ignored too (see Ready)
//	raw       columns 0 … 4 of a product after Fold: not carried, below 2^57
//
// A multiplication is Product or Square into ten columns, Fold, which brings the
// columns 5 … 9 down, and then one of three ends: none (raw, for additions and
// subtractions), Ready (for multiplications) or Reduce (for both).
package vectors

import (
	"slices"

	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// C is 2^256 modulo p.
	C = limbs.C
	// R is 2^260 modulo p, what column 5 is worth in column 0.
	R = C << 4

	mask52 = 1<<52 - 1
	mask48 = 1<<48 - 1
)

// P is the modulus in limbs.
var P = [5]uint64{mask52 + 1 - C, mask52, mask52, mask52, mask48}

// Size is that of an element in memory, and Width that of one limb of it.
const (
	Size  = 320
	Width = 64
)

// A Machine adds functions on vectors to an avo context, and hands out vector
// registers.
type Machine struct {
	*build.Context
	name string
	free []int // registers that hold nothing
	used [32]bool
	data map[uint64]operand.Mem
	base operand.Mem

	mask, fold reg.VecPhysical // 2^52 − 1 and R, once loaded

	lean bool // few registers: no sums in parts
}

// New returns a machine for the kernel of that name.
func New(c *build.Context, name string) *Machine {
	m := &Machine{Context: c, name: name, data: map[uint64]operand.Mem{}}
	for k := range 32 {
		m.free = append(m.free, k)
	}
	return m
}

// Register returns a register that holds nothing: of all the one that has held
// nothing for longest, so that Schedule is free to move instructions about, or with
// few registers the last.
func (m *Machine) Register() reg.VecPhysical {
	if len(m.free) == 0 {
		panic("vectors: out of registers in " + m.name)
	}
	at := 0
	if m.lean {
		at = len(m.free) - 1
	}
	k := m.free[at]
	m.free = slices.Delete(m.free, at, at+1)
	m.used[k] = true
	return zmm[k]
}

// Release gives registers back. Operands in memory are left alone.
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

// Constant returns a 64-bit number in read-only data, for broadcasting.
func (m *Machine) Constant(v uint64) operand.Mem {
	if at, ok := m.data[v]; ok {
		return at
	}
	if len(m.data) == 0 {
		m.base = m.StaticGlobal(m.name + "Data")
		m.DataAttributes(attr.RODATA | attr.NOPTR)
	}
	m.AppendDatum(operand.U64(v))
	at := m.base.Offset(8 * len(m.data))
	m.data[v] = at
	return at
}

// Vector returns a register with the number in every lane.
func (m *Machine) Vector(v uint64) reg.VecPhysical {
	r := m.Register()
	m.VPBROADCASTQ(m.Constant(v), r)
	return r
}

// Field loads the two constants that multiplications use.
func (m *Machine) Field() {
	m.mask, m.fold = m.Vector(mask52), m.Vector(R)
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

// Return clears every register that was used, so that nothing is left in them,
// and returns.
func (m *Machine) Return() {
	for k, used := range m.used {
		if used {
			m.Zero(zmm[k])
		}
	}
	m.VZEROUPPER()
	m.RET()
}

// ReturnPublic returns, without clearing what is public.
func (m *Machine) ReturnPublic() {
	m.VZEROUPPER()
	m.RET()
}

// An Element is where five limbs are: registers or memory.
type Element [5]operand.Op

// At returns the element at an offset of bytes from where m points.
func At(m operand.Mem, offset int) Element {
	var e Element
	for i := range e {
		e[i] = m.Offset(offset + Width*i)
	}
	return e
}

// Pointer returns the memory that a register points to.
func Pointer(r reg.Register) operand.Mem { return operand.Mem{Base: r} }

// Load returns a copy of e in registers.
func (m *Machine) Load(e Element) Element {
	var r Element
	for i := range e {
		x := m.Register()
		m.VMOVDQU64(e[i], x)
		r[i] = x
	}
	return r
}

// Store writes e, in registers, to memory.
func (m *Machine) Store(e, to Element) {
	for i := range e {
		m.VMOVDQU64(e[i], to[i])
	}
}

// Drop gives the registers of elements back.
func (m *Machine) Drop(es ...Element) {
	for _, e := range es {
		m.Release(e[:]...)
	}
}

// Scratch sets r to the first multiple of 64 in a new part of the frame, of so
// many bytes from there on, so that no vector in it crosses a cache line: Go
// aligns frames to 8 bytes only. A function with more than 512 of them asks for
// stack as other functions do.
func (m *Machine) Scratch(bytes int, r reg.GPPhysical) operand.Mem {
	if bytes > 512 {
		m.Attributes(0)
	}
	local := m.AllocLocal(bytes + 56)
	m.LEAQ(local, r)
	m.ADDQ(operand.I8(63), r)
	m.ANDQ(operand.I8(-64), r)
	return Pointer(r)
}
