package ptx

// widths maps the fundamental types of PTX to their widths in bits. A predicate has one bit.
var widths = map[string]int{
	"u8": 8, "u16": 16, "u32": 32, "u64": 64,
	"s8": 8, "s16": 16, "s32": 32, "s64": 64,
	"b8": 8, "b16": 16, "b32": 32, "b64": 64,
	"pred": 1,
}

// A space is a state space of PTX: the kind of memory that an address belongs to.
type space uint8

const (
	spaceGeneric space = iota
	spaceGlobal
	spaceShared
	spaceLocal
	spaceParam
)

var spaceNames = [...]string{"generic", "global", "shared", "local", "param"}

func (s space) String() string { return spaceNames[s] }

// A variable is a named variable in memory. addr is an offset: for local variables and parameters
// in the function's memory, for shared variables in the group's.
type variable struct {
	name  string
	space space
	align int
	size  int
	addr  uint64
}

// A register is a virtual register of one function.
type register struct {
	name  string
	width int // in bits
	slot  int32
}

// A symbol is the meaning of a name in a scope. Exactly one field is set.
type symbol struct {
	reg  *register
	mem  *variable
	code *label
}

// A label is the target of jumps. The field at is the index of a statement in the function of the
// label.
type label struct {
	at int
}

// A scope holds the names declared between two braces.
type scope struct {
	outer *scope
	names map[string]symbol
}

func (s *scope) find(name string) (symbol, bool) {
	for ; s != nil; s = s.outer {
		if found, ok := s.names[name]; ok {
			return found, true
		}
	}
	return symbol{}, false
}

// An operandKind is the kind of an operand.
type operandKind uint8

const (
	operandRegister operandKind = iota // the register reg
	operandConstant                    // the constant value
	operandSymbol                      // a name other than a register's, plus value
	operandAddress                     // an address: [reg or name, plus value]
	operandVector                      // operands in braces: list
	operandList                        // operands in parentheses: list
	operandSpecial                     // a special register, by name
)

// An operand is an operand of a statement.
type operand struct {
	kind  operandKind
	value uint64 // constant; for symbols and addresses an offset, modulo 2^64
	reg   *register
	name  string
	list  []operand
}

// A statement is a parsed instruction, or a mark such as a label.
type statement struct {
	line  int
	op    string    // opcode with its modifiers, or "" for a mark
	guard *register // of a jump
	not   bool      // the jump is taken if guard is 0
	args  []operand
	scope *scope
	mark  mark
	regs  []*register // registers declared by the scope, for markScope
}

type mark uint8

const (
	markNone  mark = iota
	markLabel      // the position of a label
	markAsm        // beginning or end of inline assembly
	markScope      // beginning of an inner scope
)
