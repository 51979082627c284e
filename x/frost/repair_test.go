package frost_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/x/frost"
)

// A share is repaired by any helpers that are at least as many as the threshold.
func TestRepair(t *testing.T) {
	const lost = 1
	p := newParty(t, 3, 5)
	for _, helpers := range [][]uint32{{0, 2, 3}, {4, 2, 0}, {4, 3, 2, 0}} {
		r := must(frost.NewRepair(p.commitment, p.n, lost, helpers))(t)
		received := make([][]*frost.RepairPart, len(helpers))
		for _, id := range helpers {
			for j, part := range must(r.Parts(id, p.shares[id]))(t) {
				part = must(frost.ParseRepairPart(part.Bytes()))(t)
				received[j] = append(received[j], part)
			}
		}
		var sums []*frost.RepairPart
		for j, id := range helpers {
			sums = append(sums, must(r.AddParts(id, received[j]))(t))
		}
		share := must(r.Share(sums))(t)
		if !share.Equal(p.shares[lost]) || p.commitment.Check(lost, share) != nil {
			t.Errorf("helpers %d: another share", helpers)
		}
	}
}

// Participants 3 and 4 attack helpers 0 and 1: they give them different arguments of NewRepair, and
// send forged parts. The sums of both helpers would be another combination of their shares, and
// with their own shares the attackers could compute the key.
func TestDifferentRepairs(t *testing.T) {
	p, other := newParty(t, 3, 5), newParty(t, 3, 5)
	view := func(c *frost.Commitment, n int, lost uint32, helpers ...uint32) *frost.Repair {
		return must(frost.NewRepair(c, n, lost, helpers))(t)
	}
	first := view(p.commitment, 5, 3, 0, 1, 4)
	forged := must(first.Parts(4, p.shares[4]))(t)
	parts := must(first.Parts(0, p.shares[0]))(t)
	for what, second := range map[string]*frost.Repair{
		"another list and another participant": view(p.commitment, 5, 4, 0, 1, 3),
		"another list":                         view(p.commitment, 5, 3, 0, 1, 2),
		"a longer list":                        view(p.commitment, 5, 3, 0, 1, 4, 2),
		"another order":                        view(p.commitment, 5, 3, 1, 0, 4),
		"another size":                         view(p.commitment, 6, 3, 0, 1, 4),
	} {
		got := must(second.Parts(1, p.shares[1]))(t)[0]
		_, err := first.AddParts(0, []*frost.RepairPart{parts[0], got, forged[0]})
		if err == nil || !strings.Contains(err.Error(), "part from participant 1: it is for another") {
			t.Errorf("%s: the error is %v", what, err)
		}
	}
	// Parts and sums that are for other participants, or from other participants, must be refused.
	theirs := must(first.Parts(1, p.shares[1]))(t)
	good := []*frost.RepairPart{parts[0], theirs[0], forged[0]}
	if _, err := view(other.commitment, 5, 3, 0, 1, 4).AddParts(0, good); err == nil {
		t.Error("another commitment: no error")
	}
	sum := must(first.AddParts(0, good))(t)
	sums := []*frost.RepairPart{sum}
	for j, id := range []uint32{1, 4} {
		sums = append(sums, must(first.AddParts(id, []*frost.RepairPart{
			parts[j+1], theirs[j+1], forged[j+1],
		}))(t))
	}
	for what, bad := range map[string]*frost.RepairPart{
		"nil": nil, "a zero value": new(frost.RepairPart), "a part for another": theirs[1],
		"a part from another": parts[0], "a sum": sums[1], "a sum from another": sums[2],
	} {
		if _, err := first.AddParts(0, []*frost.RepairPart{parts[0], bad, forged[0]}); err == nil {
			t.Errorf("%s is added", what)
		}
		_, err := first.Share([]*frost.RepairPart{sums[0], bad, sums[2]})
		if (err == nil) != (bad == sums[1]) {
			t.Errorf("%s as a sum: %v", what, err)
		}
	}
	wrongLengths(t, "AddParts", good, func(parts []*frost.RepairPart) error {
		_, err := first.AddParts(0, parts)
		return err
	})
	wrongLengths(t, "Share", sums, func(sums []*frost.RepairPart) error {
		_, err := first.Share(sums)
		return err
	})
	if _, err := first.AddParts(2, good); err == nil {
		t.Error("participant 2 adds parts")
	}
	wrong := sum.Bytes()
	copy(wrong[32:], koblitz.GenerateKey().Bytes())
	sums[0] = must(frost.ParseRepairPart(wrong))(t)
	if share, err := first.Share(sums); err == nil || share != nil {
		t.Error("a wrong sum gives a share")
	}
	sum.Zeroize()
	if sum.Bytes() != nil {
		t.Error("a zeroized part has bytes")
	}
	for _, r := range []*frost.Repair{nil, new(frost.Repair)} {
		_, err1 := r.Parts(0, p.shares[0])
		_, err2 := r.AddParts(0, nil)
		_, err3 := r.Share(nil)
		if err1 == nil || err2 == nil || err3 == nil {
			t.Error("a nil or zero repair works")
		}
	}
	long := append(slices.Clone(wrong), 0)
	for _, b := range [][]byte{nil, wrong[:63], long, slices.Concat(wrong[:32], make([]byte, 32)),
		bytes.Repeat([]byte{0xff}, 64)} {
		if _, err := frost.ParseRepairPart(b); err == nil {
			t.Errorf("%x is parsed", b)
		}
	}
}
