//ct:public takes public rows

package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/keys"
)

// An accumulator holds the signatures of a batch. The methods of Schnorr and ECDSA pass the
// kind of the signatures with every call, so that a zero value cannot have the wrong kind.
type accumulator struct {
	self    *accumulator // the address of the accumulator at its first use
	options Options
	rows    engine.Records
}

// start prepares a new accumulator, with room for capacity rows, but at first for at most 65,536.
func (b *accumulator) start(capacity int, o *Options) {
	b.self = b
	if o != nil {
		b.options = *o
	}
	b.rows.Reserve(min(max(capacity, 0), 1<<16))
}

// used returns b. Every method of Schnorr and ECDSA calls it first. It panics if b is a copy of an
// accumulator, as a strings.Builder does: the copy shares memory with the original, and each would
// overwrite rows that the other has added.
func (b *accumulator) used() *accumulator {
	if b.self == nil {
		b.self = b
	} else if b.self != b {
		//layers:allow a wrong program; a verdict could be overwritten
		panic("batch: use of a copied accumulator")
	}
	return b
}

var errNil = errors.New("batch: a nil accumulator")

// verify sets the verdict of every row, and returns the number of Valid rows.
func (b *accumulator) verify(
	ctx context.Context, kind engine.Kind, rules device.Rules, verdicts []Verdict,
) (valid int, err error) {
	if n := b.rows.Len(); len(verdicts) != n {
		return 0, fmt.Errorf("batch: %d verdicts, want %d, one for each signature that was added",
			len(verdicts), n)
	}
	o := b.options.engine(len(verdicts))
	valid, err = b.rows.Verify(forkjoin.Context(ctx), kind, rules, verdicts, o)
	b.options.setReasons(o.Reasons)
	return valid, err
}

// verifyAll reports whether all rows are valid.
func (b *accumulator) verifyAll(
	ctx context.Context, kind engine.Kind, rules device.Rules,
) (bool, error) {
	if b.rows.Len() == 0 {
		return false, errors.New("batch: no signature was added")
	}
	return b.rows.VerifyAll(forkjoin.Context(ctx), kind, rules, b.options.engine(0))
}

// Schnorr accumulates BIP-340 signatures on messages of any length. The zero value is an empty
// accumulator without options, ready to use. Only one goroutine at a time may use it. A copy of an
// accumulator that has been used panics when it is used. A nil accumulator stays empty, and its
// Verify and VerifyAll return an error.
type Schnorr struct{ schnorr accumulator }

// NewSchnorr returns an empty accumulator with room for about capacity signatures. It grows when
// more are added. A signature takes 163 bytes of memory. The accumulator keeps no reference to the
// arguments of Add and AddBytes.
func NewSchnorr(capacity int, o *Options) *Schnorr {
	b := new(Schnorr)
	b.schnorr.start(capacity, o)
	return b
}

// Add adds a 64-byte signature. Its verdict is Valid if [schnorr.Verify] returns true for the same
// arguments. It is Malformed if key is nil or a zero value, if sig is not 64 bytes long, if the
// first half of sig is not below p, or if the second half is not below n. Otherwise it is Invalid.
func (b *Schnorr) Add(key *koblitz.XOnlyPublicKey, msg, sig []byte) {
	row := b.inner().rows.Add()
	row.SetKey((*keys.XOnly)(key).Affine())
	row.SetSchnorr(msg, sig, nil)
}

// AddBytes adds the 64-byte signature sig64 under the 32-byte encoding key32 of an x-only key. That
// is cheaper than parsing the key first, because the batch decodes many keys together. If
// koblitz.ParseXOnlyPublicKey returns an error for the key, the signature is Malformed.
func (b *Schnorr) AddBytes(key32, msg, sig64 []byte) {
	row := b.inner().rows.Add()
	row.SetKeyX(key32)
	row.SetSchnorr(msg, sig64, nil)
}

// inner returns the accumulator of b. If b is nil, it returns a new empty one for this call alone.
func (b *Schnorr) inner() *accumulator {
	if b == nil {
		return new(accumulator)
	}
	return b.schnorr.used()
}

// Len returns the number of signatures that have been added.
func (b *Schnorr) Len() int { return b.inner().rows.Len() }

// Reset removes all signatures, and keeps the memory for later ones.
func (b *Schnorr) Reset() { b.inner().rows.Reset() }

// Verify sets the verdict of every signature, in the order in which they were added, and returns
// the number of Valid ones. verdicts must have Len elements. Otherwise Verify returns an error and
// writes nothing. If ctx is done first, Verify returns the error of ctx, and the verdicts of
// signatures that were not reached are Unchecked.
//
// Verify computes the equation of VerifyAll for large parts of the batch. If the equation of a part
// does not hold, Verify verifies the signatures of that part one by one. Malformed signatures take
// part in no equation. A batch of a thousand valid signatures or more takes little longer than
// VerifyAll, and a batch of less than a few hundred takes as long as verifying each signature
// alone. A batch with bad signatures takes at most 1.2 times as long (as measured, on one core) as
// verifying the same number of valid signatures one by one.
func (b *Schnorr) Verify(ctx context.Context, verdicts []Verdict) (valid int, err error) {
	if b == nil {
		return 0, errNil
	}
	return b.inner().verify(ctx, engine.Schnorr, 0, verdicts)
}

// VerifyAll reports whether all signatures are valid. It may stop at the first signature that is
// not; call Verify to find out which signatures are invalid. If no signature has been added,
// VerifyAll returns an error and no answer: a caller whose batch may be empty checks Len first. If
// ctx is done first, VerifyAll returns the error of ctx.
//
// Unless Options.Exact is set, VerifyAll verifies one equation for each 4,096 signatures where that
// is faster (BIP-340, "Batch Verification"). The equation is a random linear combination whose
// coefficients have 128 bits and are derived from a hash of its keys, messages and signatures. If
// all signatures are valid the answer is always true. If one is not, the answer is false except
// with a probability of 2^-128, which no choice of signatures increases (docs/batch-soundness.md).
func (b *Schnorr) VerifyAll(ctx context.Context) (bool, error) {
	if b == nil {
		return false, errNil
	}
	return b.inner().verifyAll(ctx, engine.Schnorr, 0)
}

// ECDSA accumulates ECDSA signatures on hashes of 20 bytes or more. [NewECDSA] returns an
// accumulator. The zero value has no rule for s: like a nil accumulator, it stays empty, and its
// Verify and VerifyAll return an error. Only one goroutine at a time may use an accumulator. A copy
// of an accumulator that has been used panics when it is used.
type ECDSA struct {
	ecdsa accumulator
	s     SRule
}

// NewECDSA returns an empty accumulator, as [NewSchnorr] does. If the rule s is neither AnyS nor
// LowS, the accumulator keeps no signature, and its Verify and VerifyAll return an error.
func NewECDSA(capacity int, s SRule, o *Options) *ECDSA {
	b := &ECDSA{s: s}
	b.ecdsa.start(capacity, o)
	return b
}

// Add adds a signature on a hash. Its verdict is Valid if [ecdsa.Verify] returns true for the same
// arguments ([ecdsa.VerifyLowS] under the rule LowS). It is Malformed if the key or the signature
// is nil or a zero value, or if the hash is shorter than 20 bytes. Otherwise it is Invalid.
func (b *ECDSA) Add(key *koblitz.PublicKey, hash []byte, sig *ecdsa.Signature) {
	row := b.inner().rows.Add()
	row.SetKey((*keys.Public)(key).Affine())
	setSignature(row, hash, sig)
}

// AddBytes adds a signature on a hash, with the key and the signature encoded. sig64 has 64 bytes,
// as for ecdsa.ParseSignature, and key has 33 or 65. With 33 bytes, AddBytes is cheaper than
// parsing the key first, because the batch decodes many keys together. The signature is Malformed
// if the key or the signature cannot be parsed, or if the hash is shorter than 20 bytes.
func (b *ECDSA) AddBytes(key, hash, sig64 []byte) {
	row := b.inner().rows.Add()
	row.SetEncodedKey(key)
	row.SetECDSA(hash, sig64)
}

// AddRecoverable adds a signature with its recovery id: 65 bytes as ecdsa.SignRecoverable returns
// them. The verdict is Malformed if the id is above 3. Otherwise it is the verdict that Add gives
// the first 64 bytes. Signatures with the right id take part in equations, which makes the batch
// faster. A wrong id makes the batch slower.
func (b *ECDSA) AddRecoverable(key *koblitz.PublicKey, hash, sig65 []byte) {
	row := b.inner().rows.Add()
	row.SetKey((*keys.Public)(key).Affine())
	row.SetECDSARecoverable(hash, sig65)
}

// AddRecoverableBytes works like AddRecoverable, with an encoded key of 33 or 65 bytes.
func (b *ECDSA) AddRecoverableBytes(key, hash, sig65 []byte) {
	row := b.inner().rows.Add()
	row.SetEncodedKey(key)
	row.SetECDSARecoverable(hash, sig65)
}

// inner returns the accumulator of b. If b is nil or has no rule for s, it returns a new empty one
// for this call alone.
func (b *ECDSA) inner() *accumulator {
	if _, err := b.rules(); err != nil {
		return new(accumulator)
	}
	return b.ecdsa.used()
}

// Len returns the number of signatures that have been added.
func (b *ECDSA) Len() int { return b.inner().rows.Len() }

// Reset removes all signatures, and keeps the memory for later ones.
func (b *ECDSA) Reset() { b.inner().rows.Reset() }

// Verify sets the verdict of every signature, as [Schnorr.Verify] does. Only signatures added with
// AddRecoverable or AddRecoverableBytes take part in equations.
func (b *ECDSA) Verify(ctx context.Context, verdicts []Verdict) (valid int, err error) {
	rules, err := b.rules()
	if err != nil {
		return 0, err
	}
	return b.inner().verify(ctx, engine.ECDSA, rules, verdicts)
}

// VerifyAll reports whether all signatures are valid, as [Schnorr.VerifyAll] does. Signatures added
// with AddRecoverable or AddRecoverableBytes take part in an equation, with the same probability of
// error as for Schnorr. If the equation does not hold, VerifyAll verifies each signature without
// its id, so a single wrong id makes VerifyAll take up to twice as long as it takes without ids.
// Verify keeps the time bound of [Schnorr.Verify].
func (b *ECDSA) VerifyAll(ctx context.Context) (bool, error) {
	rules, err := b.rules()
	if err != nil {
		return false, err
	}
	return b.inner().verifyAll(ctx, engine.ECDSA, rules)
}

// rules returns the rules of a call, or an error if b is nil or was made without a rule for s.
func (b *ECDSA) rules() (device.Rules, error) {
	if b == nil {
		return 0, errNil
	}
	return b.s.rules()
}

// setSignature sets a parsed signature in a row whose key is set.
func setSignature(row *engine.Record, hash []byte, sig *ecdsa.Signature) {
	// A nil signature and the zero value have r = s = 0, which is malformed.
	r, s := (*keys.Signature)(sig).Numbers()
	row.SetECDSANumbers(hash, r, s)
}
