package halfagg

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/x/internal/modn"
)

var errInvalid = errors.New("halfagg: the aggregate is not valid for the statements")

// VerifyAggregate returns nil if the aggregate is valid for the statements (VerifyAggregate of
// BIP-458). Their order matters. It returns an error if the length of the aggregate is wrong, if
// its sum is not below n, if a nonce or a key is not the x coordinate of a point, or if the
// equation
//
//	s·G = Σ zᵢ·(Rᵢ + eᵢ·Pᵢ)
//
// does not hold. Rᵢ and Pᵢ are the points of nonce and key i with even y coordinates, eᵢ is the
// challenge of BIP-340, and zᵢ the randomizer of BIP-458. Only a failed parse names a statement: an
// invalid aggregate does not show which signature was bad.
func VerifyAggregate(aggregate []byte, statements []Statement) error {
	var e equation
	var one group.Scalar
	if err := e.add(context.Background(), aggregate, statements, one.SetUint64(1)); err != nil {
		return err
	}
	return e.verify(context.Background(), 0)
}

// A Claim says that an aggregate is valid for a list of statements.
type Claim struct {
	Aggregate  []byte
	Statements []Statement
}

// claimsUnit is the number of statements at which an equation takes no further claim. It limits the
// memory of an equation for small claims.
const claimsUnit = 4096

// VerifyEach sets verdicts[i] for each claim, and returns the number of Valid ones. A claim is
// Valid if VerifyAggregate returns nil for it. It is Malformed if the length of the aggregate is
// wrong, if its sum is not below n, or if a nonce or a key is not the x coordinate of a point.
// Otherwise it is Invalid.
//
// VerifyEach verifies one equation for many claims, with random factors of 128 bits from
// crypto/rand. It calls an Invalid claim Valid with a probability of 2⁻¹²⁸, and never a Valid one
// Invalid. If an equation does not hold, or if a nonce or a key is not the x coordinate of a point,
// VerifyEach verifies its claims one by one. A bad claim so costs all claims of its equation the
// advantage of verifying them together, which is greatest for small aggregates. At most workers
// goroutines work at a time; below 1, the limit is runtime.GOMAXPROCS(0).
//
// There is an error, before anything is written, if the numbers of claims and verdicts differ. If
// ctx is done first, VerifyEach returns its error and the number of Valid verdicts until then; the
// claims without a verdict are Unchecked. A nil ctx never ends.
func VerifyEach(
	ctx context.Context, claims []Claim, verdicts []batch.Verdict, workers int,
) (valid int, err error) {
	if len(claims) != len(verdicts) {
		return 0, fmt.Errorf("halfagg: %d verdicts for %d claims", len(verdicts), len(claims))
	}
	if ctx == nil {
		ctx = context.Background()
	}
	ctx = &remembering{Context: ctx}
	clear(verdicts)
	for rest := verdicts; err == nil && len(claims) > 0; {
		n, statements := 0, 0
		for n < len(claims) && statements < claimsUnit {
			statements += len(claims[n].Statements)
			n++
		}
		err = verifyTogether(ctx, claims[:n], rest[:n], workers)
		claims, rest = claims[n:], rest[n:]
	}
	for _, v := range verdicts {
		if v == batch.Valid {
			valid++
		}
	}
	return valid, err
}

// A remembering context stays ended once its Err has returned an error. Package context demands
// that of every context. But of one that forgets, a valid claim could be called Malformed.
type remembering struct {
	context.Context
	ended atomic.Pointer[error]
}

func (c *remembering) Err() error {
	if err := c.Context.Err(); err != nil {
		c.ended.CompareAndSwap(nil, &err)
	}
	if first := c.ended.Load(); first != nil {
		return *first
	}
	return nil
}

// verifyTogether sets the verdicts of claims by one equation for all of them. If the equation does
// not hold, each claim has its own.
func verifyTogether(
	ctx context.Context, claims []Claim, verdicts []batch.Verdict, workers int,
) error {
	var together equation
	var verified []int // indices of the claims in together
	for i, c := range claims {
		if err := ctx.Err(); err != nil {
			return err
		}
		var factor group.Scalar
		err := together.add(ctx, c.Aggregate, c.Statements, modn.RandomFactor(&factor))
		switch {
		case err == nil:
			verified = append(verified, i)
		case ctx.Err() != nil:
			return ctx.Err()
		default:
			verdicts[i] = batch.Malformed
		}
	}
	err := together.verify(ctx, workers)
	for j, i := range verified {
		each := err
		if err != nil && len(verified) > 1 && ctx.Err() == nil {
			each = together.part(j).verify(ctx, workers)
		}
		switch {
		case each == nil:
			verdicts[i] = batch.Valid
		case ctx.Err() != nil:
			return ctx.Err()
		case each == errInvalid:
			verdicts[i] = batch.Invalid
		default:
			verdicts[i] = batch.Malformed
		}
	}
	return nil
}

// An equation is a sum of products that is the identity if all its claims are valid:
//
//	Σ w·(Σ zᵢ·(Rᵢ + eᵢ·Pᵢ) − s·G)
//
// with a factor w for each claim.
type equation struct {
	keys    []byte         // Rᵢ and Pᵢ in turn, each as 33 bytes
	scalars []byte         // their factors, 32 bytes each
	bases   []group.Scalar // by claim, its factor of G
	ends    []int          // by claim, the number of statements of the claims up to it
}

// statementsPerLook is the number of statements that are hashed between two looks at the context.
// It takes some milliseconds.
const statementsPerLook = 1024

// add adds a claim, with the factor w. It returns an error if the length or the sum of the
// aggregate is wrong. If ctx is done first, add returns its error, and e is lost.
func (e *equation) add(
	ctx context.Context, aggregate []byte, statements []Statement, w *group.Scalar,
) error {
	s, err := parseSum(aggregate, len(statements))
	if err != nil {
		return err
	}
	factors := newRandomizers()
	for i := range statements {
		if i%statementsPerLook == statementsPerLook-1 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		signed := factors.add(nonce(aggregate, i), statements[i])
		var z, ze group.Scalar
		z.Mul(factors.current(&z), w)
		ze.Mul(&z, challenge(&ze, signed))
		e.keys = append(append(append(e.keys, 2), signed[:32]...), 2)
		e.keys = append(e.keys, signed[32:64]...)
		e.scalars = ze.AppendBytes(z.AppendBytes(e.scalars))
	}
	e.bases = append(e.bases, *s.Negate(s.Mul(s, w)))
	e.ends = append(e.ends, len(e.keys)/66)
	return nil
}

// part returns the equation of claim i alone.
func (e *equation) part(i int) *equation {
	start, end := 0, e.ends[i]
	if i > 0 {
		start = e.ends[i-1]
	}
	return &equation{
		keys:    e.keys[66*start : 66*end],
		scalars: e.scalars[64*start : 64*end : 64*end], // verify appends to it
		bases:   e.bases[i : i+1],
	}
}

// challenge sets e to the challenge of BIP-340 for the nonce, key and message in signed, and
// returns e.
func challenge(e *group.Scalar, signed *[96]byte) *group.Scalar {
	var input [160]byte
	tag := sha256.Sum256([]byte("BIP0340/challenge"))
	copy(input[:], tag[:])
	copy(input[32:], tag[:])
	copy(input[64:], signed[:])
	digest := sha256.Sum256(input[:])
	return modn.Reduce(e, &digest)
}

// verify returns nil if the sum is the identity.
func (e *equation) verify(ctx context.Context, workers int) error {
	n := len(e.keys) / 33
	points, verdicts := make([]byte, 65*(n+1)), make([]batch.Verdict, n)
	rows := batch.KeyRows{Keys: batch.Packed(e.keys, 33)}
	found, err := rows.Decompress(ctx, points[:65*n], verdicts, &batch.Options{Workers: workers})
	if err != nil {
		return err
	}
	if found < n {
		bad := slices.Index(verdicts, batch.Malformed)
		return fmt.Errorf("halfagg: statement %d: %s: not the x coordinate of a point",
			bad/2, [2]string{"nonce", "key"}[bad%2])
	}
	var generator group.Point
	k, err := generator.SetGenerator().PublicKey()
	if err != nil {
		return err
	}
	copy(points[65*n:], k.UncompressedBytes())
	for i := range n + 1 {
		copy(points[64*i:64*i+64], points[65*i+1:]) // without the first byte of the encoding
	}
	var base group.Scalar
	for i := range e.bases {
		base.Add(&base, &e.bases[i])
	}
	sum, err := msm.PackedSumVartime(ctx, base.AppendBytes(e.scalars), points[:64*(n+1)],
		&msm.Options{Workers: workers})
	if err != nil {
		return err
	}
	if !sum.IsIdentity() {
		return errInvalid
	}
	return nil
}
