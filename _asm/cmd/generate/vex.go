package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// vexLine matches a multiply-add of IFMA on 256-bit registers, in the syntax of Go's assembler. Its
// groups are the half of the product, then a register, or the displacement, base and index in
// memory, then the other factor and the sum.
var vexLine = regexp.MustCompile(`(?m)^\tVPMADD52([LH])UQ +` +
	`(?:Y(\d+)|(\d*)\((\w+)\)(?:\((\w+)\*1\))?), Y(\d+), Y(\d+)$`)

// evexLine matches every multiply-add of IFMA on 256-bit registers.
var evexLine = regexp.MustCompile(`(?m)^\tVPMADD52.*\bY\d.*$`)

// vex replaces each multiply-add of IFMA on 256-bit registers in text by the bytes of its VEX form,
// which CPUs with AVX-IFMA execute, and Go's assembler does not know. The instruction itself
// becomes a comment.
func vex(text string) (string, error) {
	var err error
	text = vexLine.ReplaceAllStringFunc(text, func(line string) string {
		b, e := encode(vexLine.FindStringSubmatch(line))
		if e != nil {
			err = fmt.Errorf("%s: %w", strings.TrimSpace(line), e)
		}
		var list []string
		for _, x := range b {
			list = append(list, fmt.Sprintf("BYTE $0x%02x", x))
		}
		return "\t" + strings.Join(list, "; ") + " // " + strings.TrimSpace(line)
	})
	if left := evexLine.FindString(text); left != "" && err == nil {
		err = fmt.Errorf("%s: no VEX form of these operands", strings.TrimSpace(left))
	}
	return text, err
}

// encode returns the bytes of the instruction in m, a match of vexLine: VEX.256.66.0F38.W1, opcode
// B4 or B5 (Intel, Software Developer's Manual, volume 2). The form has no register above 15.
func encode(m []string) ([]byte, error) {
	for _, s := range []string{m[2], m[6], m[7]} {
		if n, err := strconv.Atoi("0" + s); err != nil || n > 15 {
			return nil, fmt.Errorf("no vector register Y%s", s)
		}
	}
	number := func(s string) byte {
		v, _ := strconv.Atoi(s) // vexLine matches digits alone
		return byte(v)
	}
	opcode := byte(0xb4)
	if m[1] == "H" {
		opcode = 0xb5
	}
	factor, sum := number(m[6]), number(m[7])
	modrm := sum & 7 << 3
	var tail []byte
	var rm, index byte
	if m[2] != "" {
		rm = number(m[2])
		modrm |= 0xc0 | rm&7
	} else {
		var ok bool
		if rm, ok = general(m[4]); !ok {
			return nil, fmt.Errorf("no base register %q", m[4])
		}
		modrm |= 0x80 | rm&7 // 32 bits of displacement
		if m[5] != "" {
			if index, ok = general(m[5]); !ok || index == 4 {
				return nil, fmt.Errorf("no index register %q", m[5])
			}
			modrm = modrm&^7 | 4
			tail = append(tail, index&7<<3|rm&7)
		} else if rm&7 == 4 {
			tail = append(tail, 0x24)
		}
		disp, err := strconv.ParseUint("0"+m[3], 10, 31)
		if err != nil {
			return nil, err
		}
		tail = append(tail, byte(disp), byte(disp>>8), byte(disp>>16), byte(disp>>24))
	}
	// The upper bits of the register numbers are inverted.
	extend := ^(sum>>3<<7 | index>>3<<6 | rm>>3<<5) & 0xe0
	return append([]byte{0xc4, extend | 0x02, 0x85 | ^factor&15<<3, opcode, modrm}, tail...), nil
}

// general returns the number of a 64-bit general register.
func general(name string) (byte, bool) {
	if n, err := strconv.ParseUint(strings.TrimPrefix(name, "R"), 10, 4); err == nil {
		return byte(n), n >= 8
	}
	for k, s := range []string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI"} {
		if s == name {
			return byte(k), true
		}
	}
	return 0, false
}
