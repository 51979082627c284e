package hostile

import (
	"context"
	"testing"

	"github.com/koblitz-go/koblitz/internal/device"
	"github.com/koblitz-go/koblitz/internal/engine"
)

// TestBatches: the host finds those valid that are to be, and no others but for wrong ids.
func TestBatches(t *testing.T) {
	for _, b := range Batches(5) {
		c := b.Call()
		all, err := engine.All(context.Background(), c, engine.Options{Workers: 1})
		if err != nil || all != (b.Want == device.Valid) &&
			(b.Want != device.Unchecked || b.What != "the other id" && b.What != "an id of r + n") {
			t.Errorf("%s: %v, want %d, %v", b.What, all, b.Want, err)
		}
	}
}
