package ptx

// A typ is a fundamental type of PTX. Its width is in bits.
type typ struct {
	class byte // 'u', 's', 'b', or 'p' for predicates
	width int
}

var typeNames = map[string]typ{
	"u8": {'u', 8}, "u16": {'u', 16}, "u32": {'u', 32}, "u64": {'u', 64},
	"s8": {'s', 8}, "s16": {'s', 16}, "s32": {'s', 32}, "s64": {'s', 64},
	"b8": {'b', 8}, "b16": {'b', 16}, "b32": {'b', 32}, "b64": {'b', 64},
	"pred": {'p', 1},
}

func (t typ) signed() bool { return t.class == 's' }
func (t typ) bytes() int   { return t.width / 8 }
func (t typ) mask() uint64 { return ^uint64(0) >> (64 - t.width) }

func (t typ) String() string {
	if t.class == 'p' {
		return "pred"
	}
	return string(t.class) + itoa(t.width)
}

// extend returns the low t.width bits of v, read as a number of type t, extended to 64 bits.
func (t typ) extend(v uint64) uint64 {
	if t.signed() {
		return uint64(int64(v<<(64-t.width)) >> (64 - t.width))
	}
	return v & t.mask()
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
	name string
	typ  typ
	slot int32
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
	name string
	at   int
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
	operandRegister operandKind = iota // the register reg, negated if neg is set
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
	neg   bool
	value uint64 // constant; for symbols and addresses an offset, modulo 2^64
	reg   *register
	name  string
	list  []operand
}

// A statement is a parsed instruction, or a mark such as a label.
type statement struct {
	line  int
	op    string // opcode with its modifiers, or "" for a mark
	guard *register
	not   bool
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
