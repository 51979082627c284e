package ptx

// An op is the operation of an instr. In the comments below, r[x] is the register or constant in
// slot x.
type op uint8

const (
	// Control flow.
	opNone    op = iota // no operation
	opJump              // jumps to x
	opJumpIf            // jumps to x if r[a] is not 0
	opJumpNot           // jumps to x if r[a] is 0
	opReturn            // returns from a function, or ends the work item
	opCall              // calls the function of calls[x]
	opBarrier           // the whole group waits; r[a] is the barrier's number

	// Checks that the interpreter makes before or after an instruction.
	opNeed   // r[a] must be defined
	opDefine // marks r[d] as defined
	opForget // marks r[d] as undefined

	// Arithmetic of 32 bits that writes the carry, and first adds or subtracts the old one if x is 1.
	opAddCarry
	opSubCarry
	opMadCarry
	opMadHighCarry

	opFn     // d = fn(a, b, c), for all arithmetic without a carry
	opDivide // d = a / b, where b must not be 0

	// Memory accesses of width bytes at the address r[a] + x. The field "where" is the state space.
	opLoad
	opStore  // stores r[b]
	opAtomic // d = old value; stores fn(old, r[b], r[c])
)

// A value computes d from a, b and c. For operands of fewer than 64 bits, the upper bits of
// arguments and results are zeros.
type value func(a, b, c uint64) uint64

// An instr is a translated instruction, which the interpreter executes.
type instr struct {
	op         op
	where      space
	width      uint8 // number of bytes of an access
	alignment  uint8 // required alignment in bytes, if more than width (vectors)
	class      class
	d, a, b, c int32 // slots
	x          uint64
	fn         value
}

// A class says how an instr is counted when it is executed.
type class uint8

const (
	classNone class = iota // not: it is a check, or an instr after the first one of an instruction
	classOther
	classProduct // as a multiplication
	numClasses
)

// Counts are the numbers of instructions that work items have executed. An instruction on a vector
// is one instruction.
type Counts struct {
	Instructions uint64
	Products     uint64 // the multiplications among them, which cost a GPU most
}

// A special is a slot that holds a special register of PTX, such as %tid.x, or the address of a
// local variable.
type special struct {
	slot int32
	name string
	add  uint64 // offset of the variable in local memory, for specialLocal
}

// specialLocal is the name of a special that holds the address of local memory.
const specialLocal = "local"

// specials lists the supported special registers, which have 32 bits. Launches have one dimension.
// Clocks and the number of the multiprocessor are not supported, because they would differ between
// runs.
var specials = []string{"%tid.x", "%ntid.x", "%ctaid.x", "%nctaid.x"}
