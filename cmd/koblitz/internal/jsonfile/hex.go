package jsonfile

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
)

const eachByte = 0x0101010101010101 // times a byte's value: that byte in all eight bytes

// DecodeHex decodes lowercase hex digits into dst, four bytes at a time, and returns the number of
// bytes decoded. It stops before the first group of eight digits that contains another character,
// and before a last group of fewer than eight. digits must have at least two digits for each byte
// of dst.
func DecodeHex(dst, digits []byte) (n int) {
	digits = digits[:len(digits):len(digits)][:2*len(dst)]
	for n = len(dst); len(dst) >= 4 && len(digits) >= 8; dst, digits = dst[4:], digits[8:] {
		values, bad := hexWord(binary.LittleEndian.Uint64(digits))
		if bad != 0 {
			break
		}
		binary.LittleEndian.PutUint32(dst, values)
	}
	return n - len(dst)
}

// AppendHex appends the decoded digits to dst, like hex.AppendDecode. It is faster for lowercase
// digits.
func AppendHex(dst, digits []byte) ([]byte, error) {
	n := len(digits) / 2
	dst = slices.Grow(dst, n)
	done := DecodeHex(dst[len(dst):len(dst)+n], digits)
	return hex.AppendDecode(dst[:len(dst)+done], digits[2*done:])
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
