package vartime

import (
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
)

// TestSetPackedWords checks that setPackedWords reads a packed point as SetPacked does, at every
// distance from an aligned address and with other bytes before and after the point.
func TestSetPackedWords(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	room := make([]byte, point.PackedSize+16)
	for k := range room {
		room[k] = byte(r.Intn(256))
	}
	table := string(room)
	for skew := range 16 {
		var got, want point.Affine
		for i, e := range []string{table[skew:], table[skew : skew+point.PackedSize]} {
			if setPackedWords(&got, e); got != *want.SetPacked(e) {
				t.Errorf("%d bytes on, %d: %x, want %x", skew, i, got, want)
			}
		}
	}
}
