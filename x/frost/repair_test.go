package frost_test

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/x/frost"
)

// A share is repaired by any helpers that are at least as many as the threshold.
func TestRepair(t *testing.T) {
	const lost = 1
	p := newParty(t, 3, 5)
	for _, helpers := range [][]uint32{{0, 2, 3}, {4, 2, 0}, {4, 3, 2, 0}} {
		received := make([][]*koblitz.PrivateKey, len(helpers))
		for _, id := range helpers {
			parts := must(frost.RepairParts(p.commitment, p.n, lost, helpers, id, p.shares[id]))(t)
			for j, part := range parts {
				received[j] = append(received[j], part)
			}
		}
		var sums []*koblitz.PrivateKey
		for _, parts := range received {
			sums = append(sums, must(frost.AddParts(parts))(t))
		}
		share := must(frost.AddParts(sums))(t)
		if !share.Equal(p.shares[lost]) || p.commitment.Check(lost, share) != nil {
			t.Errorf("helpers %d: another share", helpers)
		}
	}
	if _, err := frost.AddParts([]*koblitz.PrivateKey{nil}); err == nil {
		t.Error("a nil part is added")
	}
	if _, err := frost.AddParts(nil); err == nil {
		t.Error("no parts are added")
	}
}
