package changing

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"testing"
)

// TestEach calls functions that read their argument once, and others that read it twice.
func TestEach(t *testing.T) {
	words := func(b []byte) (w []uint64) {
		for ; len(b) >= 8; b = b[8:] {
			w = append(w, binary.BigEndian.Uint64(b))
		}
		return w
	}
	for _, n := range []int{1, 2, 3, 8, 15, 16, 20, 31, 32, 33, 48, 63, 64, 65, 96, 128, 250, 1000} {
		first, second := bytes.Repeat([]byte{0x5a}, n), bytes.Repeat([]byte{0xa5}, n)
		hash := sha256.Sum256(first)
		for _, c := range []struct {
			name string
			f    func(b []byte) bool // reports whether b seems to hold first
			once bool
		}{
			{"copied", func(b []byte) bool { return bytes.Equal(slices.Clone(b), first) }, true},
			{"hashed", func(b []byte) bool { return sha256.Sum256(b) == hash }, true},
			{"first byte, then the others", func(b []byte) bool {
				return b[0] == 0x5a && bytes.Equal(slices.Clone(b[1:]), first[1:])
			}, true},
			{"compared, and then copied", func(b []byte) bool {
				return bytes.Equal(b, first) && bytes.Equal(slices.Clone(b), first)
			}, false},
			{"hashed twice", func(b []byte) bool {
				again := sha256.Sum256(b)
				return again == hash && sha256.Sum256(b) == hash
			}, false},
			{"first byte and words, then hashed", func(b []byte) bool {
				return b[0] == 0x5a && slices.Equal(words(b), words(first)) && sha256.Sum256(b) == hash
			}, false},
			{"copied, and then two words from byte 8 on", func(b []byte) bool {
				copied := slices.Clone(b)
				if n < 32 || n > 250 { // a longer copy does not begin a load at byte 16
					return bytes.Equal(copied, first) && bytes.Equal(slices.Clone(b), first)
				}
				w1, w2 := binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b[16:])
				return bytes.Equal(copied, first) && w1 == words(first)[1] && w2 == words(first)[2]
			}, false},
			{"first half twice", func(b []byte) bool {
				half := (n + 1) / 2
				return sha256.Sum256(b[:half]) == sha256.Sum256(first[:half]) &&
					bytes.Equal(b[:half], first[:half]) && bytes.Equal(slices.Clone(b[half:]), first[half:])
			}, false},
			{"second half twice", func(b []byte) bool {
				half := n / 2
				return bytes.Equal(slices.Clone(b[:half]), first[:half]) &&
					sha256.Sum256(b[half:]) == sha256.Sum256(first[half:]) &&
					bytes.Equal(b[half:], first[half:])
			}, false},
		} {
			Each(t, first, second, func(b []byte) {
				if want := c.once || !traced(); c.f(b) != want {
					t.Errorf("%d bytes, %s: the first content is seen: %v, want %v", n, c.name, !want, want)
				}
			})
		}
	}
}
