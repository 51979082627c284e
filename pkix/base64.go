package pkix

import "github.com/koblitz-go/koblitz/internal/ct"

// The digits of base64 (RFC 4648, section 4) are five ranges of ASCII. Functions digit and value
// compute with masks. Tables, as in encoding/base64, would leave traces of secret indices in the
// cache.

// above returns all ones if a > b, and zero if not. a and b are at most 255.
func above(a, b uint32) uint32 { return uint32(int32(b-a) >> 31) }

// digit returns the ASCII character of the digit v, in [0, 64).
func digit(v uint32) byte {
	//ct:secret v > 31
	c := v + 'A'
	c += above(v, 25) & ('a' - ('Z' + 1))
	c -= above(v, 51) & ('z' + 1 - '0')
	c -= above(v, 61) & ('9' + 1 - '+')
	c += above(v, 62) & ('/' - ('+' + 1))
	return byte(c)
}

// value returns the value of the digit with the ASCII character c. It returns 0 and false if there
// is no such digit.
func value(c byte) (uint32, ct.Choice) {
	//ct:secret c > 'Z'
	var v, found uint32
	for _, r := range [...]struct{ first, last, value uint32 }{
		{'A', 'Z', 0}, {'a', 'z', 26}, {'0', '9', 52}, {'+', '+', 62}, {'/', '/', 63},
	} {
		in := ^(above(r.first, uint32(c)) | above(uint32(c), r.last))
		v |= in & (uint32(c) - r.first + r.value)
		found |= in
	}
	return v, ct.Choice(found & 1)
}

const lineLength = 64 // RFC 7468, section 2

// encodedLen returns the length of n bytes in base64, in lines that end in a newline.
func encodedLen(n int) int {
	digits := (n + 2) / 3 * 4
	return digits + (digits+lineLength-1)/lineLength
}

// encode sets text, which has the length encodedLen(len(b)), to b in base64, in lines that end in a
// newline. The time depends on the length of b only.
func encode(text, b []byte) {
	i, column := 0, 0
	put := func(c byte) {
		text[i] = c
		i++
		if column++; column == lineLength || i == len(text)-1 {
			text[i] = '\n'
			i, column = i+1, 0
		}
	}
	for ; len(b) > 0; b = b[min(3, len(b)):] {
		var group uint32
		for k := range 3 {
			group <<= 8
			if k < len(b) {
				group |= uint32(b[k])
			}
		}
		for k := range 4 {
			if k <= len(b) {
				put(digit(group >> (18 - 6*k) & 63))
			} else {
				put('=')
			}
		}
	}
}

// decode writes the bytes that lines of base64 encode to dst, and returns their number n. The lines
// begin at text[at] and end before a line that begins with a hyphen, at the offset end. dst has
// room for three bytes for each four of text. If the lines have a fault, decode returns its
// description and its offset as end. Otherwise fault is "".
//
// Lines have any length but zero and end in a newline, which a carriage return may precede. Padding
// is necessary, and the bits that it leaves unused are zero. The time depends on the places of
// characters that are no digits, but not on the digits.
func decode(dst, text []byte, at int) (n, end int, fault string) {
	var group uint32
	bits, digits, padding := 0, 0, 0 // bits counts the bits of group that are not in dst yet
	line := at                       // where the line begins
	for ; at < len(text); at++ {
		v, ok := value(text[at])
		if ok.Reveal() {
			if padding > 0 {
				return n, at, "a digit of base64 after the padding"
			}
			digits++
			group = group<<6 | v
			if bits += 6; bits < 8 {
				continue
			}
			bits -= 8
			dst[n] = byte(group >> bits)
			n++
			continue
		}
		ct.DeclassifyBytes(text[at : at+1])
		c := text[at]
		if c == '\r' && at > line && at+1 < len(text) {
			at++
			ct.DeclassifyBytes(text[at : at+1])
			if c = text[at]; c != '\n' {
				return n, at, "a carriage return that no newline follows"
			}
		}
		switch {
		case c == '-' && at == line:
			unused := uint64(group) & (1<<bits - 1)
			switch {
			case (digits+padding)%4 != 0 || padding > 2:
				return n, at, "the digits of base64 and their padding are not a multiple of 4"
			case !ct.IsZero64(unused).Reveal():
				return n, at, "the last digit of base64 has unused bits that are not zero"
			}
			return n, at, ""
		case c == '=' && at > line:
			padding++
		case c == '\n' && at > line:
			line = at + 1
		default:
			return n, at, "not a digit of base64"
		}
	}
	return n, at, "the end, want a line that begins with -----END"
}
