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

// extend returns the low bits of v as a number of type t, in 64 bits.
func (t typ) extend(v uint64) uint64 {
	if t.signed() {
		return uint64(int64(v<<(64-t.width)) >> (64 - t.width))
	}
	return v & t.mask()
}

// A space is a state space of PTX, where an address points to.
type space uint8

const (
	spaceGeneric space = iota
	spaceGlobal
	spaceShared
	spaceLocal
	spaceConst
	spaceParam
)

var spaceNames = [...]string{"generic", "global", "shared", "local", "const", "param"}

func (s space) String() string { return spaceNames[s] }

// A variable is named memory. Its addr is an offset in the space's memory for one
// function (local, param), for one group (shared), or set by Load (global, const).
type variable struct {
	name  string
	space space
	align int
	size  int
	init  []byte // as long as size, or nil for zeros
	addr  uint64
}

// A register is a virtual register of one function.
type register struct {
	name string
	typ  typ
	slot int32
}

// A symbol is what a name means in a scope: exactly one field is set.
type symbol struct {
	reg  *register
	mem  *variable
	code *label
}

// A label marks an instruction: at is its index in the statements of its function.
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

// A kind of operand.
type operandKind uint8

const (
	operandRegister operandKind = iota // reg, negated if neg
	operandConstant                    // value
	operandSymbol                      // a name that is no register, plus value
	operandAddress                     // [reg or name, plus value]
	operandVector                      // list, in braces
	operandList                        // list, in parentheses
	operandSpecial                     // a special register, by name
	operandSink                        // _
)

// An operand of a statement.
type operand struct {
	kind  operandKind
	neg   bool
	value uint64 // of a constant; for symbols and addresses an offset, modulo 2^64
	reg   *register
	name  string
	list  []operand
	pair  *register // the second predicate of p|q
}

// A statement is an instruction as it was read, or a mark.
type statement struct {
	line  int
	op    string // with modifiers; "" for a mark
	guard *register
	not   bool
	args  []operand
	scope *scope
	mark  mark
	regs  []*register // declared by the scope that begins here, for markScope
}

type mark uint8

const (
	markNone  mark = iota
	markLabel      // a label stands here
	markAsm        // inline assembly begins or ends here
	markScope      // an inner scope begins
)
