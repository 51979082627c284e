package jsonfile

import (
	"encoding/binary"
	"math/bits"
)

const (
	eachByte = 0x0101010101010101 // times a byte: eight of that
	highBits = 0x80 * eachByte
)

// Plain returns how many bytes at the beginning of b, which is inside of a string, stand for
// themselves: the place of the first quotation mark, backslash or control character, or len(b).
// Bytes from 0x80 on are plain.
func Plain(b []byte) int { return plain(b, 0) }

// PlainASCII is Plain, and ends before a byte from 0x80 on, too.
func PlainASCII(b []byte) int { return plain(b, highBits) }

// plain looks at eight bytes at a time. In x − n, for n up to 0x80 in each byte, the highest bit of
// a byte that had not got it is set if the byte was below n, or had a borrow from one that was. So
// the lowest such bit is that of the first byte below n. Bytes with the bits of stop are not plain.
func plain(b []byte, stop uint64) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, escape := x^'"'*eachByte, x^'\\'*eachByte // zero where it is
		found := (x-' '*eachByte)&^x | (quote-eachByte)&^quote | (escape-eachByte)&^escape | x&stop
		if found &= highBits; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' && (b[i] < 0x80 || stop == 0) {
		i++
	}
	return i
}
