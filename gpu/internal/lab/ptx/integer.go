package ptx

import "math/bits"

// This file defines integer instructions (PTX ISA 6.3, section 9.7), each as a function of values
// whose upper bits are zeros. For the most frequent instructions the interpreter's loop has
// separate code.

func addValue(t typ) value {
	m := t.mask()
	return func(a, b, _ uint64) uint64 { return (a + b) & m }
}

func subValue(t typ) value {
	m := t.mask()
	return func(a, b, _ uint64) uint64 { return (a - b) & m }
}

// wideValue returns the function of the instructions mul.wide and mad.wide for factors of type t.
// mad also adds c; for mul, c is 0.
func wideValue(t typ) value {
	wide := typ{t.class, 2 * t.width}.mask()
	return func(a, b, c uint64) uint64 { return (t.extend(a)*t.extend(b) + c) & wide }
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

func negValue(t typ) value {
	return func(a, _, _ uint64) uint64 { return -a & t.mask() }
}

func notValue(t typ) value {
	return func(a, _, _ uint64) uint64 { return ^a & t.mask() }
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// shrValue returns the function that shifts a, a signed number of type t, to the right by b, an
// unsigned number of 32 bits. The shift copies the sign bit.
func shrValue(t typ) value {
	return func(a, b, _ uint64) uint64 { return uint64(int64(t.extend(a))>>b) & t.mask() }
}

// bfeValue is the function of bfe for unsigned numbers: it extracts from a the c bits from bit b
// on.
func bfeValue(a, b, c uint64) uint64 {
	return a >> (b & 0xff) & (1<<(c&0xff) - 1)
}

func clzValue(t typ) value {
	return func(a, _, _ uint64) uint64 {
		return uint64(bits.LeadingZeros64(a) - 64 + t.width)
	}
}

// cvtValue returns the function that converts a number of type src to type dst, for a register of
// width bits.
func cvtValue(dst, src typ, width int) value {
	m := typ{'u', width}.mask()
	return func(a, _, _ uint64) uint64 { return dst.extend(src.extend(a)) & m }
}
