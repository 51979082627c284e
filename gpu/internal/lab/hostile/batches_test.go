package hostile

import (
	"testing"

	"github.com/koblitz-go/koblitz/device"
)

// TestBatches checks that the host finds a batch valid exactly if its expected verdict is Valid.
// Batches with wrong recovery ids are left out, as the host ignores recovery ids.
func TestBatches(t *testing.T) {
	for _, b := range Batches(5) {
		c := b.Call()
		err := Do(c, 0)
		all := c.Verdicts[0] == device.Valid
		if err != nil || all != (b.Want == device.Valid) &&
			(b.Want != device.Unchecked || b.What != "the other id" && b.What != "an id of r + n") {
			t.Errorf("%s: %v, want %d, %v", b.What, all, b.Want, err)
		}
	}
}
