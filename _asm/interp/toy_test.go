package interp_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// toy returns the table of an imaginary machine, the smallest one that exercises every rule. It has
// eight general registers, four vector registers with the given number of lanes, and about twenty
// instructions, with sources first and the destination last. R7 belongs to the caller and R6 to the
// linker. Before a return, a program must mark the upper halves of vector registers as unused, as
// VZEROUPPER does on amd64.
func toy(lanes int) *interp.Architecture {
	return &interp.Architecture{
		Name:      "toy",
		Registers: []string{"R0", "R1", "R2", "R3", "R4", "R5", "R6", "R7"},
		Vectors:   4, Lanes: lanes, Masks: 2,
		Flags: []string{"C", "Z", "busy"},
		Kept:  []int{7}, Linker: []int{6},
		Instructions: toyInstructions(lanes),
		Decode: func(i *interp.Inst) error {
			i.Lanes = lanes
			return nil
		},
		Format: toyFormat,
		Reserved: func(*interp.Program) []string {
			why := make([]string, 8)
			why[7] = "writes the caller's register"
			return why
		},
		Begin: func(m *interp.Machine) { m.Reg[7] = interp.Register{V: 7, Defined: 0xff} },
		Return: func(m *interp.Machine) {
			if m.Flag[toyBusy].V == 1 {
				m.Fault("vectors are not released")
			}
		},
		Mutations: interp.Mutations{
			NOP: "NOP",
			Opcodes: func(x *interp.Instruction) []string {
				return map[string][]string{"ADD": {"ADC"}, "ADC": {"ADD"}, "VADD": {"VSUB"},
					"VSUB": {"VADD"}}[x.Opcode]
			},
			Negated: func(opcode string) string {
				return map[string]string{"BNE": "BEQ",
					"BEQ": "BNE"}[opcode]
			},
			Results: func(x *interp.Instruction) (a, b int, ok bool) { return 1, 2, x.Opcode == "MUL" },
			Neighbour: func(o interp.Operand) (interp.Operand, bool) {
				count := 6
				if o.Kind == interp.Vec {
					count = 4
				}
				o.Index = (o.Index + 1) % count
				return o, true
			},
		},
	}
}

const (
	toyCarry = iota
	toyZero
	toyBusy
)

func toyFormat(o *interp.Operand) string {
	switch o.Kind {
	case interp.General:
		return fmt.Sprintf("R%d", o.Index)
	case interp.Vec:
		return fmt.Sprintf("V%d", o.Index)
	case interp.Mask:
		return fmt.Sprintf("K%d", o.Index)
	case interp.Immediate:
		return fmt.Sprintf("#%d", int64(o.Imm))
	case interp.Label:
		return o.Label
	}
	base := map[int]string{interp.Arguments: "args", interp.Static: "data"}[o.Base]
	if base == "" {
		base = fmt.Sprintf("R%d", o.Base)
	}
	return fmt.Sprintf("[%s%+d]", base, o.Disp)
}

func toyInstructions(lanes int) map[string]*interp.Kind {
	t := map[string]*interp.Kind{}
	one := func(name string, operands int, run func(m *interp.Machine, i *interp.Inst)) *interp.Kind {
		t[name] = &interp.Kind{Run: run, Bits: 64, Least: operands, Most: operands}
		return t[name]
	}
	one("NOP", 0, func(*interp.Machine, *interp.Inst) {})
	one("RET", 0, func(m *interp.Machine, _ *interp.Inst) { m.Return() }).Control = interp.Return
	one("LD", 2, func(m *interp.Machine, i *interp.Inst) { m.Set(i, &i.Op[1], m.Get(i, &i.Op[0])) })
	one("ST", 2, func(m *interp.Machine, i *interp.Inst) { m.Set(i, &i.Op[1], m.Get(i, &i.Op[0])) })
	// result sets the destination register to v, and the flag Z if v is zero.
	result := func(m *interp.Machine, i *interp.Inst, v uint64, secret bool) {
		m.SetFlag(toyZero, v == 0, secret)
		m.Set(i, &i.Op[1], interp.Word{V: v, Secret: secret})
	}
	for name, withCarry := range map[string]bool{"ADD": false, "ADC": true} {
		one(name, 2, func(m *interp.Machine, i *interp.Inst) {
			a, b := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
			var c interp.Word
			if withCarry {
				c = m.GetFlag(toyCarry)
			}
			secret := a.Secret || b.Secret || c.Secret
			v, carry := bits.Add64(a.V, b.V, c.V)
			m.SetFlag(toyCarry, carry == 1, secret)
			result(m, i, v, secret)
		})
	}
	one("AND", 2, func(m *interp.Machine, i *interp.Inst) {
		a, b := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
		result(m, i, a.V&b.V, a.Secret || b.Secret)
	})
	// MUL a, low, high sets (high, low) to the 128-bit product of a and low.
	one("MUL", 3, func(m *interp.Machine, i *interp.Inst) {
		a, b := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
		high, low := bits.Mul64(a.V, b.V)
		m.Set(i, &i.Op[1], interp.Word{V: low, Secret: a.Secret || b.Secret})
		m.Set(i, &i.Op[2], interp.Word{V: high, Secret: a.Secret || b.Secret})
	})
	one("DIV", 2, func(m *interp.Machine, i *interp.Inst) {
		a, b := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
		result(m, i, b.V/max(a.V, 1), a.Secret || b.Secret)
	}).Variable = true
	one("B", 1, func(m *interp.Machine, i *interp.Inst) { m.Jump(i) }).Control = interp.Jump
	for name, equal := range map[string]uint64{"BEQ": 1, "BNE": 0} {
		one(name, 1, func(m *interp.Machine, i *interp.Inst) {
			z := m.GetFlag(toyZero)
			m.Branch(i, z.V == equal, z.Secret)
		}).Control = interp.JumpIf
	}
	toyVectors(t, lanes, one)
	return t
}

// A toyAdd adds one instruction to the toy table and returns its description.
type toyAdd func(name string, operands int, run func(*interp.Machine, *interp.Inst)) *interp.Kind

// toySet writes v to the vector register o.
func toySet(m *interp.Machine, o *interp.Operand, v interp.Vector) {
	v.Defined = 0xff
	m.Vec[o.Index] = v
	m.Flag[toyBusy] = interp.Bits{V: 1}
}

func toyVectors(t map[string]*interp.Kind, lanes int, one toyAdd) {
	one("VEND", 0, func(m *interp.Machine, _ *interp.Inst) { m.Flag[toyBusy] = interp.Bits{} })
	one("VLD", 2, func(m *interp.Machine, i *interp.Inst) {
		toySet(m, &i.Op[1], m.LoadVec(m.Address(&i.Op[0]), lanes))
	})
	for name, sign := range map[string]uint64{"VADD": 1, "VSUB": ^uint64(0)} {
		one(name, 3, func(m *interp.Machine, i *interp.Inst) {
			if i.Kind.Cancels && i.Op[0].Same(&i.Op[1]) {
				toySet(m, &i.Op[2], interp.Vector{})
				return
			}
			a, b := m.ReadVec(&i.Op[0], lanes), m.ReadVec(&i.Op[1], lanes)
			a.Secret |= b.Secret
			for k := range lanes {
				a.V[k] += sign * b.V[k]
			}
			toySet(m, &i.Op[2], a)
		})
	}
	t["VSUB"].Cancels = true
	// VTST a, mask sets mask to the mask of the lanes in which a is not 0.
	one("VTST", 2, func(m *interp.Machine, i *interp.Inst) {
		a := m.ReadVec(&i.Op[0], lanes)
		k := interp.Bits{Defined: true, Secret: a.Secret != 0}
		for lane := range lanes {
			if a.V[lane] != 0 {
				k.V |= 1 << lane
			}
		}
		m.Mask[i.Op[1].Index] = k
	})
}

// assembleToy assembles a toy program. text has one instruction or label per line. The argument
// area of the program has six words; the last is a result. constants are its read-only data.
func assembleToy(arch *interp.Architecture, text string, constants ...uint64) (*interp.Program,
	error) {
	p := &interp.Program{
		Name: "kernel", Arch: arch, ArgumentBytes: 48, Results: []interp.Span{{From: 40, To: 48}},
		Locate: func(name string) (int, bool) {
			at := slices.Index([]string{"out", "in", "n", "k", "scratch", "ok"}, name)
			return 8 * at, at >= 0
		},
	}
	d := interp.Datum{Name: "data", Bytes: make([]byte, 8*len(constants))}
	for k, c := range constants {
		for b := range 8 {
			d.Bytes[8*k+b] = byte(c >> (8 * b))
		}
	}
	p.Data = []interp.Datum{d}
	var list []interp.Instruction
	labels := map[string]int{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if label, ok := strings.CutSuffix(line, ":"); ok {
			labels[label] = len(list)
			continue
		}
		if line == "" {
			continue
		}
		opcode, rest, _ := strings.Cut(line, " ")
		x := interp.Instruction{Opcode: opcode}
		for s := range strings.SplitSeq(rest, ",") {
			if s = strings.TrimSpace(s); s != "" {
				x.Operands = append(x.Operands, toyOperand(s, arch.Lanes))
			}
		}
		list = append(list, x)
	}
	return p, p.Compile(list, labels)
}

func toyOperand(s string, lanes int) interp.Operand {
	o := interp.Operand{IndexReg: -1, Bits: 64}
	switch {
	case s[0] == 'R':
		fmt.Sscanf(s, "R%d", &o.Index)
	case s[0] == 'V':
		fmt.Sscanf(s, "V%d", &o.Index)
		o.Kind, o.Bits = interp.Vec, uint(64*lanes)
	case s[0] == 'K':
		fmt.Sscanf(s, "K%d", &o.Index)
		o.Kind = interp.Mask
	case s[0] == '#':
		var v int64
		fmt.Sscanf(s, "#%d", &v)
		o.Kind, o.Imm = interp.Immediate, uint64(v)
	case s[0] == '[':
		o.Kind = interp.Memory
		at := strings.IndexAny(s, "+-")
		fmt.Sscanf(s[at:], "%d]", &o.Disp)
		switch base := s[1:at]; base {
		case "args":
			o.Base = interp.Arguments
		case "data":
			o.Base = interp.Static
		default:
			fmt.Sscanf(base, "R%d", &o.Base)
		}
	default:
		o.Kind, o.Label = interp.Label, s
	}
	return o
}
