package frost

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/x/internal/ct"
	"github.com/koblitz-go/koblitz/x/internal/modn"
)

// A KeyGen is the state of one participant in a distributed key generation: each participant deals
// a secret of its own to all, and the shared key is the sum of all secrets (Pedersen's protocol
// with proofs of possession; Komlo and Goldberg, ePrint 2020/852, figure 1).
//
// Each method is called once, in the order of the steps. A KeyGen prints as a fixed text, and
// encoders get an error. The zero value is no key generation, and its methods return errors. Only
// one goroutine at a time may use a KeyGen.
type KeyGen struct {
	redacted
	id            uint32
	t, n          int
	context       []byte
	polynomial    func() polynomial // nil after the last step; no printer follows a function
	contribution  *Contribution
	contributions []*Contribution // of all, after the second step
	total         *Commitment     // to the sum of all polynomials, after the second step
}

var errStep = errors.New("frost: key generation: nil, a zero value, or not in this step")

// StartKeyGen begins a key generation of n participants, any t of whom will be able to sign, as the
// participant id. The participant sends KeyGen.Contribution to all others over an authenticated
// channel.
//
// The context is a name or a random number of this key generation, and the same for all
// participants. The proofs of possession hash it: Shares refuses contributions to a key generation
// with another context. With an empty context, the proofs are those of the crate frost-secp256k1.
func StartKeyGen(id uint32, t, n int, context []byte) (*KeyGen, error) {
	if err := checkSizes(t, n); err != nil {
		return nil, err
	}
	if uint64(id) >= uint64(n) {
		return nil, fmt.Errorf("frost: key generation: identifier %d, want less than %d", id, n)
	}
	secret, nonce := group.RandomScalar(), group.RandomScalar()
	defer secret.Zeroize()
	defer nonce.Zeroize()
	return startKeyGen(id, n, slices.Clone(context), newPolynomial(secret, t), nonce)
}

// startKeyGen does the work of StartKeyGen with a context and a polynomial, which it takes over,
// and with the nonce of the proof of possession.
func startKeyGen(
	id uint32, n int, context []byte, p polynomial, nonce *group.Scalar,
) (*KeyGen, error) {
	c, err := p.contribution(id, context, nonce)
	if err != nil {
		p.zeroize()
		return nil, err
	}
	secret := func() polynomial { return p }
	return &KeyGen{
		id: id, t: len(p), n: n, context: context, polynomial: secret, contribution: c,
	}, nil
}

// contribution returns the contribution of participant id.
func (p polynomial) contribution(
	id uint32, context []byte, nonce *group.Scalar,
) (*Contribution, error) {
	c := new(Contribution)
	var err error
	if c.commitment, err = p.commitment(); err != nil {
		return nil, err
	}
	r, err := publicKey(nonce)
	if err != nil {
		return nil, err
	}
	if _, err := c.r.SetPublicKey(r); err != nil {
		return nil, err
	}
	c.z.Add(nonce, c.z.Mul(p[0], c.challenge(id, context)))
	// A faulty z could reveal the constant term, so it is secret until it is verified.
	var left group.Point
	if !left.ScalarBaseMult(&c.z).Equal(c.product(id, context)) {
		c.z.Zeroize()
		return nil, errors.New("frost: key generation: the new proof is not valid: a fault happened")
	}
	z := c.z.Bytes()
	ct.Declassify(z) // the proof is public
	_, err = c.z.SetBytes(z)
	return c, err
}

// A Contribution is the message of a participant of a key generation to all others: the commitment
// to its polynomial, and a proof that it knows the constant term, which is a Schnorr signature (R,
// z). Without the proof, the last participant could cancel the secrets of all others. The zero
// value is no contribution, and KeyGen.Shares refuses it.
type Contribution struct {
	commitment *Commitment
	r          group.Point
	z          group.Scalar
}

// proofSize is the size of a proof of possession in bytes.
const proofSize = group.PointSize + group.ScalarSize

// ParseContribution decodes a contribution: 33 bytes for each point of the commitment, and the
// proof, 33 bytes of R and 32 bytes of z. It does not verify the proof. It returns an error if a
// point is not a compressed point of the curve or is the identity, or if z is not below n.
func ParseContribution(b []byte) (*Contribution, error) {
	if len(b) < proofSize {
		return nil, fmt.Errorf("frost: contribution: %d bytes, want more than %d", len(b), proofSize)
	}
	c := new(Contribution)
	proof := b[len(b)-proofSize:]
	var err error
	if c.commitment, err = ParseCommitment(b[:len(b)-proofSize]); err != nil {
		return nil, err
	}
	if err := parsePoint(&c.r, proof[:group.PointSize]); err != nil {
		return nil, fmt.Errorf("frost: contribution: R: %w", err)
	}
	if _, err := c.z.SetBytes(proof[group.PointSize:]); err != nil {
		return nil, fmt.Errorf("frost: contribution: z: %w", err)
	}
	return c, nil
}

// Bytes returns the encoding of c, or nil if c is nil or a zero value.
func (c *Contribution) Bytes() []byte {
	if c.isZero() {
		return nil
	}
	return c.z.AppendBytes(c.r.AppendBytes(c.commitment.Bytes()))
}

func (c *Contribution) isZero() bool { return c == nil || c.commitment == nil }

// challenge returns the challenge of participant id's proof. The identifier and the context bind
// the proof to the participant and the key generation, so that it is invalid for all others. The
// context comes last, after values of fixed sizes.
func (c *Contribution) challenge(id uint32, context []byte) *group.Scalar {
	input := abscissa(id).Bytes()
	input = c.r.AppendBytes(c.commitment.points[0].AppendBytes(input))
	return hashToScalar("dkg", input, context)
}

// product returns R + c·P, the product of z and G if participant id's proof is valid.
func (c *Contribution) product(id uint32, context []byte) *group.Point {
	var p group.Point
	return p.Add(&c.r, p.ScalarMultVartime(c.challenge(id, context), &c.commitment.points[0]))
}

// Contribution returns the participant's message to all others, or nil if k is nil or a zero
// value.
func (k *KeyGen) Contribution() *Contribution {
	if k == nil {
		return nil
	}
	return k.contribution
}

// Shares returns the secret shares that the participant sends to the others, by identifier, each
// over a confidential and authenticated channel. The participant keeps shares[id], the share for
// itself. contributions[j] is that of participant j.
//
// If a contribution is nil or a zero value, has another number of points than the threshold, or if
// its proof is not valid, the error is a *BlameError with all participants whose contributions are
// invalid. There is an error if contributions[id] is not k's own. There is an error if coefficients
// add up to 0, so that fewer shares than the threshold would determine the key: then a participant
// has chosen a coefficient without knowing it. After an error, Shares can be called again with
// other contributions.
func (k *KeyGen) Shares(contributions []*Contribution) ([]*koblitz.PrivateKey, error) {
	contributions = slices.Clone(contributions)
	switch {
	case k == nil || k.polynomial == nil || k.contributions != nil:
		return nil, errStep
	case len(contributions) != k.n:
		return nil, fmt.Errorf("frost: key generation: %d contributions, want %d",
			len(contributions), k.n)
	case string(contributions[k.id].Bytes()) != string(k.contribution.Bytes()):
		return nil, errors.New("frost: key generation: the participant's own contribution was changed")
	}
	if err := k.verify(contributions); err != nil {
		return nil, err
	}
	total, err := sumCommitments(contributions, k.t)
	if err != nil {
		return nil, err
	}
	shares, err := k.polynomial().shares(k.n)
	if err != nil {
		return nil, err
	}
	if err := k.polynomial().confirm(k.contribution.commitment, shares); err != nil {
		return nil, err
	}
	k.contributions, k.total = contributions, total
	return shares, nil
}

// sumCommitments returns the commitment to the sum of the polynomials. It returns an error if a
// coefficient of the sum is 0.
func sumCommitments(contributions []*Contribution, t int) (*Commitment, error) {
	sum := &Commitment{make([]group.Point, t)}
	for i := range sum.points {
		p := &sum.points[i]
		for _, c := range contributions {
			p.Add(p, &c.commitment.points[i])
		}
		if p.IsIdentity() {
			return nil, fmt.Errorf("frost: key generation: point %d of the commitments: "+
				"they add up to the identity", i)
		}
	}
	group.BatchNormalize(sum.points)
	return sum, nil
}

// verify returns an error unless all proofs are valid.
func (k *KeyGen) verify(contributions []*Contribution) error {
	blame := &BlameError{Contribution: "contribution"}
	for j, c := range contributions {
		if c.isZero() || c.commitment.Threshold() != k.t {
			blame.IDs = append(blame.IDs, uint32(j))
		}
	}
	if len(blame.IDs) > 0 {
		return blame
	}
	if holds, err := k.proofsHold(contributions); holds || err != nil {
		return err
	}
	for j, c := range contributions {
		var left group.Point
		if !left.ScalarBaseMultVartime(&c.z).Equal(c.product(uint32(j), k.context)) {
			blame.IDs = append(blame.IDs, uint32(j))
		}
	}
	return blame
}

// proofsHold reports whether all proofs are valid, by one equation:
//
//	Σ wⱼ·(Rⱼ + cⱼ·Pⱼ − zⱼ·G) = 0
//
// with random factors wⱼ of 128 bits.
func (k *KeyGen) proofsHold(contributions []*Contribution) (bool, error) {
	n := len(contributions)
	scalars, points := make([]group.Scalar, 2*n+1), make([]group.Point, 2*n+1)
	base := &scalars[2*n]
	points[2*n].SetGenerator()
	for j, c := range contributions {
		w := modn.RandomFactor(new(group.Scalar))
		var zw group.Scalar
		base.Sub(base, zw.Mul(&c.z, w))
		scalars[2*j].Set(w)
		scalars[2*j+1].Mul(c.challenge(uint32(j), k.context), w)
		points[2*j].Set(&c.r)
		points[2*j+1].Set(&c.commitment.points[0])
	}
	sum, err := msm.SumVartime(context.Background(), scalars, points, nil)
	return sum.IsIdentity(), err
}

// A KeyShare is the result of a key generation for one participant.
type KeyShare struct {
	ID         uint32
	Share      *koblitz.PrivateKey // the participant's secret share
	Commitment *Commitment         // threshold public key and public shares
	Transcript [32]byte            // a hash of all contributions
}

// Finish returns the participant's secret share. received[j] is the share that participant j has
// sent, also for j = id. It consumes the state.
//
// If a share is not the one that its sender's contribution commits to, the error is a *BlameError
// with all participants who sent such shares. Finish can be called again with other shares.
//
// All participants must compare their Transcript over an authenticated channel before they use the
// key: otherwise a participant who sends different contributions to different participants leaves
// them with shares of different keys.
func (k *KeyGen) Finish(received []*koblitz.PrivateKey) (*KeyShare, error) {
	if k == nil || k.contributions == nil {
		return nil, errStep
	}
	if len(received) != k.n {
		return nil, fmt.Errorf("frost: key generation: %d shares, want %d", len(received), k.n)
	}
	blame := &BlameError{Contribution: "share"}
	var sum, s group.Scalar
	defer sum.Zeroize()
	defer s.Zeroize()
	for j, share := range slices.Clone(received) {
		if k.contributions[j].commitment.Check(k.id, share) != nil {
			blame.IDs = append(blame.IDs, uint32(j))
			continue
		}
		if _, err := s.SetPrivateKey(share); err != nil {
			return nil, err
		}
		sum.Add(&sum, &s)
	}
	if len(blame.IDs) > 0 {
		return nil, blame
	}
	share, err := sum.PrivateKey()
	if err != nil {
		return nil, err
	}
	result := &KeyShare{k.id, share, k.total, k.transcript()}
	k.Zeroize()
	return result, nil
}

// transcript returns a hash of the sizes and all contributions.
func (k *KeyGen) transcript() (digest [32]byte) {
	h := sha256.New()
	h.Write(binary.BigEndian.AppendUint32(nil, uint32(k.n)))
	h.Write(binary.BigEndian.AppendUint32(nil, uint32(k.t)))
	for _, c := range k.contributions {
		h.Write(c.Bytes())
	}
	h.Sum(digest[:0])
	return digest
}

// Zeroize overwrites the secrets of k. Afterwards its methods return errors.
func (k *KeyGen) Zeroize() {
	if k == nil {
		return
	}
	if k.polynomial != nil {
		k.polynomial().zeroize()
	}
	*k = KeyGen{}
}
