package verify

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// columns are rows of one scheme, under one rule for s, as a struct of arrays. Each row has a
// digest of 32 bytes, a key (33 or 65 bytes for ECDSA, 32 for BIP-340, none for recovery), and a
// signature of 64 bytes (65 for recovery). All keys have the same length.
type columns struct {
	scheme  reading.Scheme
	lowS    bool
	keySize int

	digests, keys, sigs []byte
	n                   int

	verdicts []batch.Verdict
	reasons  []batch.Reason
	found    []byte // for recovery: the recovered addresses, 20 bytes a row
}

// add appends a row and returns its number.
func (c *columns) add(digest, key, sig []byte) int {
	c.digests = append(c.digests, digest...)
	c.keys = append(c.keys, key...)
	c.sigs = append(c.sigs, sig...)
	c.n++
	return c.n - 1
}

// addClaim appends a commitment as a row, and returns its number. The row has the tweak as digest,
// and as signature the output and its parity.
func (c *columns) addClaim(m *reading.Commitment) int {
	parity := byte(0)
	if m.Odd {
		parity = 1
	}
	n := c.add(m.Tweak[:], m.Key, m.Output)
	c.sigs = append(c.sigs, parity)
	return n
}

// claim returns the commitment of row i.
func (c *columns) claim(i int) reading.Commitment {
	tweak, key, output := c.row(i)
	return reading.Commitment{Key: key, Output: output[:32], Tweak: tweak, Odd: output[32] == 1}
}

// row returns the digest, key and signature of row i.
func (c *columns) row(i int) (digest [32]byte, key, sig []byte) {
	at := func(b []byte) []byte { return b[i*(len(b)/c.n) : (i+1)*(len(b)/c.n)] }
	return [32]byte(at(c.digests)), at(c.keys), at(c.sigs)
}

func (c *columns) reset() {
	c.digests, c.keys, c.sigs, c.n = c.digests[:0], c.keys[:0], c.sigs[:0], 0
}

// prepare sets the verdicts of all rows to Unchecked, without reasons.
func (c *columns) prepare() {
	c.verdicts = slices.Grow(c.verdicts[:0], c.n)[:c.n]
	c.reasons = slices.Grow(c.reasons[:0], c.n)[:c.n]
	clear(c.verdicts)
	clear(c.reasons)
}

// verify verifies all rows with package batch, and sets their verdicts and reasons. For recovery it
// also sets the addresses of Valid rows. Rows not reached before ctx is done stay Unchecked.
func (c *columns) verify(ctx context.Context, o batch.Options) {
	c.prepare()
	o.Reasons = &c.reasons
	s := batch.AnyS
	if c.lowS {
		s = batch.LowS
	}
	hashes, keys := batch.Packed(c.digests, 32), batch.EncodedKeys(batch.Packed(c.keys, c.keySize))
	var err error
	switch c.scheme {
	case reading.ECDSA:
		_, err = batch.ECDSARows{
			Hashes: hashes, Keys: keys, Signatures: batch.Packed(c.sigs, 64), S: s,
		}.Verify(ctx, c.verdicts, &o)
	case reading.Schnorr:
		_, err = c.bip340().Verify(ctx, c.verdicts, &o)
	case reading.Recover:
		o.Exact = false // there are no equations
		c.found = slices.Grow(c.found[:0], 20*c.n)[:20*c.n]
		_, err = batch.RecoverRows{
			Hashes: hashes, Signatures: batch.Packed(c.sigs, 65), S: s,
		}.EthereumAddresses(ctx, c.found, c.verdicts, &o)
	}
	mustFit(ctx, err)
}

// bip340 returns the rows, which are BIP-340.
func (c *columns) bip340() batch.SchnorrRows {
	return batch.SchnorrRows{
		Messages:   batch.Packed(c.digests, 32),
		Keys:       batch.EncodedKeys(batch.Packed(c.keys, c.keySize)),
		Signatures: batch.Packed(c.sigs, 64),
	}
}

// allValid reports whether one batch equation over all rows, which are BIP-340, holds. If it does,
// allValid sets their verdicts.
func (c *columns) allValid(ctx context.Context, o batch.Options) bool {
	ok, err := c.bip340().VerifyAll(ctx, c.n, &o)
	mustFit(ctx, err)
	if ok {
		c.prepare()
		for i := range c.verdicts {
			c.verdicts[i] = batch.Valid
		}
	}
	return ok
}

// A batcher verifies the blocks of rows of one worker with package batch.
type batcher struct {
	options batch.Options

	// credit is the number of BIP-340 rows that equations have verified since the last block with a
	// bad signature, or -1 after such a block.
	credit int
}

// leastWhole is the number of rows from which one equation over all rows costs about half of exact
// verification. So an equation that holds saves about as much time as a failed one over the same
// number of rows wastes.
const leastWhole = 256

// verify verifies a block of rows. BIP-340 rows are verified by one equation over all of them if
// earlier equations have saved as much time as a failure would cost. After a block with a bad
// signature no equation is tried for one block. Otherwise package batch decides.
func (b *batcher) verify(ctx context.Context, c *columns) {
	o := b.options
	if c.scheme != reading.Schnorr || o.Exact || o.Device != nil {
		c.verify(ctx, o)
		return
	}
	if c.n >= leastWhole && c.n <= b.credit && c.allValid(ctx, o) {
		return
	}
	o.Exact = b.credit < 0
	c.verify(ctx, o)
	switch {
	case slices.Contains(c.verdicts, batch.Invalid):
		b.credit = -1
	case o.Exact:
		b.credit = 0
	default:
		b.credit = min(b.credit+c.n, 2*deviceRows)
	}
}

// verifyClaims sets the verdicts of rows that are commitments.
func (c *columns) verifyClaims(ctx context.Context) {
	c.prepare()
	r := batch.TweakCheckRows{
		Keys: batch.Packed(c.keys, 32), Tweaks: batch.Packed(c.digests, 32),
		Outputs: batch.Strided(c.sigs, 32, 33), Parities: batch.Strided(c.sigs[32:], 1, 33),
	}
	_, err := r.Verify(ctx, c.verdicts, &batch.Options{Workers: 1})
	mustFit(ctx, err)
}

// mustFit panics if err is neither nil nor ctx's error. Any other error means that the columns,
// which this package fills, have mismatched lengths.
func mustFit(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		panic(err)
	}
}

// verifyBlocks verifies all rows that the worker has collected. One worker verifies each call of
// package batch, since the check has its own workers.
func (w *worker) verifyBlocks(ctx context.Context) {
	for _, c := range w.blocks {
		if c.n > 0 {
			w.verifyColumns(ctx, c)
		}
	}
	if w.claims.n > 0 {
		w.claims.verifyClaims(ctx)
	}
}

// rowResult returns the result of entry e, which was verified as row e.row of its block of rows.
func (w *worker) rowResult(e *entry) result {
	c := e.block
	switch {
	case c.verdicts[e.row] != batch.Valid:
		return c.refusal(e.row)
	case e.scheme == reading.Recover:
		return compareSender(e.sender, [20]byte(c.found[20*e.row:]))
	case e.claim < 0 || w.claims.verdicts[e.claim] == batch.Valid:
		return result{verdict: reading.Valid}
	case w.claims.verdicts[e.claim] == batch.Unchecked:
		return result{}
	}
	return result{verdict: reading.Invalid, reason: reasonCommitment}
}

// refusal returns the result of row i, which is not Valid.
func (c *columns) refusal(i int) result {
	switch c.verdicts[i] {
	case batch.Malformed:
		return result{verdict: reading.Malformed, reason: c.reasons[i].String()}
	case batch.Invalid:
		return result{verdict: reading.Invalid, reason: c.reasons[i].String()}
	}
	return result{}
}
