package jsonfile

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"
)

// TestHexWord checks that hexWord decodes lowercase hex digits as encoding/hex does and reports all
// other bytes, with every byte value at every position.
func TestHexWord(t *testing.T) {
	for at := range 8 {
		for c := range 256 {
			digits := []byte("0f9a7c3e")
			digits[at] = byte(c)
			four, bad := hexWord(binary.LittleEndian.Uint64(digits))
			var want [4]byte
			_, err := hex.Decode(want[:], digits)
			good := err == nil && strings.ToLower(string(digits)) == string(digits)
			if good != (bad == 0) || good && four != binary.LittleEndian.Uint32(want[:]) {
				t.Fatalf("%q: %x, %v", digits, four, bad == 0)
			}
		}
	}
}

// TestAppendHex checks that AppendHex returns the same as hex.AppendDecode, for valid digits and
// with a wrong digit at every position.
func TestAppendHex(t *testing.T) {
	source := []byte("0123456789abcdef00ff7e5a9c31d2b4e8f6A70B")
	for n := range len(source) + 1 {
		for at := -1; at < n; at++ {
			for _, c := range []byte{'F', 'g', ' ', 0xb0} {
				digits := bytes.Clone(source[:n])
				if at >= 0 {
					digits[at] = c
				}
				before := []byte("before")
				got, err := AppendHex(bytes.Clone(before), digits)
				want, wrong := hex.AppendDecode(bytes.Clone(before), digits)
				if !bytes.Equal(got, want) || err != wrong {
					t.Fatalf("%q: %x, %v, want %x, %v", digits, got, err, want, wrong)
				}
			}
		}
	}
}
