package frost

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A Repair computes the share of a participant who has lost it (Laing and Stinson, "A Survey and
// Refinement of Repairable Threshold Schemes", section 4.2). The helpers are other participants, at
// least as many as the threshold. The helpers and the participant each call NewRepair with the same
// arguments.
//
//  1. Each helper calls Parts and sends part j to helpers[j].
//  2. Each helper adds the parts that it got, with AddParts, and sends the sum to the participant.
//  3. The participant adds the sums with Share.
//
// All channels must be confidential and authenticated.
//
// An attacker with fewer shares than the threshold learns nothing about the others, even if it
// gives different arguments to different helpers. A helper adds exactly one part from each helper,
// and only parts that name its own arguments, so that all honest terms in a sum are for one share
// and one list. A corrupted helper can name arguments falsely, but then it only adds a number that
// the attacker knows. The random parts of the honest helpers cancel only in the sum of all their
// terms, which is the lost share less the terms of the corrupted helpers.
//
// A Repair holds no secret. The zero value is no repair, and its methods return errors.
type Repair struct {
	commitment *Commitment
	n          int
	lost       uint32
	helpers    []uint32
	lambda     []*group.Scalar // by helper, the Lagrange coefficient
	digest     [32]byte        // of the arguments
}

var errNoRepair = errors.New("frost: repair: nil or a zero value")

// NewRepair returns the repair of participant lost's share. c is the commitment of the group of n
// participants. Both must come from the key generation, and not from another participant.
//
// With fewer helpers than the threshold, or with helpers outside the group, the parts would give
// away the share of an honest helper. So there is an error if there are fewer than c.Threshold()
// helpers, if a helper or lost is not below n, or if a helper occurs twice or is lost.
func NewRepair(c *Commitment, n int, lost uint32, helpers []uint32) (*Repair, error) {
	if err := checkSizes(c.Threshold(), n); err != nil {
		return nil, err
	}
	helpers = slices.Clone(helpers)
	if err := checkIDs(helpers, c.Threshold(), n); err != nil {
		return nil, fmt.Errorf("frost: repair: helpers: %w", err)
	}
	switch {
	case slices.Contains(helpers, lost):
		return nil, fmt.Errorf("frost: repair: participant %d is a helper of its own", lost)
	case uint64(lost) >= uint64(n):
		return nil, fmt.Errorf("frost: repair: participant %d, want less than %d", lost, n)
	}
	r := &Repair{commitment: c, n: n, lost: lost, helpers: helpers}
	input := binary.BigEndian.AppendUint64(nil, uint64(n))
	input = binary.BigEndian.AppendUint32(input, lost)
	input = binary.BigEndian.AppendUint64(input, uint64(len(helpers)))
	// The abscissas are shifted so that the lost share is the polynomial's value at 0.
	x := make([]*group.Scalar, len(helpers))
	for j, helper := range helpers {
		input = binary.BigEndian.AppendUint32(input, helper)
		x[j] = abscissa(helper)
		x[j].Sub(x[j], abscissa(lost))
	}
	r.digest = schnorr.TaggedHash("koblitz/frost/repair", input, c.Bytes())
	var err error
	if r.lambda, err = group.Lagrange(x); err != nil { // two are equal
		return nil, fmt.Errorf("frost: repair: helpers: %w", err)
	}
	return r, nil
}

// index returns the position of a helper.
func (r *Repair) index(id uint32) (int, error) {
	if r == nil || r.commitment == nil {
		return 0, errNoRepair
	}
	i := slices.Index(r.helpers, id)
	if i < 0 {
		return 0, fmt.Errorf("frost: repair: participant %d is not among the helpers", id)
	}
	return i, nil
}

// A RepairPart is a secret message of a repair: a part of a helper's term for another helper, or
// the sum of the parts for the participant who lost its share. It also holds a hash of the
// arguments of NewRepair, its sender and its receiver. A RepairPart prints as a fixed text, and
// encoders get an error: only Bytes returns its bytes. The zero value is no part, and functions
// that take one return an error.
type RepairPart struct {
	redacted
	digest [32]byte
	secret *koblitz.PrivateKey
}

// part returns the message of one participant to another.
func (r *Repair) part(from, to uint32, secret *koblitz.PrivateKey) *RepairPart {
	ids := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, from), to)
	digest := schnorr.TaggedHash("koblitz/frost/repair/part", r.digest[:], ids)
	return &RepairPart{digest: digest, secret: secret}
}

// ParseRepairPart decodes a part or a sum of parts: a hash and a number in [1, n), 32 bytes each.
// The time does not depend on the number.
func ParseRepairPart(b []byte) (*RepairPart, error) {
	if len(b) != 64 {
		return nil, fmt.Errorf("frost: repair: part: %d bytes, want 64", len(b))
	}
	secret, err := koblitz.ParsePrivateKey(b[32:])
	if err != nil {
		return nil, fmt.Errorf("frost: repair: part: %w", err)
	}
	return &RepairPart{digest: [32]byte(b[:32]), secret: secret}, nil
}

// Bytes returns the 64 bytes that encode p, or nil if p is nil, zeroized or a zero value. They are
// secret.
func (p *RepairPart) Bytes() []byte {
	if p.isZero() {
		return nil
	}
	secret := p.secret.Bytes()
	defer clear(secret)
	return slices.Concat(p.digest[:], secret)
}

func (p *RepairPart) isZero() bool { return p == nil || p.secret.IsZero() }

// Zeroize overwrites the secret of p.
func (p *RepairPart) Zeroize() {
	if p != nil {
		p.secret.Zeroize()
	}
}

// Parts returns random parts of helper id's term of the lost share, one for each helper. share is
// the helper's secret share. The time does not depend on it.
//
// A term with another coefficient would give away a share. So Parts computes the coefficient a
// second time, and checks the sum of the parts with the commitment. There is an error if id is not
// among the helpers, if share is not the share of id that the commitment gives, or if a fault
// happened.
func (r *Repair) Parts(id uint32, share *koblitz.PrivateKey) ([]*RepairPart, error) {
	parts, err := r.split(id, share)
	if err != nil {
		return nil, err
	}
	if err := r.confirm(id, parts); err != nil {
		return nil, err
	}
	return parts, nil
}

// split returns random parts of a helper's term.
func (r *Repair) split(id uint32, share *koblitz.PrivateKey) ([]*RepairPart, error) {
	i, err := r.index(id)
	if err != nil {
		return nil, err
	}
	var rest, part group.Scalar
	defer rest.Zeroize()
	defer part.Zeroize()
	if _, err := rest.SetPrivateKey(share); err != nil {
		return nil, fmt.Errorf("frost: repair: secret share: %w", err)
	}
	rest.Mul(&rest, r.lambda[i])
	parts := make([]*RepairPart, len(r.helpers))
	for j, helper := range r.helpers {
		// The last part is the rest. It is 0 with negligible probability.
		if part.Set(&rest); j < len(parts)-1 {
			random := group.RandomScalar()
			part.Set(random)
			random.Zeroize()
		}
		rest.Sub(&rest, &part)
		secret, err := part.PrivateKey()
		if err != nil {
			return nil, err
		}
		parts[j] = r.part(id, helper, secret)
	}
	return parts, nil
}

// confirm returns an error unless the parts add up to helper id's term.
func (r *Repair) confirm(id uint32, parts []*RepairPart) error {
	again, err := NewRepair(r.commitment, r.n, r.lost, r.helpers)
	if err != nil {
		return err
	}
	i, err := again.index(id)
	if err != nil {
		return err
	}
	public, err := r.commitment.PublicShare(id)
	if err != nil {
		return err
	}
	want, err := public.TweakMul(again.lambda[i].Bytes())
	if err != nil {
		return err
	}
	sum, err := addParts(parts)
	if err != nil {
		return err
	}
	defer sum.Zeroize()
	if !sum.PublicKey().Equal(want) {
		return fmt.Errorf("frost: repair: share of participant %d: "+
			"not the share that the commitment gives, or a fault happened", id)
	}
	return nil
}

// AddParts returns the sum of the parts for helper id, which the helper sends to the participant
// who lost its share. parts[j] is the part from helpers[j], also the helper's own. The time does
// not depend on the secrets.
//
// There is an error if id is not among the helpers, or if a part is nil or a zero value. There is
// an error if a part names another sender or receiver, or other arguments of NewRepair: then an
// attacker may have given different lists to the helpers.
func (r *Repair) AddParts(id uint32, parts []*RepairPart) (*RepairPart, error) {
	if _, err := r.index(id); err != nil {
		return nil, err
	}
	sum, err := r.add(id, parts)
	if err != nil {
		return nil, err
	}
	return r.part(id, r.lost, sum), nil
}

// Share returns the lost share. sums[j] is the sum from helpers[j]. The time does not depend on the
// secrets.
//
// Errors are those of AddParts, and there is an error if the result is not the share that the
// commitment gives: then a helper has sent a wrong part or sum.
func (r *Repair) Share(sums []*RepairPart) (*koblitz.PrivateKey, error) {
	if r == nil || r.commitment == nil {
		return nil, errNoRepair
	}
	share, err := r.add(r.lost, sums)
	if err != nil {
		return nil, err
	}
	if err := r.commitment.Check(r.lost, share); err != nil {
		return nil, err
	}
	return share, nil
}

// add returns the sum of the messages from all helpers to one participant.
func (r *Repair) add(to uint32, parts []*RepairPart) (*koblitz.PrivateKey, error) {
	parts = slices.Clone(parts) // those that are judged are added
	if len(parts) != len(r.helpers) {
		return nil, fmt.Errorf("frost: repair: %d parts of %d helpers", len(parts), len(r.helpers))
	}
	for j, p := range parts {
		helper := r.helpers[j]
		if p.isZero() {
			return nil, fmt.Errorf("frost: repair: part from participant %d: nil or a zero value", helper)
		}
		if p.digest != r.part(helper, to, nil).digest {
			return nil, fmt.Errorf("frost: repair: part from participant %d: it is for another "+
				"participant, another list of helpers or another commitment", helper)
		}
	}
	return addParts(parts)
}

// addParts returns the sum of the secrets of parts.
func addParts(parts []*RepairPart) (*koblitz.PrivateKey, error) {
	var sum, part group.Scalar
	defer sum.Zeroize()
	defer part.Zeroize()
	for _, p := range parts {
		if _, err := part.SetPrivateKey(p.secret); err != nil {
			return nil, fmt.Errorf("frost: repair: %w", err)
		}
		sum.Add(&sum, &part)
	}
	return sum.PrivateKey()
}
