package frost

import (
	"context"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/msm"
)

// A polynomial shares its constant term (Shamir's secret sharing): the share of participant id is
// its value at id + 1. The coefficients are secret. The first is the constant term.
type polynomial []*group.Scalar

// newPolynomial returns a random polynomial with the given constant term and t coefficients. The
// polynomial keeps a copy of the constant term.
func newPolynomial(constant *group.Scalar, t int) polynomial {
	p := polynomial{new(group.Scalar).Set(constant)}
	for len(p) < t {
		p = append(p, group.RandomScalar())
	}
	return p
}

// share returns the share of participant id by Horner's method. It returns an error if the share is
// 0, which a random polynomial gives with negligible probability.
func (p polynomial) share(id uint32) (*koblitz.PrivateKey, error) {
	x := abscissa(id)
	var s group.Scalar
	defer s.Zeroize()
	for k := len(p) - 1; k >= 0; k-- {
		s.Add(s.Mul(&s, x), p[k])
	}
	return s.PrivateKey()
}

// commitment returns the commitment to the polynomial. It returns an error if a coefficient is 0.
func (p polynomial) commitment() (*Commitment, error) {
	c := &Commitment{make([]group.Point, len(p))}
	for k := range p {
		public, err := publicKey(p[k])
		if err != nil {
			return nil, err
		}
		if _, err := c.points[k].SetPublicKey(public); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (p polynomial) zeroize() {
	for _, a := range p {
		a.Zeroize()
	}
}

// publicKey returns s·G, which becomes public. It returns an error if s is 0.
func publicKey(s *group.Scalar) (*koblitz.PublicKey, error) {
	k, err := s.PrivateKey()
	if err != nil {
		return nil, err
	}
	defer k.Zeroize()
	return k.PublicKey(), nil
}

// abscissa returns the number at which participant id's share is the value of the polynomial.
func abscissa(id uint32) *group.Scalar { return new(group.Scalar).SetUint64(uint64(id) + 1) }

// checkSizes returns an error unless 1 ≤ t ≤ n, and identifiers below n fit in 32 bits.
func checkSizes(t, n int) error {
	if t < 1 || t > n || uint64(n) >= 1<<32 {
		return fmt.Errorf("frost: threshold %d of %d participants, want 1 ≤ t ≤ n < 2^32", t, n)
	}
	return nil
}

// checkIDs returns an error unless there are t to n identifiers, all below n. Equal ones are found
// by group.Lagrange.
func checkIDs(ids []uint32, t, n int) error {
	if len(ids) < t || len(ids) > n {
		return fmt.Errorf("%d, want %d to %d", len(ids), t, n)
	}
	for i, id := range ids {
		if uint64(id) >= uint64(n) {
			return fmt.Errorf("index %d: identifier %d, want less than %d", i, id, n)
		}
	}
	return nil
}

// A Commitment is a public commitment to the polynomial that shares a secret: the products of its
// coefficients and G (Feldman's verifiable secret sharing; RFC 9591, appendix C.2). From it follow
// the public key of the secret and every participant's public share. The zero value commits to
// nothing, and its methods return errors.
type Commitment struct {
	points []group.Point // none is the identity
}

var errNoCommitment = errors.New("frost: commitment: it has no points")

// ParseCommitment decodes a commitment: 33 bytes for each point, the constant term first. It
// returns an error if there are no points, or if one is not a compressed point of the curve other
// than the identity. The time depends on b.
func ParseCommitment(b []byte) (*Commitment, error) {
	if len(b) == 0 || len(b)%group.PointSize != 0 {
		return nil, fmt.Errorf("frost: commitment: %d bytes, want 33 for each point", len(b))
	}
	c := &Commitment{make([]group.Point, len(b)/group.PointSize)}
	for k := range c.points {
		if err := parsePoint(&c.points[k], b[group.PointSize*k:][:group.PointSize]); err != nil {
			return nil, fmt.Errorf("frost: commitment: point %d: %w", k, err)
		}
	}
	return c, nil
}

// parsePoint sets p to the point that b encodes, and returns an error if it is the identity.
func parsePoint(p *group.Point, b []byte) error {
	if _, err := p.SetBytes(b); err != nil {
		return err
	}
	if p.IsIdentity() {
		return errors.New("the identity")
	}
	return nil
}

// Bytes returns the encoding of c, 33 bytes for each point. It is empty if c commits to nothing.
func (c *Commitment) Bytes() []byte {
	var b []byte
	for k := range c.Threshold() {
		b = c.points[k].AppendBytes(b)
	}
	return b
}

// Threshold returns the number of shares that determine the secret, or 0 if c commits to nothing.
func (c *Commitment) Threshold() int {
	if c == nil {
		return 0
	}
	return len(c.points)
}

// PublicKey returns the public key of the shared secret: the threshold public key, if c commits to
// the polynomial of a group of signers.
func (c *Commitment) PublicKey() (*koblitz.PublicKey, error) {
	if c.Threshold() == 0 {
		return nil, errNoCommitment
	}
	return c.points[0].PublicKey()
}

// PublicShare returns the public share of participant id: the value in the exponent of the
// polynomial at id + 1. It returns an error if c commits to nothing, or if the share is the
// identity. The time depends on c and id.
func (c *Commitment) PublicShare(id uint32) (*koblitz.PublicKey, error) {
	if c.Threshold() == 0 {
		return nil, errNoCommitment
	}
	powers := make([]group.Scalar, len(c.points))
	powers[0].SetUint64(1)
	x := abscissa(id)
	for k := range powers[1:] {
		powers[k+1].Mul(&powers[k], x)
	}
	sum, err := msm.SumVartime(context.Background(), powers, c.points, nil)
	if err != nil {
		return nil, err
	}
	return sum.PublicKey()
}

// Check returns nil if share is participant id's secret share of the secret that c commits to. The
// time depends on c and id, and not on the share.
func (c *Commitment) Check(id uint32, share *koblitz.PrivateKey) error {
	want, err := c.PublicShare(id)
	if err != nil {
		return err
	}
	if share.IsZero() {
		return fmt.Errorf("frost: share of participant %d: %w", id, koblitz.ErrZeroKey)
	}
	if !share.PublicKey().Equal(want) {
		return fmt.Errorf("frost: share of participant %d: not the share that the commitment gives", id)
	}
	return nil
}
