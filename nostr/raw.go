package nostr

import (
	"encoding/binary"
	"math/bits"
)

// rawHex reads a string of lowercase hexadecimal digits without escapes that encodes len(dst)
// bytes, a multiple of four.
func (s *scanner) rawHex(dst []byte) bool {
	n := 2 * len(dst)
	if len(s.b)-s.i < n+2 || s.b[s.i] != '"' || s.b[s.i+n+1] != '"' {
		return false
	}
	digits := s.b[s.i+1:]
	for i := 0; i < len(dst); i += 4 {
		four, bad := hexWord(binary.LittleEndian.Uint64(digits[2*i:]))
		if bad != 0 {
			return false
		}
		binary.LittleEndian.PutUint32(dst[i:], four)
	}
	s.i += n + 2
	return true
}

// hexWord decodes the eight hex digits in the bytes of x. bad is 0 if all of them are lowercase hex
// digits. To check that, it encodes the decoded values again and compares the result with x. A
// letter after f would pass the comparison, but its value has more than four bits.
func hexWord(x uint64) (four uint32, bad uint64) {
	values := x&(0x0f*eachByte) + x>>6&eachByte*9 // a letter's value is its low 4 bits plus 9
	letters := (values + 6*eachByte) >> 4 & eachByte
	bad = values + '0'*eachByte + letters*('a'-10-'0') ^ x | values&(0x10*eachByte)
	values = (values<<4 | values>>8) & 0x00ff00ff00ff00ff // join pairs of digits in the even bytes
	values = (values | values>>8) & 0x0000ffff0000ffff
	return uint32(values | values>>16), bad
}

const (
	eachByte = 0x0101010101010101 // times a byte's value: that byte in all eight bytes
	highBits = 0x80 * eachByte
)

// plainASCII returns the number of bytes at the start of b before the first quotation mark,
// backslash, control character or byte from 0x80 on. It tests eight bytes of b at a time as a word
// x. It subtracts from x a word with n, at most 0x80, in each byte. If the highest bit of a byte
// was 0 and becomes 1, the byte was below n, or a lower byte borrowed from it. So the lowest byte
// with such a bit is the first byte below n.
func plainASCII(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, escape := x^'"'*eachByte, x^'\\'*eachByte // a zero byte is a match
		found := (x-' '*eachByte)&^x | (quote-eachByte)&^quote | (escape-eachByte)&^escape | x
		if found &= highBits; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' && b[i] < 0x80 {
		i++
	}
	return i
}
