//ct:public encodes addresses

package silentpay

import (
	"errors"
	"fmt"
	"strings"
)

// alphabet holds the characters of the data part, by value (BIP-173, "Bech32").
const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// checksumSize is the number of characters of the checksum.
const checksumSize = 6

// The constants of the checksums of Bech32 (BIP-173) and Bech32m (BIP-350).
const (
	bech32Constant  = 1
	bech32mConstant = 0x2bc830a3
)

// encodeBech32m returns the Bech32m encoding of the human-readable part prefix, and of the version
// and the data.
func encodeBech32m(prefix string, version byte, data []byte) string {
	values := append([]byte{version}, valuesOf(data)...)
	sum := polymod(prefix, append(values, make([]byte, checksumSize)...)) ^ bech32mConstant
	var b strings.Builder
	b.WriteString(prefix)
	b.WriteByte('1')
	for _, v := range values {
		b.WriteByte(alphabet[v])
	}
	for i := range checksumSize {
		b.WriteByte(alphabet[sum>>(5*(checksumSize-1-i))&31])
	}
	return b.String()
}

// decodeBech32m returns the human-readable part of text, in lower case, and the values of the data
// part without the checksum.
func decodeBech32m(text string) (prefix string, values []byte, err error) {
	if err := checkCharacters(text); err != nil {
		return "", nil, err
	}
	text = lower(text)
	separator := strings.LastIndexByte(text, '1')
	if separator < 0 {
		return "", nil, errors.New("no separator 1")
	}
	if separator == 0 {
		return "", nil, errors.New("no human-readable part")
	}
	prefix = text[:separator]
	for i, c := range []byte(text[separator+1:]) {
		v := strings.IndexByte(alphabet, c)
		if v < 0 {
			return "", nil, fmt.Errorf("character %d, %q, is not in the alphabet of bech32",
				separator+1+i, c)
		}
		values = append(values, byte(v))
	}
	if len(values) < checksumSize {
		return "", nil, fmt.Errorf("%d characters after the separator, and the checksum has %d",
			len(values), checksumSize)
	}
	switch polymod(prefix, values) {
	case bech32mConstant:
		return prefix, values[:len(values)-checksumSize], nil
	case bech32Constant:
		return "", nil, errors.New("the checksum is that of bech32, want bech32m")
	}
	return "", nil, errors.New("the checksum is wrong")
}

// checkCharacters checks that text consists of printable ASCII characters without spaces, and that
// no two letters have different case.
func checkCharacters(text string) error {
	var first byte // the first letter
	for i := range len(text) {
		c := text[i]
		if c < 33 || c > 126 {
			return fmt.Errorf("character %d is byte %#02x, want 0x21 to 0x7e", i, c)
		}
		if letter := c | 0x20; letter < 'a' || letter > 'z' {
			continue
		}
		if first == 0 {
			first = c
		}
		if (first^c)&0x20 != 0 {
			return fmt.Errorf("character %d, %q, and the first letter, %q, differ in case", i, c, first)
		}
	}
	return nil
}

// lower returns an ASCII text in lower case.
func lower(text string) string { return strings.ToLower(text) }

// polymod returns the remainder that the checksum of Bech32 is computed from (BIP-173, "Checksum").
func polymod(prefix string, values []byte) uint32 {
	sum := uint32(1)
	for _, c := range []byte(prefix) {
		sum = step(sum, c>>5)
	}
	sum = step(sum, 0)
	for _, c := range []byte(prefix) {
		sum = step(sum, c&31)
	}
	for _, v := range values {
		sum = step(sum, v)
	}
	return sum
}

// step multiplies the polynomial sum over GF(32) by x, adds v, and reduces by the generator.
func step(sum uint32, v byte) uint32 {
	top := sum >> 25
	sum = sum&0x1ffffff<<5 ^ uint32(v)
	for i, g := range [5]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
		if top>>i&1 == 1 {
			sum ^= g
		}
	}
	return sum
}

// valuesOf returns the bits of data in groups of 5. The last group is padded with zeros.
func valuesOf(data []byte) (values []byte) {
	var bits uint32
	n := 0 // number of bits that are left
	for _, b := range data {
		bits = bits<<8 | uint32(b)
		for n += 8; n >= 5; n -= 5 {
			values = append(values, byte(bits>>(n-5)&31))
		}
	}
	if n > 0 {
		values = append(values, byte(bits<<(5-n)&31))
	}
	return values
}

// bytesOf returns the bytes of groups of 5 bits. There is an error if more than 4 bits are left, or
// if they are not zeros.
func bytesOf(values []byte) (data []byte, err error) {
	var bits uint32
	n := 0
	for _, v := range values {
		bits = bits<<5 | uint32(v)
		if n += 5; n >= 8 {
			n -= 8
			data = append(data, byte(bits>>n))
		}
	}
	if n > 4 {
		return nil, fmt.Errorf("padding: %d bits after the last byte, want at most 4", n)
	}
	if bits&(1<<n-1) != 0 {
		return nil, errors.New("padding: the bits after the last byte are not zeros")
	}
	return data, nil
}
