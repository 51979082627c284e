package ptx

// An op says what an instr does. r[x] below is the register or constant in slot x.
type op uint16

const (
	// Control.
	opNop     op = iota
	opJump       // to x
	opJumpIf     // to x if r[a] is not 0
	opJumpNot    // to x if r[a] is 0
	opSkipIf     // over x instructions if r[a] is not 0
	opSkipNot    // over x instructions if r[a] is 0
	opReturn     // from a function, or of a work item
	opExit       // of a work item
	opTrap       // an error
	opCall       // the function of calls[x]
	opBarrier    // of the whole group; r[a] is the barrier's number

	// Checks that precede an instruction or follow one.
	opNeed    // r[a] must be defined
	opDefine  // r[d] is defined from here on
	opForget  // the a registers from slot d on are undefined from here on
	opNonzero // r[a] must not be 0, it is a divisor

	// Moves.
	opMove
	opLow32   // d = a mod 2^32
	opPack64  // d = a + b·2^32
	opSplit64 // d, b = low and high half of a
	opSelect  // d = a if c, else b

	// Arithmetic of 32 bits.
	opAdd32
	opSub32
	opMul32
	opMulHigh32
	opMulWide32
	opMad32
	opMadHigh32
	opMadWide32
	opShl32
	opShr32
	opShiftLeftFunnel
	opShiftRightFunnel
	opLop3

	// Arithmetic of 64 bits.
	opAdd64
	opSub64
	opMul64
	opMad64
	opShl64
	opShr64

	// Arithmetic of any width.
	opAnd
	opOr
	opXor
	opEqual
	opUnequal
	opLess
	opLessEqual

	// With the carry, of 32 bits.
	opAddCC32
	opAddcCC32
	opAddc32
	opSubCC32
	opSubcCC32
	opSubc32
	opMadCC32
	opMadcCC32
	opMadc32
	opMadHighCC32
	opMadcHighCC32
	opMadcHigh32

	// Everything else that computes.
	opFn    // d = fn(a, b, c)
	opFn4   // d = fn4(a, b, c, r[x])
	opCarry // d, carry = carry(a, b, c, carry)

	// Memory: width bytes at r[a] + x, in where.
	opLoad
	opLoadSigned // and extend the sign to 64 bits, of which mask remains
	opStore      // r[b]
	opAtomic     // d = old value; atomic says what becomes of it, with r[b] and r[c]
	opLoadParam  // at x of the memory of parameters
	opLoadParamSigned
	opStoreParam  // r[b]
	opToGeneric   // d = generic address of a in where
	opFromGeneric // d = address in where of the generic address a
	opIsSpace     // d = whether the generic address a is in where
)

// A value computes d from a, b and c. Registers of fewer than 64 bits hold zeros above,
// on the way in and on the way out.
type value func(a, b, c uint64) uint64

// A carrier computes d and the carry (or the borrow) from a, b, c and the carry.
type carrier func(a, b, c, carry uint64) (uint64, uint64)

// An update computes what an atomic operation stores in place of old.
type update func(old, b, c uint64) uint64

// An instr is an instruction as the interpreter runs it.
type instr struct {
	op         op
	where      space
	width      uint8 // bytes of memory
	alignment  uint8 // of the address, if it is more than width (vectors)
	d, a, b, c int32 // slots
	x          uint64
	mask       uint64
	fn         value
	ext        *extension
}

// An extension holds what few instructions need.
type extension struct {
	fn4    func(a, b, c, d uint64) uint64
	carry  carrier
	atomic update
}

// A special is a special register, or an address that depends on the frame.
type special struct {
	name string
	add  uint64 // for the address of local memory, that of the variable
}

// specialLocal stands for the address of the frame's local memory.
const specialLocal = "local"

// specialWidths are the special registers that are known. Clocks and numbers of the
// multiprocessor are not among them: a run would not be the same twice.
var specialWidths = map[string]int{
	"%tid.x": 32, "%tid.y": 32, "%tid.z": 32,
	"%ntid.x": 32, "%ntid.y": 32, "%ntid.z": 32,
	"%ctaid.x": 32, "%ctaid.y": 32, "%ctaid.z": 32,
	"%nctaid.x": 32, "%nctaid.y": 32, "%nctaid.z": 32,
	"%laneid": 32,
}
