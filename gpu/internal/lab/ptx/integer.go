package ptx

import "math/bits"

// This file defines the integer instructions (PTX ISA 6.3, section 9.7), each as a function of
// values whose upper bits are zeros. These are slow definitions for all types; for the most
// frequent instructions the interpreter's loop has separate code.

func addValue(t typ) value {
	m := t.mask()
	return func(a, b, _ uint64) uint64 { return (a + b) & m }
}

func subValue(t typ) value {
	m := t.mask()
	return func(a, b, _ uint64) uint64 { return (a - b) & m }
}

// product returns the high and the low half of the product of two numbers of type t. Each half has
// the width of t.
func product(t typ, a, b uint64) (high, low uint64) {
	a, b = t.extend(a), t.extend(b)
	if t.width < 64 {
		p := a * b
		return p >> t.width & t.mask(), p & t.mask()
	}
	high, low = bits.Mul64(a, b)
	if t.signed() {
		if int64(a) < 0 {
			high -= b
		}
		if int64(b) < 0 {
			high -= a
		}
	}
	return high, low
}

// mulValue returns the function of the instructions mul and mad with the given mode ("lo", "hi" or
// "wide"). mad also adds c; for mul, c is 0.
func mulValue(t typ, mode string) value {
	m := t.mask()
	switch mode {
	case "lo":
		return func(a, b, c uint64) uint64 { return (a*b + c) & m }
	case "hi":
		return func(a, b, c uint64) uint64 {
			high, _ := product(t, a, b)
			return (high + c) & m
		}
	}
	wide := typ{t.class, 2 * t.width}.mask()
	return func(a, b, c uint64) uint64 { return (t.extend(a)*t.extend(b) + c) & wide }
}

// addCarrier returns the function of add.cc, addc and addc.cc. For add.cc the incoming carry is 0.
func addCarrier(t typ) carrier {
	return func(a, b, _, carry uint64) (uint64, uint64) { return addWith(t, a, b, carry) }
}

func addWith(t typ, a, b, carry uint64) (uint64, uint64) {
	sum, out := bits.Add64(a, b, carry)
	if t.width < 64 {
		out = sum >> t.width & 1
	}
	return sum & t.mask(), out
}

// subCarrier returns the function of sub.cc, subc and subc.cc, which is a − b − borrow.
func subCarrier(t typ) carrier {
	return func(a, b, _, borrow uint64) (uint64, uint64) {
		d, out := bits.Sub64(a, b, borrow)
		return d & t.mask(), out
	}
}

// madCarrier returns the function of mad.cc, madc and madc.cc with the given mode.
func madCarrier(t typ, mode string) carrier {
	return func(a, b, c, carry uint64) (uint64, uint64) {
		high, low := product(t, a, b)
		if mode == "hi" {
			return addWith(t, high, c, carry)
		}
		return addWith(t, low, c, carry)
	}
}

func divValue(t typ) value {
	return func(a, b, _ uint64) uint64 {
		if t.signed() {
			a, b := int64(t.extend(a)), int64(t.extend(b))
			if b == -1 {
				return uint64(-a) & t.mask()
			}
			return uint64(a/b) & t.mask()
		}
		return a / b
	}
}

func remValue(t typ) value {
	return func(a, b, _ uint64) uint64 {
		if t.signed() {
			a, b := int64(t.extend(a)), int64(t.extend(b))
			if b == -1 {
				return 0
			}
			return uint64(a%b) & t.mask()
		}
		return a % b
	}
}

// less reports whether a < b, as numbers of type t.
func less(t typ, a, b uint64) bool {
	if t.signed() {
		return int64(t.extend(a)) < int64(t.extend(b))
	}
	return a < b
}

func minValue(t typ) value {
	return func(a, b, _ uint64) uint64 {
		if less(t, b, a) {
			return b
		}
		return a
	}
}

func maxValue(t typ) value {
	return func(a, b, _ uint64) uint64 {
		if less(t, a, b) {
			return b
		}
		return a
	}
}

func absValue(t typ) value {
	return func(a, _, _ uint64) uint64 {
		if less(t, a, 0) {
			return -a & t.mask()
		}
		return a
	}
}

func sadValue(t typ) value {
	return func(a, b, c uint64) uint64 {
		if less(t, a, b) {
			a, b = b, a
		}
		return (a - b + c) & t.mask()
	}
}

func negValue(t typ) value {
	return func(a, _, _ uint64) uint64 { return -a & t.mask() }
}

func notValue(t typ) value {
	return func(a, _, _ uint64) uint64 { return ^a & t.mask() }
}

func cnotValue(a, _, _ uint64) uint64 { return bit(a == 0) }

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// shlValue returns the left shift by b, an unsigned number of 32 bits. Shifts by the width of t or
// more give 0.
func shlValue(t typ) value {
	return func(a, b, _ uint64) uint64 { return a << b & t.mask() }
}

// shrValue returns the right shift by b. If t is signed, it copies the sign bit.
func shrValue(t typ) value {
	return func(a, b, _ uint64) uint64 {
		if t.signed() {
			return uint64(int64(t.extend(a))>>b) & t.mask()
		}
		return a >> b
	}
}

// shfValue returns the funnel shift: it shifts the concatenation b:a, in which b is the high half,
// by c bits.
func shfValue(left, wrap bool) value {
	return func(a, b, c uint64) uint64 {
		if wrap {
			c &= 31
		} else {
			c = min(c, 32)
		}
		v := b<<32 | a
		if left {
			return v << c >> 32
		}
		return v >> c & 0xffffffff
	}
}

// bfeValue returns the function of bfe, which extracts from a the c bits from bit b on.
func bfeValue(t typ) value {
	return func(a, b, c uint64) uint64 {
		pos, n := b&0xff, c&0xff
		msb := uint64(t.width - 1)
		var sign, d uint64
		if t.signed() && n > 0 {
			sign = a >> min(pos+n-1, msb) & 1
		}
		for i := range msb + 1 {
			v := sign
			if i < n && pos+i <= msb {
				v = a >> (pos + i) & 1
			}
			d |= v << i
		}
		return d
	}
}

// bfi returns the function of bfi, which replaces n bits of b, from bit pos on, by the low n bits
// of a.
func bfi(t typ) func(a, b, pos, n uint64) uint64 {
	return func(a, b, pos, n uint64) uint64 {
		pos, n = pos&0xff, n&0xff
		for i := uint64(0); i < n && pos+i < uint64(t.width); i++ {
			b = b&^(1<<(pos+i)) | a>>i&1<<(pos+i)
		}
		return b
	}
}

// prmtValue returns the function of prmt: each digit of the selector c selects a byte of b:a.
func prmtValue(mode string) value {
	return func(a, b, c uint64) uint64 {
		v := b<<32 | a
		var d uint64
		for i := range uint64(4) {
			d |= prmtByte(mode, v, c, i) << (8 * i)
		}
		return d
	}
}

func prmtByte(mode string, v, c, i uint64) uint64 {
	at := func(n uint64) uint64 { return v >> (8 * n) & 0xff }
	sel := c & 3
	switch mode {
	case "f4e":
		return at((sel + i) & 7)
	case "b4e":
		return at((sel - i) & 7)
	case "rc8":
		return at(sel)
	case "ecl":
		return at(max(sel, i))
	case "ecr":
		return at(min(sel, i))
	case "rc16":
		return at(sel&1*2 + i&1)
	}
	s := c >> (4 * i) & 15
	d := at(s & 7)
	if s&8 != 0 { // fill the byte with its sign bit
		d = d >> 7 * 0xff
	}
	return d
}

// lop3 computes the bitwise function of three variables whose truth table is given by table.
func lop3(a, b, c, table uint64) uint64 {
	var d uint64
	for i := range 8 {
		if table>>i&1 == 0 {
			continue
		}
		x, y, z := a, b, c
		if i&4 == 0 {
			x = ^x
		}
		if i&2 == 0 {
			y = ^y
		}
		if i&1 == 0 {
			z = ^z
		}
		d |= x & y & z
	}
	return d & 0xffffffff
}

func brevValue(t typ) value {
	return func(a, _, _ uint64) uint64 { return bits.Reverse64(a) >> (64 - t.width) }
}

func popcValue(a, _, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) }

func clzValue(t typ) value {
	return func(a, _, _ uint64) uint64 {
		return uint64(bits.LeadingZeros64(a) - 64 + t.width)
	}
}

// bfindValue returns the function of bfind, which finds the highest bit that differs from the sign.
// The result is all ones if there is no such bit.
func bfindValue(t typ, shift bool) value {
	return func(a, _, _ uint64) uint64 {
		if t.signed() && less(t, a, 0) {
			a = ^a & t.mask()
		}
		n := bits.Len64(a) - 1
		if n < 0 {
			return 0xffffffff
		}
		if shift {
			n = t.width - 1 - n
		}
		return uint64(n)
	}
}

// comparison returns the comparison named cmp of two numbers of type t, or nil if t has no such
// comparison.
func comparison(t typ, cmp string) func(a, b uint64) bool {
	switch cmp {
	case "eq":
		return func(a, b uint64) bool { return a == b }
	case "ne":
		return func(a, b uint64) bool { return a != b }
	}
	if t.class == 'b' || t.class == 'p' {
		return nil
	}
	if name, ok := map[string]string{"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}[cmp]; ok {
		if t.signed() {
			return nil
		}
		cmp = name
	}
	switch cmp {
	case "lt":
		return func(a, b uint64) bool { return less(t, a, b) }
	case "le":
		return func(a, b uint64) bool { return !less(t, b, a) }
	case "gt":
		return func(a, b uint64) bool { return less(t, b, a) }
	case "ge":
		return func(a, b uint64) bool { return !less(t, a, b) }
	}
	return nil
}

// boolean returns the named operation on two predicates.
func boolean(name string) func(a, b uint64) uint64 {
	switch name {
	case "and":
		return func(a, b uint64) uint64 { return a & b }
	case "or":
		return func(a, b uint64) uint64 { return a | b }
	case "xor":
		return func(a, b uint64) uint64 { return a ^ b }
	}
	return nil
}

// cvtValue returns the function that converts a number of type from to type to, for a register of
// width bits.
func cvtValue(to, from typ, width int) value {
	m := typ{'u', width}.mask()
	return func(a, _, _ uint64) uint64 { return to.extend(from.extend(a)) & m }
}

// atomicUpdate returns the update that the named atomic operation makes, or nil if the operation
// does not exist for type t.
func atomicUpdate(t typ, name string) update {
	switch name {
	case "exch":
		return func(_, b, _ uint64) uint64 { return b }
	case "cas":
		return func(old, b, c uint64) uint64 {
			if old == b {
				return c
			}
			return old
		}
	case "and":
		return func(old, b, _ uint64) uint64 { return old & b }
	case "or":
		return func(old, b, _ uint64) uint64 { return old | b }
	case "xor":
		return func(old, b, _ uint64) uint64 { return old ^ b }
	}
	if t.class == 'b' {
		return nil
	}
	var f value
	switch name {
	case "add":
		f = addValue(t)
	case "min":
		f = minValue(t)
	case "max":
		f = maxValue(t)
	case "inc":
		f = func(old, b, _ uint64) uint64 {
			if old >= b {
				return 0
			}
			return old + 1
		}
	case "dec":
		f = func(old, b, _ uint64) uint64 {
			if old == 0 || old > b {
				return b
			}
			return old - 1
		}
	default:
		return nil
	}
	return update(f)
}
