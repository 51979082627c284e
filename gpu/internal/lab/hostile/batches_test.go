package hostile

import (
	"testing"

	"github.com/koblitz-go/koblitz/device"
)

// TestBatches: the host finds exactly the batches valid that should be, apart from batches with
// wrong recovery ids, which the host ignores.
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
