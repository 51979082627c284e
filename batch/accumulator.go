package batch

import (
	"context"
	"errors"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/keys"
)

// An accumulator holds the parsed signatures of a batch. It does not know of which
// kind they are: the methods of Schnorr and ECDSA say so with every call, so that
// a zero value cannot be of the wrong kind.
type accumulator struct {
	self    *accumulator // where the accumulator was first used
	options options
	rows    engine.Batch
}

// maxCapacity bounds what is allocated on a caller's word alone.
const maxCapacity = 1 << 16

// start prepares an accumulator of a kind that New returns.
func (b *accumulator) start(kind engine.Kind, capacity int, o options) {
	b.self = b
	b.options = o
	b.rows.Reserve(kind, min(max(capacity, 0), maxCapacity))
}

// used is called first by every method, on an accumulator that is not nil. A copy of an
// accumulator has the rows of the original in its memory, where either would overwrite what the
// other has added; so a copy that is used panics, as a strings.Builder does.
func (b *accumulator) used() {
	if b.self == nil {
		b.self = b
	} else if b.self != b {
		panic("batch: use of a copied accumulator")
	}
}

// next returns a row to set, at the end of the others. It is malformed until it is set.
func (b *accumulator) next() engine.Row {
	b.used()
	return b.rows.Next()
}

var (
	errNil       = errors.New("batch: a nil accumulator")
	errNoneAdded = errors.New("batch: no signature was added")
)

// The methods below also take a nil accumulator.

func (b *accumulator) len() int {
	if b == nil {
		return 0
	}
	b.used()
	return b.rows.Len()
}

func (b *accumulator) reset() {
	if b != nil {
		b.used()
		b.rows.Reset()
	}
}

// verify reports whether all rows are valid.
func (b *accumulator) verify(ctx context.Context, kind engine.Kind) (bool, error) {
	if b == nil {
		return false, errNil
	}
	b.used()
	if b.rows.Len() == 0 {
		return false, errNoneAdded
	}
	return b.rows.Verify(crew.Context(ctx), kind, b.options.engine())
}

// verifyEach gives every row its verdict.
func (b *accumulator) verifyEach(
	ctx context.Context, kind engine.Kind, verdicts []Verdict,
) ([]Verdict, error) {
	if b == nil {
		return nil, errNil
	}
	b.used()
	n := b.rows.Len()
	verdicts = slices.Grow(verdicts[:0], n)[:n]
	buffer := takeVerdicts(n)
	defer putVerdicts(buffer)
	err := b.rows.VerifyEach(crew.Context(ctx), kind, *buffer, b.options.engine())
	copyVerdicts(verdicts, *buffer)
	return verdicts, err
}

// Schnorr accumulates BIP-340 signatures on messages of any length. The zero value
// is an empty accumulator, ready to use. It must not be used by several goroutines
// at a time, and must not be copied once it was used: to use such a copy panics. A nil
// accumulator stays empty, and its Verify and VerifyEach return an error.
type Schnorr struct{ schnorr accumulator }

// NewSchnorr returns an empty accumulator with room for about capacity
// signatures; it grows when more are added. It takes less than 200 bytes a
// signature, 130 more once a device has been used ([On]), and nothing of what Add is
// given is kept.
func NewSchnorr(capacity int, opts ...NewSchnorrOption) *Schnorr {
	b := new(Schnorr)
	b.schnorr.start(engine.Schnorr, capacity, gather(opts))
	return b
}

// Add adds a signature of 64 bytes. It will be Valid if [schnorr.Verify] is true
// of the same, Malformed if key is nil or a zero value, if sig is not 64 bytes
// long or one half of it is out of range, and Invalid otherwise.
func (b *Schnorr) Add(key *koblitz.XOnlyPublicKey, msg, sig []byte) {
	if b == nil {
		return
	}
	row := b.schnorr.next()
	row.SetKey((*keys.XOnly)(key).Affine(), nil)
	row.SetSchnorr(msg, sig)
}

// AddBytes adds a signature of 64 bytes under the key that 32 bytes encode, which
// is cheaper than parsing the key first: the batch does it for all keys at a
// time. A key that koblitz.NewXOnlyPublicKey refuses makes the signature
// Malformed.
func (b *Schnorr) AddBytes(key32, msg, sig64 []byte) {
	if b == nil {
		return
	}
	row := b.schnorr.next()
	setKeyX(row, key32)
	row.SetSchnorr(msg, sig64)
}

func (b *Schnorr) inner() *accumulator {
	if b == nil {
		return nil
	}
	return &b.schnorr
}

// Len returns how many signatures have been added.
func (b *Schnorr) Len() int { return b.inner().len() }

// Reset removes all signatures, and keeps the memory for others.
func (b *Schnorr) Reset() { b.inner().reset() }

// Verify reports whether all signatures are valid. It may stop at the first that is not;
// VerifyEach says which are. If no signature was added it returns an error and no answer: a
// caller that may have none asks Len first. If ctx is done before there is an answer, it returns
// the error of ctx.
//
// Unless the accumulator is [Exact], it takes one equation for all of them where that
// pays (BIP-340, "Batch Verification"), a random linear combination with coefficients
// of 128 bits that are derived from a hash of all keys, messages and signatures. If
// all are valid the answer is always true. If one is not, it is false but for a
// probability of 2^-128, which no choice of signatures improves;
// docs/batch-soundness.md has the argument.
func (b *Schnorr) Verify(ctx context.Context) (bool, error) {
	return b.inner().verify(ctx, engine.Schnorr)
}

// VerifyEach gives every signature its verdict, in the order in which they were
// added. It overwrites verdicts[:Len()] and returns it, or another slice if there
// is not the room. If ctx is done before all have theirs, the others are Unchecked,
// and its error is returned.
//
// It takes the equation of Verify for large parts of the batch, and verifies the
// signatures of a part for which it does not hold one by one; malformed ones have no
// part in it. So a good batch of a thousand or more takes little longer than Verify,
// one of less than a few hundred as long as verifying each, and one with bad
// signatures, however many and wherever, at most 1.2 times as long (as measured, on one
// core) as verifying as many good ones each.
func (b *Schnorr) VerifyEach(ctx context.Context, verdicts []Verdict) ([]Verdict, error) {
	return b.inner().verifyEach(ctx, engine.Schnorr, verdicts)
}

// ECDSA accumulates ECDSA signatures on hashes of 20 bytes or more. The zero value is
// an empty accumulator, ready to use. It must not be used by several goroutines at a
// time, and must not be copied once it was used: to use such a copy panics. A nil
// accumulator stays empty, and its Verify and VerifyEach return an error.
type ECDSA struct{ ecdsa accumulator }

// NewECDSA returns an empty accumulator with room for about capacity signatures;
// it grows when more are added. It takes less than 200 bytes a signature, 130 more
// once a device has been used ([On]), and nothing of what Add is given is kept.
func NewECDSA(capacity int, opts ...NewECDSAOption) *ECDSA {
	b := new(ECDSA)
	b.ecdsa.start(engine.ECDSA, capacity, gather(opts))
	return b
}

// Add adds a signature. It will be Valid if [ecdsa.Verify] is true of the same
// ([ecdsa.VerifyLowS] with [LowS]), Malformed if the key or the signature is nil
// or a zero value or the hash shorter than 20 bytes, and Invalid otherwise.
func (b *ECDSA) Add(key *koblitz.PublicKey, hash []byte, sig *ecdsa.Signature) {
	if b == nil {
		return
	}
	row := b.ecdsa.next()
	row.SetKey((*keys.Public)(key).Affine(), nil)
	setSignature(row, hash, sig, b.ecdsa.options.lowS)
}

// AddBytes adds a signature of 64 bytes, as for ecdsa.ParseSignature, under the
// key that 33 or 65 bytes encode. With 33 bytes that is cheaper than parsing the
// key first: the batch does it for all keys at a time. A key or a signature that
// cannot be parsed makes the row Malformed, and so does a hash shorter than 20 bytes.
func (b *ECDSA) AddBytes(key, hash, sig64 []byte) {
	if b == nil {
		return
	}
	row := b.ecdsa.next()
	setKey(row, key)
	setBytes(row, hash, sig64, b.ecdsa.options.lowS)
}

// AddRecoverable adds a signature with its recovery id, 65 bytes as
// ecdsa.SignRecoverable makes them. The verdict is that of its first 64 bytes as
// Add would give it, or Malformed if the id is above 3. Signatures with right ids have
// part in equations, which makes the batch faster, and one with a wrong id makes it
// slower.
func (b *ECDSA) AddRecoverable(key *koblitz.PublicKey, hash, sig65 []byte) {
	if b == nil {
		return
	}
	row := b.ecdsa.next()
	row.SetKey((*keys.Public)(key).Affine(), nil)
	setRecoverable(row, hash, sig65, b.ecdsa.options.lowS)
}

// AddRecoverableBytes is AddRecoverable with a key of 33 or 65 bytes, which is
// parsed as AddBytes does it.
func (b *ECDSA) AddRecoverableBytes(key, hash, sig65 []byte) {
	if b == nil {
		return
	}
	row := b.ecdsa.next()
	setKey(row, key)
	setRecoverable(row, hash, sig65, b.ecdsa.options.lowS)
}

// setRecoverable sets a signature of 65 bytes in a row that has its key.
func setRecoverable(row engine.Row, hash, sig65 []byte, lowS bool) {
	if len(sig65) != 65 {
		row.SetMalformed()
		return
	}
	row.SetECDSARecoverable(hash, (*[65]byte)(sig65), lowS)
}

func (b *ECDSA) inner() *accumulator {
	if b == nil {
		return nil
	}
	return &b.ecdsa
}

// Len returns how many signatures have been added.
func (b *ECDSA) Len() int { return b.inner().len() }

// Reset removes all signatures, and keeps the memory for others.
func (b *ECDSA) Reset() { b.inner().reset() }

// Verify reports whether all signatures are valid, as [Schnorr.Verify] does. Those that
// were added with AddRecoverable or AddRecoverableBytes have part in an equation,
// with the same probability of error. If it does not hold, the signatures are
// verified without ids: one wrong id makes Verify take up to twice as long as no ids
// at all. For VerifyEach there is the bound of [Schnorr.VerifyEach].
func (b *ECDSA) Verify(ctx context.Context) (bool, error) {
	return b.inner().verify(ctx, engine.ECDSA)
}

// VerifyEach gives every signature its verdict, as [Schnorr.VerifyEach] does. Those
// that were added with AddRecoverable or AddRecoverableBytes have part in equations.
func (b *ECDSA) VerifyEach(ctx context.Context, verdicts []Verdict) ([]Verdict, error) {
	return b.inner().verifyEach(ctx, engine.ECDSA, verdicts)
}

// setKeyX sets the key that 32 bytes encode.
func setKeyX(row engine.Row, key32 []byte) {
	if len(key32) != 32 {
		row.SetMalformed()
		return
	}
	row.SetKeyX((*[32]byte)(key32))
}

// setKey sets the key that 33 or 65 bytes encode.
func setKey(row engine.Row, key []byte) {
	switch len(key) {
	case 33:
		row.SetKeyCompressed((*[33]byte)(key))
	case 65:
		row.SetKeyUncompressed((*[65]byte)(key))
	default:
		row.SetMalformed()
	}
}

// setBytes sets a signature of 64 bytes in a row that has its key.
func setBytes(row engine.Row, hash, sig64 []byte, lowS bool) {
	if len(sig64) != 64 {
		row.SetMalformed()
		return
	}
	row.SetECDSA(hash, (*[64]byte)(sig64), lowS)
}

// setSignature sets a signature that was parsed, in a row that has its key.
func setSignature(row engine.Row, hash []byte, sig *ecdsa.Signature, lowS bool) {
	// A zero value has the bytes of zeros, which are malformed.
	var b [64]byte
	r, s := sig.R(), sig.S()
	copy(b[:32], r[:])
	copy(b[32:], s[:])
	row.SetECDSA(hash, &b, lowS)
}
