package jsonfile

import (
	"encoding/binary"
	"math/bits"
)

const (
	eachByte = 0x0101010101010101 // times a byte's value: that byte in all eight bytes
	highBits = 0x80 * eachByte
)

// Plain returns the number of bytes at the start of b, which is part of a JSON string, before the
// first quotation mark, backslash or control character. A byte from 0x80 on does not end the count.
//
// It tests eight bytes of b at a time as a word x. It subtracts from x a word with n, at most 0x80,
// in each byte. If the highest bit of a byte was 0 and becomes 1, the byte was below n, or a lower
// byte borrowed from it. So the lowest byte with such a bit is the first byte below n.
func Plain(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, escape := x^'"'*eachByte, x^'\\'*eachByte // a zero byte is a match
		found := (x-' '*eachByte)&^x | (quote-eachByte)&^quote | (escape-eachByte)&^escape
		if found &= highBits; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}
