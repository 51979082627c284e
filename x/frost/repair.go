package frost

import (
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
)

// Repair of a lost share takes three steps (Laing and Stinson, "A Survey and Refinement of
// Repairable Threshold Schemes", section 4.2). The helpers are any t participants other than the
// one who lost its share.
//
//  1. Each helper calls RepairParts and sends part j to helpers[j].
//  2. Each helper adds the parts that it got, with AddParts, and sends the sum to the participant.
//  3. The participant adds the sums with AddParts, and checks the share with Commitment.Check.
//
// All channels must be confidential and authenticated. Before step 1 the helpers compare lost and
// the list of helpers over them: parts for different lists add up to another combination of shares,
// with which fewer participants than the threshold can compute the key.

// RepairParts returns random parts of a helper's term of participant lost's share, one for each
// helper. c is the commitment of the group of n participants, id the helper's identifier, and share
// its secret share. The time does not depend on the share.
//
// With fewer helpers than the threshold, or with helpers outside the group, the parts would give
// away the share of an honest helper. So there is an error if there are fewer than c.Threshold()
// helpers, if a helper or lost is not below n, if a helper occurs twice or is lost, or if id is not
// among the helpers. There is an error if share is not the share of id that c commits to.
func RepairParts(
	c *Commitment, n int, lost uint32, helpers []uint32, id uint32, share *koblitz.PrivateKey,
) ([]*koblitz.PrivateKey, error) {
	if err := checkSizes(c.Threshold(), n); err != nil {
		return nil, err
	}
	helpers = slices.Clone(helpers)
	if err := checkIDs(helpers, c.Threshold(), n); err != nil {
		return nil, fmt.Errorf("frost: repair: helpers: %w", err)
	}
	i := slices.Index(helpers, id)
	switch {
	case i < 0:
		return nil, fmt.Errorf("frost: repair: participant %d is not among the helpers", id)
	case slices.Contains(helpers, lost):
		return nil, fmt.Errorf("frost: repair: participant %d is a helper of its own", lost)
	case uint64(lost) >= uint64(n):
		return nil, fmt.Errorf("frost: repair: participant %d, want less than %d", lost, n)
	}
	if err := c.Check(id, share); err != nil {
		return nil, err
	}
	var rest, part group.Scalar
	defer rest.Zeroize()
	defer part.Zeroize()
	if _, err := rest.SetPrivateKey(share); err != nil {
		return nil, fmt.Errorf("frost: repair: secret share: %w", err)
	}
	// Seen from the lost share's abscissa, the value at 0 is the lost share.
	x := make([]*group.Scalar, len(helpers))
	for j, helper := range helpers {
		x[j] = abscissa(helper)
		x[j].Sub(x[j], abscissa(lost))
	}
	lambda, err := group.Lagrange(x)
	if err != nil {
		return nil, fmt.Errorf("frost: repair: %w", err)
	}
	rest.Mul(&rest, lambda[i])
	parts := make([]*koblitz.PrivateKey, len(helpers))
	for j := range parts {
		// The last part is the rest. It is 0 with negligible probability.
		if part.Set(&rest); j < len(parts)-1 {
			r := group.RandomScalar()
			part.Set(r)
			r.Zeroize()
		}
		rest.Sub(&rest, &part)
		var err error
		if parts[j], err = part.PrivateKey(); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// AddParts returns the sum of the parts of a repair. It returns an error if a part holds no key, or
// if the sum is 0. The time does not depend on the parts.
func AddParts(parts []*koblitz.PrivateKey) (*koblitz.PrivateKey, error) {
	var sum, part group.Scalar
	defer sum.Zeroize()
	defer part.Zeroize()
	for i, p := range parts {
		if _, err := part.SetPrivateKey(p); err != nil {
			return nil, fmt.Errorf("frost: repair: part %d: %w", i, err)
		}
		sum.Add(&sum, &part)
	}
	return sum.PrivateKey()
}
