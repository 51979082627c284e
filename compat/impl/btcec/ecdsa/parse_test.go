package ecdsa

import "testing"

// TestLength checks the greatest lengths that one byte gives: lab/oracle seldom makes signatures as
// long. The sequence has 300 bytes, and its integers are 5 and 6.
func TestLength(t *testing.T) {
	for size, want := range map[byte]string{
		252: "malformed signature: bad final length 8 != 254",
		253: "malformed signature: bad final length 8 != 255",
		254: "malformed signature: bad length",
		255: "malformed signature: bad length",
	} {
		b := make([]byte, 300)
		copy(b, []byte{0x30, size, 2, 1, 5, 2, 1, 6})
		if _, err := ParseSignature(b); err == nil || err.Error() != want {
			t.Errorf("length %d: %v", size, err)
		}
		if _, err := ParseDERSignature(b); err == nil ||
			err.Error() != "malformed signature: too long" {
			t.Errorf("length %d: %v", size, err)
		}
	}
}
