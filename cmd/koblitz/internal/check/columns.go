package check

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/device"
)

// columns are rows of one scheme as a struct of arrays. Each row has a digest of 32 bytes, a key
// (33 or 65 bytes for ECDSA, 32 for BIP-340, none for recovery), and a signature of 64 bytes (65
// for recovery). All keys have the same length.
type columns struct {
	digests, keys, sigs []byte
	n                   int

	verdicts []batch.Verdict
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
func (c *columns) addClaim(m *rows.Commitment) int {
	parity := byte(0)
	if m.Odd {
		parity = 1
	}
	n := c.add(m.Tweak[:], m.Key, m.Output)
	c.sigs = append(c.sigs, parity)
	return n
}

// claim returns the commitment of row i.
func (c *columns) claim(i int) rows.Commitment {
	tweak, key, output := c.row(i)
	return rows.Commitment{Key: key, Output: output[:32], Tweak: tweak, Odd: output[32] == 1}
}

// verifyClaims sets the verdicts of rows that are commitments.
func (c *columns) verifyClaims(ctx context.Context) {
	c.prepare(0)
	r := batch.TweakCheckRows{
		Keys: batch.Packed(c.keys, 32), Tweaks: batch.Packed(c.digests, 32),
		Outputs: batch.Strided(c.sigs, 32, 33), Parities: batch.Strided(c.sigs[32:], 1, 33),
	}
	_, err := r.Verify(ctx, c.verdicts, &batch.Options{Workers: 1})
	mustFit(ctx, err)
}

// row returns the digest, key and signature of row i.
func (c *columns) row(i int) (digest [32]byte, key, sig []byte) {
	at := func(b []byte) []byte { return b[i*(len(b)/c.n) : (i+1)*(len(b)/c.n)] }
	return [32]byte(at(c.digests)), at(c.keys), at(c.sigs)
}

func (c *columns) reset() {
	c.digests, c.keys, c.sigs, c.n = c.digests[:0], c.keys[:0], c.sigs[:0], 0
}

// prepare sets the verdicts of all n rows to Unchecked. It makes room in the slice found for n
// results of width bytes.
func (c *columns) prepare(width int) {
	c.verdicts = slices.Grow(c.verdicts[:0], c.n)[:c.n]
	clear(c.verdicts)
	c.found = slices.Grow(c.found[:0], c.n*width)[:c.n*width]
}

// A many is a batch verifier. Its methods verify all rows of c at once and set a verdict for each.
// For recovery they also set the addresses of Valid rows. Rows not reached before ctx is done stay
// Unchecked.
type many interface {
	ecdsa(ctx context.Context, c *columns)
	schnorr(ctx context.Context, c *columns)
	recover(ctx context.Context, c *columns)
}

// batches implements the interface many with package batch. Each call uses one worker, since the
// check has its own workers.
type batches struct {
	device *device.Device // may be nil

	pause int // number of BIP-340 blocks still to come for which no equation is tried
	last  int // length of the pause that followed the last failed equation, in blocks

	whole  *batch.Schnorr // for one equation over a whole block; nil until first used
	credit int            // rows verified by equations since the last failed one
}

// maxPause is the maximum number of consecutive blocks of rows for which no batch equation is
// tried. A failed equation wastes up to a sixth of the cost of exact verification. If one equation
// after another fails, as in a file of forged rows, the pauses grow and reduce the waste to about 1
// %.
const maxPause = 31

// leastWhole is the number of rows from which one batch equation over all rows costs about half of
// exact verification. So an equation that holds saves about as much time as a failed one over the
// same number of rows wastes. An equation takes 1 KB per row, so none is tried over more than
// mostWhole rows, which is a full block of rows plus one batch of a reader.
const (
	leastWhole = 256
	mostWhole  = blockRows + 1024
)

// options returns the options for verifying one block of rows.
func (b *batches) options() *batch.Options { return &batch.Options{Workers: 1, Device: b.device} }

func (b *batches) ecdsa(ctx context.Context, c *columns) {
	r := batch.ECDSARows{
		Hashes:     batch.Packed(c.digests, 32),
		Keys:       batch.EncodedKeys(batch.Packed(c.keys, len(c.keys)/c.n)),
		Signatures: batch.Packed(c.sigs, 64), S: batch.AnyS,
	}
	_, err := r.Verify(ctx, c.verdicts, b.options())
	mustFit(ctx, err)
}

// schnorr verifies a block of BIP-340 rows by one equation over all rows if earlier equations have
// saved as much time as a failure would cost. If they have not, or if the equation fails, package
// batch verifies the block: it first tries an equation over some of the rows, and from that decides
// on more.
func (b *batches) schnorr(ctx context.Context, c *columns) {
	if b.pause == 0 && b.device == nil && c.n >= leastWhole && c.n <= b.credit && b.together(ctx, c) {
		for i := range c.verdicts {
			c.verdicts[i] = batch.Valid
		}
		return
	}
	r := batch.SchnorrRows{
		Messages:   batch.Packed(c.digests, 32),
		Keys:       batch.EncodedKeys(batch.Packed(c.keys, 32)),
		Signatures: batch.Packed(c.sigs, 64),
	}
	o := b.options()
	o.Exact = b.pause > 0
	_, err := r.Verify(ctx, c.verdicts, o)
	mustFit(ctx, err)
	b.learn(c.verdicts)
}

// together reports whether one batch equation over all rows of c holds.
func (b *batches) together(ctx context.Context, c *columns) bool {
	if b.whole == nil {
		b.whole = batch.NewSchnorr(c.n, &batch.Options{Workers: 1})
	}
	b.whole.Reset()
	for i := range c.n {
		b.whole.AddBytes(c.keys[32*i:][:32], c.digests[32*i:][:32], c.sigs[64*i:][:64])
	}
	ok, err := b.whole.VerifyAll(ctx)
	mustFit(ctx, err)
	return ok
}

// learn decides from the verdicts of a block of rows how the next blocks are verified. It starts a
// pause if this block had an invalid row, because no equation over such a block can hold.
func (b *batches) learn(verdicts []batch.Verdict) {
	switch {
	case !slices.Contains(verdicts, batch.Invalid):
		for _, v := range verdicts {
			if v == batch.Valid && b.pause == 0 {
				b.credit++
			}
		}
		b.credit = min(b.credit, mostWhole)
		b.pause, b.last = 0, 0
	case b.pause > 0:
		b.pause--
	default:
		b.credit = 0
		b.last = min(2*b.last+1, maxPause)
		b.pause = b.last
	}
}

func (b *batches) recover(ctx context.Context, c *columns) {
	r := batch.RecoverRows{
		Hashes:     batch.Packed(c.digests, 32),
		Signatures: batch.Packed(c.sigs, 65), S: batch.AnyS,
	}
	_, err := r.EthereumAddresses(ctx, c.found, c.verdicts, b.options())
	mustFit(ctx, err)
}

// mustFit panics if err is neither nil nor ctx's error. Any other error means that the columns,
// which this package fills, have mismatched lengths.
func mustFit(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		panic(err)
	}
}

func (w *worker) verifyBlocks(ctx context.Context) {
	for _, c := range []*columns{&w.blocks[rows.ECDSA], &w.wide} {
		if c.n > 0 {
			c.prepare(0)
			w.many.ecdsa(ctx, c)
		}
	}
	if c := &w.blocks[rows.Schnorr]; c.n > 0 {
		c.prepare(0)
		w.many.schnorr(ctx, c)
	}
	if w.claims.n > 0 {
		w.claims.verifyClaims(ctx)
	}
	if c := &w.blocks[rows.Recover]; c.n > 0 {
		c.prepare(20)
		w.many.recover(ctx, c)
	}
}

// rowResult returns the result of entry e, which was verified as row e.row of its block of rows.
// The result of a malformed row and of a failed recovery has no reason.
func (w *worker) rowResult(e *entry) result {
	c := e.block
	v := c.verdicts[e.row]
	switch v {
	case batch.Unchecked:
		return result{}
	case batch.Valid:
		if e.scheme == rows.Recover {
			return compareSender(e.sender, [20]byte(c.found[20*e.row:]))
		}
		if e.claim >= 0 && w.claims.verdicts[e.claim] != batch.Valid {
			if w.claims.verdicts[e.claim] == batch.Unchecked {
				return result{}
			}
			return result{verdict: rows.Invalid, reason: reasonCommitment}
		}
		return result{verdict: rows.Valid}
	}
	switch {
	case e.scheme == rows.Recover:
		return result{verdict: rows.Invalid}
	case v == batch.Malformed:
		return result{verdict: rows.Malformed}
	case e.scheme == rows.Schnorr:
		return result{verdict: rows.Invalid, reason: reasonSchnorr}
	}
	return result{verdict: rows.Invalid, reason: reasonECDSA}
}
