package nostr

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"
)

// TestHexWord: every byte at every place.
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
