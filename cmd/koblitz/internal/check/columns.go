package check

import (
	"context"
	"slices"

	"golang.org/x/crypto/sha3"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// columns are rows of one scheme as a struct of arrays: of each row the digest
// (32 bytes), the key (ECDSA 33, BIP-340 32, none for recovery) and the
// signature (64 bytes, for recovery 65).
type columns struct {
	digests, keys, sigs []byte
	n                   int

	verdicts []batch.Verdict
	found    []byte // recovery: keys of 65 bytes
}

// add appends a row and returns its number.
func (c *columns) add(digest, key, sig []byte) int {
	c.digests = append(c.digests, digest...)
	c.keys = append(c.keys, key...)
	c.sigs = append(c.sigs, sig...)
	c.n++
	return c.n - 1
}

// row returns the fields of row i.
func (c *columns) row(i int) (digest [32]byte, key, sig []byte) {
	at := func(b []byte) []byte { return b[i*(len(b)/c.n) : (i+1)*(len(b)/c.n)] }
	return [32]byte(at(c.digests)), at(c.keys), at(c.sigs)
}

func (c *columns) reset() {
	c.digests, c.keys, c.sigs, c.n = c.digests[:0], c.keys[:0], c.sigs[:0], 0
}

// prepare makes room for the results.
func (c *columns) prepare(width int) {
	c.verdicts = slices.Grow(c.verdicts[:0], c.n)[:c.n]
	clear(c.verdicts)
	c.found = slices.Grow(c.found[:0], c.n*width)[:c.n*width]
}

// A many verifies all rows of columns at once and leaves a verdict for each;
// recovery leaves a key too where that is Valid. Rows that were not reached
// before ctx was done are Unchecked.
type many interface {
	ecdsa(ctx context.Context, c *columns)
	schnorr(ctx context.Context, c *columns)
	recover(ctx context.Context, c *columns)
}

// batches is package batch on the goroutine of the caller: the check has workers
// of its own.
type batches struct{}

func (batches) ecdsa(ctx context.Context, c *columns) {
	r := batch.ECDSARows{Hashes: batch.Packed(c.digests, 32), Keys: batch.Packed(c.keys, 33), Signatures: batch.Packed(c.sigs, 64)}
	_, err := r.Verify(ctx, c.verdicts, batch.Workers(1))
	mustFit(ctx, err)
}

func (batches) schnorr(ctx context.Context, c *columns) {
	r := batch.SchnorrRows{Messages: batch.Packed(c.digests, 32), Keys: batch.Packed(c.keys, 32), Signatures: batch.Packed(c.sigs, 64)}
	_, err := r.Verify(ctx, c.verdicts, batch.Workers(1))
	mustFit(ctx, err)
}

func (batches) recover(ctx context.Context, c *columns) {
	r := batch.RecoverRows{Hashes: batch.Packed(c.digests, 32), Signatures: batch.Packed(c.sigs, 65)}
	_, err := r.Recover(ctx, c.found, c.verdicts, batch.Workers(1))
	mustFit(ctx, err)
}

// mustFit: an error that is not the context's is one of columns that do not fit
// together.
func mustFit(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		panic(err)
	}
}

func (w *worker) verifyBlocks(ctx context.Context) {
	if c := &w.blocks[rows.ECDSA]; c.n > 0 {
		c.prepare(0)
		w.many.ecdsa(ctx, c)
	}
	if c := &w.blocks[rows.Schnorr]; c.n > 0 {
		c.prepare(0)
		w.many.schnorr(ctx, c)
	}
	if c := &w.blocks[rows.Recover]; c.n > 0 {
		c.prepare(65)
		w.many.recover(ctx, c)
	}
}

// rowResult is the result of an entry that was verified with others. What is not
// valid is verified once more on the single road, which says why.
func (w *worker) rowResult(e *entry) result {
	c := &w.blocks[e.scheme]
	switch c.verdicts[e.row] {
	case batch.Unchecked:
		return result{}
	case batch.Valid:
		if e.scheme == rows.Recover {
			return compareSender(e.sender, w.v.address(c.found[e.row*65:][:65]))
		}
		return result{verdict: rows.Valid}
	}
	digest, key, sig := c.row(e.row)
	u := rows.Unit{Scheme: e.scheme, Compact: true, Signatures: []rows.Signature{{Digest: digest, Sig: sig}}, Keys: [][]byte{key}, Sender: e.sender}
	return w.v.verify(&u)[0]
}

// address is the Ethereum address of a key of 65 bytes: the end of the
// Keccak-256 of its two coordinates.
func (v *verifier) address(key []byte) (a [20]byte) {
	if v.keccak == nil {
		v.keccak = sha3.NewLegacyKeccak256()
	}
	v.keccak.Reset()
	v.keccak.Write(key[1:])
	v.sum = v.keccak.Sum(v.sum[:0])
	copy(a[:], v.sum[12:])
	return a
}
