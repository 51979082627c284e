package pkix

import (
	"errors"
	"testing"

	"github.com/koblitz-go/koblitz"
)

// TestKeyWiped checks that a key that was read before an error is wiped.
func TestKeyWiped(t *testing.T) {
	key, d := koblitz.GenerateKey(), &document{}
	if k, err := d.private(key); k != key || err != nil || key.IsZero() {
		t.Fatal(k, err)
	}
	d.fail(0, "a fault")
	if k, err := d.private(key); k != nil || !errors.Is(err, d.err) || !key.IsZero() {
		t.Error(k, err, key.IsZero())
	}
}
