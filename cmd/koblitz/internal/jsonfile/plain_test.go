package jsonfile

import "testing"

// TestPlain checks that Plain and PlainASCII return the index of the first special byte. It puts
// every byte value at every position of texts of up to three words, also with special bytes in the
// next position.
func TestPlain(t *testing.T) {
	for n := range 25 {
		for at := range n {
			for c := range 256 {
				b := make([]byte, n)
				for i := range b {
					b[i] = 'a'
				}
				b[at] = byte(c)
				plainByte := c >= ' ' && c != '"' && c != '\\'
				want, wantASCII := n, n
				if !plainByte {
					want = at
				}
				if !plainByte || c >= 0x80 {
					wantASCII = at
				}
				if got, ascii := Plain(b), PlainASCII(b); got != want || ascii != wantASCII {
					t.Fatalf("%q: %d and %d, want %d and %d", b, got, ascii, want, wantASCII)
				}
				for _, next := range []byte{0, 0x1f, ' ', '!', '"', '#', '[', '\\', ']', 0x7f, 0x80, 0xff} {
					if at+1 < n && !plainByte {
						if b[at+1] = next; Plain(b) != at || PlainASCII(b) != at {
							t.Fatalf("%q: %d and %d, want %d", b, Plain(b), PlainASCII(b), at)
						}
					}
				}
			}
		}
	}
}
