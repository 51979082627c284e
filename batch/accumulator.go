package batch

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/keys"
)

// An accumulator holds the parsed signatures of a batch. It does not know of which
// kind they are: the methods of Schnorr and ECDSA say so with every call, so that
// a zero value cannot be of the wrong kind.
type accumulator struct {
	self    *accumulator // where the accumulator was first used
	options options
	rows    []engine.Row
	memory  engine.Memory
}

// maxCapacity bounds what is allocated on a caller's word alone.
const maxCapacity = 1 << 16

// start prepares an accumulator that New returns.
func (b *accumulator) start(capacity int, opts []Option) {
	b.self = b
	b.options = gather(opts)
	b.rows = make([]engine.Row, 0, min(max(capacity, 0), maxCapacity))
}

// used is called first by every method. A copy of an accumulator has the rows of
// the original in its memory, where either would overwrite what the other has
// added; so a copy that is used panics, as a strings.Builder does.
func (b *accumulator) used() {
	if b.self == nil {
		b.self = b
	} else if b.self != b {
		panic("batch: use of a copied accumulator")
	}
}

// next returns a row to set, at the end of the others. It holds nothing yet.
func (b *accumulator) next() *engine.Row {
	b.used()
	b.rows = append(b.rows, engine.Row{})
	return &b.rows[len(b.rows)-1]
}

// Len returns how many signatures have been added.
func (b *accumulator) Len() int {
	b.used()
	return len(b.rows)
}

// reset removes all rows, and keeps their memory.
func (b *accumulator) reset() {
	b.used()
	b.rows = b.rows[:0]
}

// verify reports whether all rows are valid. It may stop at the first that is not.
func (b *accumulator) verify(kind engine.Kind) bool {
	if slices.ContainsFunc(b.rows, func(r engine.Row) bool { return r.Verdict() != engine.Unchecked }) {
		return false
	}
	return b.verifyRows(kind, b.rows, nil)
}

// verifyRows verifies rows exactly, into verdicts, or until one is not valid if
// that is nil. It reports whether all are.
func (b *accumulator) verifyRows(kind engine.Kind, rows []engine.Row, verdicts []Verdict) bool {
	r := accumulated{rows: rows, verdicts: verdicts}
	memory := b.options.memory
	if memory == nil {
		memory = &b.memory
	}
	err := engine.Run(context.Background(), kind, len(rows), b.options.workers, memory, &r)
	return err == nil && !r.bad.Load()
}

// room returns verdicts[:Len()], all of them Unchecked, or another slice if
// verdicts has not the room.
func (b *accumulator) room(verdicts []Verdict) []Verdict {
	verdicts = slices.Grow(verdicts[:0], len(b.rows))[:len(b.rows)]
	clear(verdicts)
	return verdicts
}

// Schnorr accumulates BIP-340 signatures on messages of any length. The zero value
// is an empty accumulator, ready to use. It must not be used by several goroutines
// at a time, and must not be copied once it was used: to use such a copy panics.
type Schnorr struct {
	accumulator
	pending  pending
	equation engine.Equation
}

// NewSchnorr returns an empty accumulator with room for about capacity
// signatures; it grows when more are added. It takes less than 200 bytes a
// signature, and nothing of what Add is given is kept.
func NewSchnorr(capacity int, opts ...Option) *Schnorr {
	b := new(Schnorr)
	b.start(capacity, opts)
	return b
}

// Add adds a signature of 64 bytes. It will be Valid if [schnorr.Verify] is true
// of the same, Malformed if key is nil or a zero value, if sig is not 64 bytes
// long or one half of it is out of range, and Invalid otherwise.
func (b *Schnorr) Add(key *koblitz.XOnlyPublicKey, msg, sig []byte) {
	row := b.next()
	row.SetKey((*keys.XOnly)(key).Affine(), nil)
	b.setSignature(row, msg, sig)
}

// AddBytes adds a signature of 64 bytes under the key that 32 bytes encode, which
// is cheaper than parsing the key first: the batch does it for all keys at a
// time. A key that koblitz.NewXOnlyPublicKey refuses makes the signature
// Malformed.
func (b *Schnorr) AddBytes(key32, msg, sig64 []byte) {
	row := b.next()
	if len(key32) != 32 {
		row.SetMalformed()
		return
	}
	row.SetKeyX((*[32]byte)(key32))
	b.setSignature(row, msg, sig64)
}

// setSignature sets the signature in the last row, which has its key.
func (b *Schnorr) setSignature(row *engine.Row, msg, sig []byte) {
	if len(msg) != 32 || len(sig) != 64 {
		setSchnorr(row, msg, sig)
		return
	}
	if row.SetSchnorrSignature((*[64]byte)(sig)) {
		b.pending.add(b.rows, len(b.rows)-1, (*[32]byte)(msg))
	}
}

// Reset removes all signatures, and keeps the memory for others.
func (b *Schnorr) Reset() {
	b.reset()
	b.pending.n = 0
}

// setSchnorr sets a signature in a row that has its key.
func setSchnorr(row *engine.Row, msg, sig []byte) {
	if len(sig) != 64 {
		row.SetMalformed()
		return
	}
	row.SetSchnorr(msg, (*[64]byte)(sig))
}

// ECDSA accumulates ECDSA signatures on hashes of any length. The zero value is an
// empty accumulator, ready to use. It must not be used by several goroutines at a
// time, and must not be copied once it was used: to use such a copy panics.
type ECDSA struct {
	accumulator
	equation    engine.Equation
	recoverable int // how many have a recovery id
}

// NewECDSA returns an empty accumulator with room for about capacity signatures;
// it grows when more are added. It takes less than 200 bytes a signature, and
// nothing of what Add is given is kept.
func NewECDSA(capacity int, opts ...Option) *ECDSA {
	b := new(ECDSA)
	b.start(capacity, opts)
	return b
}

// Add adds a signature. It will be Valid if [ecdsa.Verify] is true of the same
// ([ecdsa.VerifyLowS] with [LowS]), Malformed if the key or the signature is nil
// or a zero value, and Invalid otherwise.
func (b *ECDSA) Add(key *koblitz.PublicKey, hash []byte, sig *ecdsa.Signature) {
	row := b.next()
	row.SetKey((*keys.Public)(key).Affine(), nil)
	setSignature(row, hash, sig, b.options.lowS)
}

// AddBytes adds a signature of 64 bytes, as for ecdsa.ParseSignature, under the
// key that 33 or 65 bytes encode. With 33 bytes that is cheaper than parsing the
// key first: the batch does it for all keys at a time. A key or a signature that
// cannot be parsed makes the row Malformed.
func (b *ECDSA) AddBytes(key, hash, sig64 []byte) {
	row := b.next()
	setKey(row, key)
	if len(sig64) != 64 {
		row.SetMalformed()
		return
	}
	row.SetECDSA(hash, (*[64]byte)(sig64), b.options.lowS)
}

// setKey sets the key that 33 or 65 bytes encode.
func setKey(row *engine.Row, key []byte) {
	switch len(key) {
	case 33:
		row.SetKeyCompressed((*[33]byte)(key))
	case 65:
		row.SetKeyUncompressed((*[65]byte)(key))
	default:
		row.SetMalformed()
	}
}

// setSignature sets a signature that was parsed, in a row that has its key.
func setSignature(row *engine.Row, hash []byte, sig *ecdsa.Signature, lowS bool) {
	// A zero value has the bytes of zeros, which are malformed.
	var b [64]byte
	r, s := sig.R(), sig.S()
	copy(b[:32], r[:])
	copy(b[32:], s[:])
	row.SetECDSA(hash, &b, lowS)
}
