package nostr

import (
	"encoding/hex"
	"strings"
	"testing"
)

// TestPlainASCII checks that plainASCII returns the index of the first special byte. It puts every
// byte value at every position of texts of up to three words, also with special bytes in the next
// position.
func TestPlainASCII(t *testing.T) {
	for n := range 25 {
		for at := range n {
			for c := range 256 {
				b := []byte(strings.Repeat("a", n))
				b[at] = byte(c)
				special := c < ' ' || c == '"' || c == '\\' || c >= 0x80
				want := n
				if special {
					want = at
				}
				if got := plainASCII(b); got != want {
					t.Fatalf("%q: %d, want %d", b, got, want)
				}
				for _, next := range []byte{0, 0x1f, ' ', '!', '"', '#', '[', '\\', ']', 0x7f, 0x80, 0xff} {
					if at+1 < n && special {
						if b[at+1] = next; plainASCII(b) != at {
							t.Fatalf("%q: %d, want %d", b, plainASCII(b), at)
						}
					}
				}
			}
		}
	}
}

// TestRawHex checks that rawHex accepts exactly lowercase hex digits, with every byte value at
// every position.
func TestRawHex(t *testing.T) {
	for at := range 16 {
		for c := range 256 {
			digits := []byte("0f9a7c3e00ff5bd1")
			digits[at] = byte(c)
			var got [8]byte
			s := scanner{b: append(append([]byte{'"'}, digits...), '"')}
			accepted := s.rawHex(got[:])
			want, err := hex.DecodeString(string(digits))
			good := err == nil && strings.ToLower(string(digits)) == string(digits)
			if accepted != good || good && string(got[:]) != string(want) {
				t.Fatalf("%q: %x, %v", digits, got, accepted)
			}
			if accepted != (s.i == len(s.b)) || !accepted && s.i != 0 {
				t.Fatalf("%q: offset %d", digits, s.i)
			}
		}
	}
}
