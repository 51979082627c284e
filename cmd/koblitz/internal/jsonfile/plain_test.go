package jsonfile

import "testing"

// TestPlain checks that Plain returns the index of the first special byte. It puts every byte value
// at every position of texts of up to three words, also with special bytes in the next position.
func TestPlain(t *testing.T) {
	for n := range 25 {
		for at := range n {
			for c := range 256 {
				b := make([]byte, n)
				for i := range b {
					b[i] = 'a'
				}
				b[at] = byte(c)
				want := n
				special := c < ' ' || c == '"' || c == '\\'
				if special {
					want = at
				}
				if got := Plain(b); got != want {
					t.Fatalf("%q: %d, want %d", b, got, want)
				}
				for _, next := range []byte{0, 0x1f, ' ', '!', '"', '#', '[', '\\', ']', 0x7f, 0x80, 0xff} {
					if at+1 < n && special {
						if b[at+1] = next; Plain(b) != at {
							t.Fatalf("%q: %d, want %d", b, Plain(b), at)
						}
					}
				}
			}
		}
	}
}
