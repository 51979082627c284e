package jsonfile

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// DecodeHex sets dst to what lowercase hexadecimal digits stand for, four bytes at a time, and
// returns how many bytes it has set: it ends before the first eight digits that have something else
// among them, and before fewer than four bytes. There are at least two digits for each byte of dst.
func DecodeHex(dst, digits []byte) (n int) {
	for ; len(dst)-n >= 4; n += 4 {
		values, bad := hexWord(binary.LittleEndian.Uint64(digits[2*n:]))
		if bad != 0 {
			break
		}
		binary.LittleEndian.PutUint32(dst[n:], values)
	}
	return n
}

// AppendHex is hex.AppendDecode, and faster for lowercase digits.
func AppendHex(dst, digits []byte) ([]byte, error) {
	n := len(digits) / 2
	dst = slices.Grow(dst, n)
	done := DecodeHex(dst[len(dst):len(dst)+n], digits)
	return hex.AppendDecode(dst[:len(dst)+done], digits[2*done:])
}

// hexWord is what eight digits stand for. bad is 0 if all of them are lowercase hexadecimal.
func hexWord(x uint64) (four uint32, bad uint64) {
	const each = 0x0101010101010101
	// Of bytes below 0x80 a sum with 0x80 − n has the highest bit if the byte is n or more.
	const high = 0x80 * each
	atLeast := func(n uint64) uint64 { return x + (0x80-n)*each }
	digit := atLeast('0') &^ atLeast('9'+1)
	letter := atLeast('a') &^ atLeast('f'+1)
	bad = x&high | ^(digit|letter)&high
	nibbles := x&(0x0f*each) + letter&high>>7*9 // 'a' & 15 is 1
	nibbles = nibbles<<4&(0xf0*each) | nibbles>>8&(0x0f*each)
	// The bytes are those at even places now.
	nibbles &= 0x00ff00ff00ff00ff
	nibbles = (nibbles | nibbles>>8) & 0x0000ffff0000ffff
	return uint32(nibbles | nibbles>>16), bad
}
