package jsonfile

import (
	"encoding/binary"
	"math/bits"
)

const (
	eachByte = 0x0101010101010101 // times a byte: eight copies of it
	highBits = 0x80 * eachByte
)

// Plain returns the number of bytes before the first quotation mark, backslash or control character
// of b, or len(b). b is part of a JSON string. Bytes from 0x80 on are plain.
func Plain(b []byte) int { return plain(b, 0) }

// PlainASCII is like Plain, but also stops at a byte from 0x80 on.
func PlainASCII(b []byte) int { return plain(b, highBits) }

// plain tests eight bytes at a time. Consider x − n, with n up to 0x80 in each byte. If the highest
// bit of a byte was 0 and becomes 1, the byte was below n, or a lower byte borrowed from it. So the
// lowest such bit belongs to the first byte below n. A byte with any bit of stop is not plain.
func plain(b []byte, stop uint64) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, escape := x^'"'*eachByte, x^'\\'*eachByte // a zero byte is a match
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
