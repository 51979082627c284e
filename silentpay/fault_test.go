package silentpay

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// TestFault changes each bit of the point that a scan key or an input key multiplies. There must be
// an error: on another curve the product could reveal the key.
func TestFault(t *testing.T) {
	scan := reference.Must(NewScanKey(koblitz.GenerateKey()))
	receiver := reference.Must(NewReceiver(scan, koblitz.GenerateKey().PublicKey()))
	tweak := koblitz.GenerateKey().PublicKey()
	address := reference.Must(receiver.Address(Mainnet))
	for name, c := range map[string]struct {
		point *koblitz.PublicKey
		call  func() (int, error)
	}{
		"Scan": {tweak, func() (int, error) {
			found, err := receiver.Scan(tweak, nil)
			return len(found), err
		}},
		"Candidates": {tweak, func() (int, error) {
			keys, err := receiver.Candidates(tweak, 0)
			return len(keys), err
		}},
		"Outputs": {address.scan, func() (int, error) {
			inputs := []Input{{Key: koblitz.GenerateKey()}}
			outputs, err := Outputs(inputs, make([]Outpoint, 1), []*Address{address})
			return len(outputs), err
		}},
	} {
		var bits secrettest.Bits
		bits.AddEvery(3, "point", (*keys.Public)(c.point).Affine())
		for i := range bits {
			bits.Flip(i)
			if n, err := c.call(); n != 0 || err != errFault {
				t.Fatalf("%s: bit %d: %d results, %v", name, i, n, err)
			}
			bits.Flip(i)
		}
		if _, err := c.call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
