package frost_test

import (
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/x/frost"
)

// A share is repaired by any t helpers.
func TestRepair(t *testing.T) {
	p := newParty(t, 3, 5)
	for _, helpers := range [][]uint32{{0, 1, 2}, {4, 2, 0}, {4, 3, 2, 0}} {
		const lost = 1
		if slices.Contains(helpers, lost) {
			if _, err := frost.RepairParts(lost, helpers, 0, p.shares[0]); err == nil {
				t.Error("a participant helps itself")
			}
			continue
		}
		received := make([][]*koblitz.PrivateKey, len(helpers))
		for _, id := range helpers {
			for j, part := range must(frost.RepairParts(lost, helpers, id, p.shares[id]))(t) {
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
	for _, c := range []struct {
		helpers []uint32
		id      uint32
		share   *koblitz.PrivateKey
	}{{[]uint32{0, 2}, 1, p.shares[1]}, {[]uint32{0, 0}, 0, p.shares[0]}, {[]uint32{0, 2}, 0, nil}} {
		if _, err := frost.RepairParts(4, c.helpers, c.id, c.share); err == nil {
			t.Errorf("helpers %d, participant %d: no error", c.helpers, c.id)
		}
	}
	if _, err := frost.AddParts([]*koblitz.PrivateKey{nil}); err == nil {
		t.Error("a nil part is added")
	}
	if _, err := frost.AddParts(nil); err == nil {
		t.Error("no parts are added")
	}
}
