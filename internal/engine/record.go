package engine

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A Record is one signature that waits to be verified with others: copies of the caller's bytes,
// which are not parsed. Its fields are those of the columns of a call, one after another. Set the
// key and then the signature. A record is malformed until both are set.
type Record [recordSize]byte

// These are the places of a record's fields.
const (
	recordKey   = 0               // 65 bytes, the first of which says what follows
	recordHash  = recordKey + 65  // 32 bytes: the hash, the message, or the challenge
	recordSig   = recordHash + 32 // 64 bytes
	recordID    = recordSig + 64  // the recovery id, if the flag hasID is set
	recordState = recordID + 1    // flags of the record
	recordSize  = recordState + 1
)

// The first byte of a record's key is 2, 3 or 4, as in the encodings of SEC 1, or one of these
// numbers, which no encoding has.
const (
	noKey    = 0    // there is no key
	wrongKey = 1    // the key's encoding had a wrong length or first byte
	knownKey = 0xff // both coordinates of a point of the curve follow
)

// These are the flags of a record.
const (
	isSet       = 1 << iota // the signature is set
	hasID                   // the signature has a recovery id
	isChallenge             // the field hash holds the challenge, not the message
	wrongLength             // the signature had a wrong length
	shortHash               // the hash was shorter than hash.MinSize
)

func (r *Record) key() *[65]byte  { return (*[65]byte)(r[recordKey:]) }
func (r *Record) hash() *[32]byte { return (*[32]byte)(r[recordHash:]) }
func (r *Record) sig() *[64]byte  { return (*[64]byte)(r[recordSig:]) }

// SetKey sets the key p, a point of the curve with canonical coordinates. The row is malformed if p
// is nil.
func (r *Record) SetKey(p *point.Affine) {
	*r = Record{}
	if p != nil {
		putUncompressed(r.key(), p)
		r[recordKey] = knownKey
	}
}

// SetKeyX sets the key of BIP-340 with the x coordinate b (lift_x).
func (r *Record) SetKeyX(b []byte) {
	*r = Record{wrongKey}
	if len(b) == 32 {
		r[recordKey] = 0x02
		copy(r[recordKey+1:], b)
	}
}

// SetEncodedKey sets the key with the encoding b: 33 bytes, compressed, or 65, uncompressed (SEC 1
// version 2, section 2.3.4).
func (r *Record) SetEncodedKey(b []byte) {
	*r = Record{wrongKey}
	if len(b) == 33 || len(b) == 65 {
		copy(r.key()[:], b)
		if head := r[recordKey]; len(b) == 33 && head&^1 != 0x02 || len(b) == 65 && head != 0x04 {
			r[recordKey] = wrongKey
		}
	}
}

// SetSchnorr sets a BIP-340 signature on a message of any length. A message that does not have 32
// bytes is hashed at once, in parts: before each part SetSchnorr calls next, unless that is nil,
// and if next returns an error, it stops and returns the error. The row is malformed if sig is not
// 64 bytes long.
func (r *Record) SetSchnorr(msg, sig []byte, next func() error) error {
	state := byte(isSet)
	switch {
	case len(sig) != 64:
		state |= wrongLength
	case len(msg) == 32:
		copy(r.sig()[:], sig)
		copy(r.hash()[:], msg)
	case r[recordKey] > wrongKey:
		state |= isChallenge
		copy(r.sig()[:], sig)
		e, nonce, key := r.hash(), (*[32]byte)(r[recordSig:]), (*[32]byte)(r[recordKey+1:])
		if next == nil {
			hash.Challenge(e, nonce, key, msg)
		} else if err := hash.ChallengeInParts(e, nonce, key, msg, next); err != nil {
			return err
		}
	}
	r[recordState] = state
	return nil
}

// SetECDSA sets a signature on the hash h: 64 bytes, r and s, big-endian. A hash of any length
// becomes a number as in SEC 1 version 2, section 4.1.3, step 5. The row is malformed if the hash
// is shorter than [hash.MinSize], or if sig has another length.
func (r *Record) SetECDSA(h, sig []byte) {
	state := byte(isSet)
	if len(sig) == 64 {
		copy(r.sig()[:], sig)
	} else {
		state |= wrongLength
	}
	r.setHash(h, state)
}

// SetECDSANumbers sets a signature like SetECDSA, but takes its numbers r (the parameter rr) and s.
func (r *Record) SetECDSANumbers(h []byte, rr, s *scalar.Scalar) {
	rr.PutBytes((*[32]byte)(r.sig()[:32]))
	s.PutBytes((*[32]byte)(r.sig()[32:]))
	r.setHash(h, isSet)
}

// SetECDSARecoverable sets a signature as SetECDSA does, and its recovery id. sig is r, s and the
// id, 65 bytes. The row is also malformed if the id is above 3. An id from 0 to 3 changes no
// verdict, but an equation holds only if all its rows have the right id.
func (r *Record) SetECDSARecoverable(h, sig []byte) {
	if len(sig) != 65 {
		r.SetECDSA(h, nil)
		return
	}
	r[recordID] = sig[64] // first, because this may panic, and SetECDSA marks the record as set
	r.SetECDSA(h, sig[:64])
	r[recordState] |= hasID
}

// setHash sets the hash of an ECDSA signature, and the flags of the record.
func (r *Record) setHash(h []byte, state byte) {
	if len(h) < hash.MinSize {
		state |= shortHash
	} else {
		var z scalar.Scalar
		dsa.SetHash(&z, h)
		z.PutBytes(r.hash())
	}
	r[recordState] = state
}

// WithoutKey returns KeyMissing if the record has no key or its signature is not set, KeyEncoding
// if the key had a wrong length or first byte, and otherwise NoReason.
func (r *Record) WithoutKey() Reason {
	switch {
	case r[recordState]&isSet == 0 || r[recordKey] == noKey:
		return KeyMissing
	case r[recordKey] == wrongKey:
		return KeyEncoding
	}
	return NoReason
}

// parseKey sets the key of an empty row.
func (r *Record) parseKey(to *row) {
	switch key, why := r.key(), r.WithoutKey(); {
	case why != NoReason:
		to.refuse(why)
	case key[0] == knownKey:
		to.setCoordinates((*[64]byte)(key[1:]))
	case key[0] == 0x04:
		to.setUncompressedKey(key)
	default:
		to.setCompressedKey((*[33]byte)(key[:]))
	}
}

// IsValid reports whether the record is a valid signature of a kind under the rules, without other
// rows. It takes as long as the functions of packages schnorr and ecdsa.
func (r *Record) IsValid(kind Kind, rules device.Rules) bool {
	c := columns{Call: device.Call{Rules: rules, Columns: recordColumns(r[:])}, records: true}
	var w row
	if kind == ECDSA {
		parseECDSA(&c, &w, 0)
	} else {
		parseBIP340(&c, &w, 0)
	}
	if !w.isUndecided() ||
		w.lift && !w.p.LiftXVartime(&w.p.X, ct.Choice(r[recordKey]&1)).Bool() {
		return false
	}
	if kind == ECDSA {
		return dsa.Verify(&w.b, &w.d, &w.a, &w.p, nil)
	}
	if w.unhashed {
		w.hash()
	}
	var R point.Jacobian
	vartime.DoubleScalarMult(&R, &w.a, &w.b, &w.p)
	return vartime.EvenWithX(&R, &w.x)
}

// Records are signatures of one kind in the order in which they were added. The zero value is
// empty. Only one goroutine at a time may use Records, but a call of its methods may start several
// workers.
type Records struct{ bytes []byte }

// Len returns the number of records.
func (b *Records) Len() int { return len(b.bytes) / recordSize }

// Reset removes all records and keeps their memory for later ones.
func (b *Records) Reset() { b.bytes = b.bytes[:0] }

// Wipe removes all records and clears their memory, except memory that Add or Reserve has replaced.
// It is not inlined, because the compiler would then remove the stores as dead.
//
//go:noinline
func (b *Records) Wipe() {
	clear(b.bytes[:cap(b.bytes)])
	b.Reset()
}

// Reserve makes room for n more records.
func (b *Records) Reserve(n int) {
	if size := len(b.bytes) + n*recordSize; size > cap(b.bytes) {
		b.bytes = append(make([]byte, 0, size), b.bytes...)
	}
}

// Add adds a record and returns it to be set, before the next call of Add. A record that is not set
// is malformed. The caller may panic before it has set the record, for example if its arguments are
// in a mapped file that became shorter, and recover. An incomplete record must not be valid:
// without a hash or a challenge, anyone can make a signature for it.
func (b *Records) Add() *Record {
	n := len(b.bytes)
	b.bytes = slices.Grow(b.bytes, recordSize)[:n+recordSize]
	r := (*Record)(b.bytes[n:])
	*r = Record{}
	return r
}

// record returns record i of columns that are fields of Records. Columns[1] begins at the key, the
// first field of a record.
func (c *columns) record(i int) *Record { return (*Record)(c.Columns[1].Data[i*recordSize:]) }

// any reports whether the flag has the value set in any record.
func (c *columns) any(flag byte, set bool) bool {
	for i := range c.Rows {
		if (c.record(i)[recordState]&flag != 0) == set {
			return true
		}
	}
	return false
}

// isRefused reports whether the record has no key or no signature, or a field with a wrong length.
// A recovery id above 3 counts as well, because the column of ids may be missing.
func (r *Record) isRefused() bool {
	state := r[recordState]
	return r.WithoutKey() != NoReason || state&(wrongLength|shortHash) != 0 ||
		state&hasID != 0 && r[recordID] > 3
}

// challenge sets e to the challenge of a BIP-340 signature.
func (r *Record) challenge(e *[32]byte) {
	if r[recordState]&isChallenge != 0 {
		*e = *r.hash()
		return
	}
	hash.Challenge(e, (*[32]byte)(r[recordSig:]), (*[32]byte)(r[recordKey+1:]), r.hash()[:])
}

// recordColumns returns the fields of records as the columns of a call.
func recordColumns(records []byte) [4]device.Column {
	return [4]device.Column{
		{Data: records[recordHash:], Stride: recordSize},
		{Data: records[recordKey:], Stride: recordSize},
		{Data: records[recordSig:], Stride: recordSize},
		{Data: records[recordID:], Stride: recordSize},
	}
}

// columns returns the records as the columns of a call. The column of recovery ids is missing if no
// record has one.
func (b *Records) columns(kind Kind, rules device.Rules, o Options) *columns {
	call := device.Call{Kind: kind, Rules: rules, Rows: b.Len(), Columns: recordColumns(b.bytes)}
	c := newColumns(&call, o)
	c.records = true
	if !c.any(hasID, true) {
		c.Columns[3] = device.Column{}
	}
	return c
}

// Verify sets the verdict of every record, as [Do] does for the rows of a call, and returns the
// number of Valid ones.
func (b *Records) Verify(
	ctx context.Context, kind Kind, rules device.Rules, verdicts []Verdict, o Options,
) (valid int, err error) {
	if b.Len() == 0 {
		return 0, nil
	}
	c := b.columns(kind, rules, o)
	c.Verdicts = verdicts
	return c.do(ctx)
}

// VerifyAll reports whether all records are valid, as [All] does for the rows of a call. There must
// be at least one record.
func (b *Records) VerifyAll(
	ctx context.Context, kind Kind, rules device.Rules, o Options,
) (bool, error) {
	return b.columns(kind, rules, o).all(ctx)
}

// VerifyTogether sets the verdict of every record on one goroutine, by one equation for all records
// that have one if it saves time. If the equation does not hold, or if Exact is set, it verifies
// each record. It returns the number of records in the equation, or 0 if there was none, and
// whether the equation holds. There must be at least one record.
func (b *Records) VerifyTogether(
	ctx context.Context, kind Kind, rules device.Rules, verdicts []Verdict, o Options,
) (tried int, held bool, err error) {
	o.Workers = 1
	c := b.columns(kind, rules, o)
	c.Verdicts = verdicts
	if o.Exact {
		_, err = c.do(ctx)
		return 0, false, err
	}
	chunk := takeChunk()
	defer keepChunk(chunk)
	chunk.parse(c, nil)
	if tried, held, err = chunk.tryEquation(ctx, c, chunk.rows, nil); err == nil {
		_, err = chunk.verifyEach(ctx, c, chunk.rows)
	}
	c.store(chunk.rows, 0)
	return tried, held, err
}

// HoldTogether reports whether one equation holds for all records. If an equation would save no
// time, HoldTogether returns false without computing one. There must be at least one record.
//
// A signature that a fault has made wrong can reveal the key. So if HoldTogether returns false, no
// later call gets the memory into which it has parsed the records.
func (b *Records) HoldTogether(kind Kind, rules device.Rules) bool {
	c, chunk := b.columns(kind, rules, Options{Workers: 1}), takeChunk()
	chunk.parse(c, nil)
	tried, held, _ := chunk.tryEquation(context.Background(), c, chunk.rows, nil)
	if !held || tried < c.Rows {
		return false
	}
	keepChunk(chunk)
	return true
}
