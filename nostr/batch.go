package nostr

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/koblitz-go/koblitz/batch"
)

// A Batch collects events and verifies their ids and signatures in one call. It is faster than
// [Event.Verify] for each event. A Batch uses its memory again after Reset. Only one goroutine may
// use it at a time; several batches may be used at the same time.
type Batch struct {
	options *batch.Options
	parser  copyParser

	errs    []error // one for each row
	rows    []int   // rows with an event
	records []byte  // id, public key and signature of each event, recordSize bytes
	texts   []byte  // serializations
	ends    []int   // end of each event's serialization in texts

	messages [][]byte
	digests  [][32]byte
	verdicts []batch.Verdict
	reasons  []batch.Reason
}

const recordSize = sha256.Size + 32 + 64

// errUnchecked is the error of a row before Verify has reached it.
var errUnchecked = errors.New("nostr: not verified yet")

// NewBatch returns an empty batch with memory for capacity events. Options limit the goroutines
// that verify signatures and may name a device; nil is allowed. Options.Reasons is not used: Err
// returns the reason of every row.
func NewBatch(capacity int, o *batch.Options) *Batch {
	capacity = max(capacity, 0)
	return &Batch{options: o, errs: make([]error, 0, capacity), rows: make([]int, 0, capacity),
		records: make([]byte, 0, recordSize*capacity), ends: make([]int, 0, capacity)}
}

// Len returns the number of rows.
func (b *Batch) Len() int { return len(b.errs) }

// Reset removes all rows.
func (b *Batch) Reset() {
	b.errs, b.rows, b.records = b.errs[:0], b.rows[:0], b.records[:0]
	b.texts, b.ends = b.texts[:0], b.ends[:0]
}

// Add parses the JSON of one event and adds a row for it. It keeps no part of text. If text is not
// an event, Add returns the *ParseError, and the row is Malformed.
func (b *Batch) Add(text []byte) error {
	err := b.parser.read(text)
	if err != nil {
		b.errs = append(b.errs, err)
	} else {
		b.AddParsed(&b.parser.Parser)
	}
	return err
}

// AddParsed adds a row for the event that p's last call of Next has read. If that call has read no
// event, the row is Malformed.
func (b *Batch) AddParsed(p *Parser) {
	if p.text == nil {
		b.errs = append(b.errs, errors.New("nostr: no event was read"))
		return
	}
	b.texts = p.AppendSerialized(b.texts)
	b.add(p.id[:], p.key[:], p.sig[:])
}

// AddEvent adds a row for e. If the content or a tag is not UTF-8, the row is Malformed.
func (b *Batch) AddEvent(e *Event) {
	if err := e.checkText(); err != nil {
		b.errs = append(b.errs, err)
		return
	}
	read := *e // the key that is hashed must be the key that verifies
	b.texts = read.appendSerialized(b.texts)
	b.add(read.ID[:], read.PubKey[:], read.Sig[:])
}

// add adds a row for the event with the serialization that was appended to b.texts last.
func (b *Batch) add(id, key, sig []byte) {
	b.rows = append(b.rows, len(b.errs))
	b.errs = append(b.errs, errUnchecked)
	b.records = append(append(append(b.records, id...), key...), sig...)
	b.ends = append(b.ends, len(b.texts))
}

// Verify verifies all rows. It sets verdicts[i] to the verdict of row i and returns the number of
// valid rows. verdicts must have one element for each row. An event with an id that is not its hash
// is Invalid. A text that is not an event is Malformed, and so is an event with a public key or a
// signature that encodes nothing (BIP-340).
//
// If ctx is done early, Verify returns its error, and rows that were not reached are Unchecked. A
// nil context is never done.
func (b *Batch) Verify(ctx context.Context, verdicts []batch.Verdict) (valid int, err error) {
	if len(verdicts) != len(b.errs) {
		return 0, errors.New("nostr: the number of verdicts is not the number of rows")
	}
	for i := range verdicts {
		verdicts[i] = batch.Malformed
	}
	if ctx == nil {
		ctx = context.Background()
	}
	n := len(b.rows)
	if n == 0 {
		return 0, ctx.Err()
	}
	b.messages = b.messages[:0]
	begin := 0
	for _, end := range b.ends {
		b.messages = append(b.messages, b.texts[begin:end])
		begin = end
	}
	b.digests = batch.AppendSHA256(b.digests[:0], b.messages)
	b.verdicts = slices.Grow(b.verdicts[:0], n)[:n]
	clear(b.verdicts)
	var o batch.Options
	if b.options != nil {
		o = *b.options
	}
	o.Reasons = &b.reasons
	_, err = batch.SchnorrRows{
		Messages:   batch.Strided(b.records, 32, recordSize),
		Keys:       batch.EncodedKeys(batch.Strided(b.records[32:], 32, recordSize)),
		Signatures: batch.Strided(b.records[64:], 64, recordSize),
	}.Verify(ctx, b.verdicts, &o)
	for i, row := range b.rows {
		v, e := b.verdicts[i], error(nil)
		switch {
		case [32]byte(b.records[recordSize*i:]) != b.digests[i]:
			v, e = batch.Invalid, ErrID
		case v == batch.Valid:
			valid++
		case v == batch.Unchecked:
			e = errUnchecked
		default:
			e = signatureError(b.reasons[i])
		}
		verdicts[row], b.errs[row] = v, e
	}
	return valid, err
}

// Err returns nil if the last call of Verify found row i valid. Otherwise it returns the reason:
// the *ParseError of Add, ErrID, an error that wraps ErrSignature, or another error.
func (b *Batch) Err(i int) error { return b.errs[i] }

// VerifyJSON verifies many events in one call: it sets verdicts[i] to the verdict of the event that
// has the JSON texts[i], as [Batch] does, and returns the number of valid events.
func VerifyJSON(ctx context.Context, texts [][]byte, verdicts []batch.Verdict, o *batch.Options) (
	valid int, err error) {
	b := NewBatch(len(texts), o)
	for _, text := range texts {
		b.Add(text)
	}
	return b.Verify(ctx, verdicts)
}
