package jsonfile

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// DecodeHex decodes lowercase hex digits into dst, four bytes at a time, and returns the number of
// bytes set. It stops before the first eight digits with another character among them, and before a
// rest of fewer than four bytes. digits must have at least two digits for each byte of dst.
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

// AppendHex is a variant of hex.AppendDecode that is faster for lowercase digits.
func AppendHex(dst, digits []byte) ([]byte, error) {
	n := len(digits) / 2
	dst = slices.Grow(dst, n)
	done := DecodeHex(dst[len(dst):len(dst)+n], digits)
	return hex.AppendDecode(dst[:len(dst)+done], digits[2*done:])
}

// hexWord decodes eight hex digits. bad is 0 if all of them are lowercase hex digits. To check
// that, the decoded values are encoded again and compared with the input. A letter after f would
// pass that comparison, but its value has more than four bits.
func hexWord(x uint64) (four uint32, bad uint64) {
	values := x&(0x0f*eachByte) + x>>6&eachByte*9 // 'a' & 15 is 1
	letters := (values + 6*eachByte) >> 4 & eachByte
	bad = values + '0'*eachByte + letters*('a'-10-'0') ^ x | values&(0x10*eachByte)
	values = (values<<4 | values>>8) & 0x00ff00ff00ff00ff // pairs, at even places
	values = (values | values>>8) & 0x0000ffff0000ffff
	return uint32(values | values>>16), bad
}
