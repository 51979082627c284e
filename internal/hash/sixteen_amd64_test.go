//go:build !purego

package hash

import (
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"testing"
)

// TestChallengeState takes the chaining value from the state of a hash that the
// standard library encodes: four bytes that name the format, then the eight words.
func TestChallengeState(t *testing.T) {
	h := sha256.New()
	h.Write(challengePrefix[:])
	saved, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range challengeState() {
		if want := binary.BigEndian.Uint32(saved[4+4*i:]); got != want {
			t.Errorf("word %d is %#08x, want %#08x", i, got, want)
		}
	}
}
