package verify

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A block holds rows of one scheme, under one rule for s, as a struct of arrays. Each row has a
// digest of 32 bytes, a key (33 or 65 bytes for ECDSA, 32 for BIP-340, none for recovery), and a
// signature of 64 bytes (65 for recovery). All keys have the same length.
type block struct {
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
func (b *block) add(digest, key, sig []byte) int {
	b.digests = append(b.digests, digest...)
	b.keys = append(b.keys, key...)
	b.sigs = append(b.sigs, sig...)
	b.n++
	return b.n - 1
}

// addClaim appends a commitment as a row, and returns its number. The row has the tweak as digest,
// and as signature the output and its parity.
func (b *block) addClaim(m *reading.Commitment) int {
	parity := byte(0)
	if m.Odd {
		parity = 1
	}
	n := b.add(m.Tweak[:], m.Key, m.Output)
	b.sigs = append(b.sigs, parity)
	return n
}

// claim returns the commitment of row i.
func (b *block) claim(i int) reading.Commitment {
	tweak, key, output := b.row(i)
	return reading.Commitment{Key: key, Output: output[:32], Tweak: tweak, Odd: output[32] == 1}
}

// row returns the digest, key and signature of row i.
func (b *block) row(i int) (digest [32]byte, key, sig []byte) {
	at := func(a []byte) []byte { return a[i*(len(a)/b.n) : (i+1)*(len(a)/b.n)] }
	return [32]byte(at(b.digests)), at(b.keys), at(b.sigs)
}

func (b *block) reset() {
	b.digests, b.keys, b.sigs, b.n = b.digests[:0], b.keys[:0], b.sigs[:0], 0
}

// prepare sets the verdicts of all rows to Unchecked, without reasons.
func (b *block) prepare() {
	b.verdicts = slices.Grow(b.verdicts[:0], b.n)[:b.n]
	b.reasons = slices.Grow(b.reasons[:0], b.n)[:b.n]
	clear(b.verdicts)
	clear(b.reasons)
}

// verify verifies all rows with package batch, and sets their verdicts and reasons. For recovery it
// also sets the addresses of Valid rows. Rows not reached before ctx is done stay Unchecked.
func (b *block) verify(ctx context.Context, o batch.Options) {
	b.prepare()
	o.Reasons = &b.reasons
	s := batch.AnyS
	if b.lowS {
		s = batch.LowS
	}
	hashes, keys := batch.Packed(b.digests, 32), batch.EncodedKeys(batch.Packed(b.keys, b.keySize))
	var err error
	switch b.scheme {
	case reading.ECDSA:
		_, err = batch.ECDSARows{
			Hashes: hashes, Keys: keys, Signatures: batch.Packed(b.sigs, 64), S: s,
		}.Verify(ctx, b.verdicts, &o)
	case reading.Schnorr:
		_, err = batch.SchnorrRows{
			Messages: hashes, Keys: keys, Signatures: batch.Packed(b.sigs, 64),
		}.Verify(ctx, b.verdicts, &o)
	case reading.Recover:
		o.Exact = false // there are no equations
		b.found = slices.Grow(b.found[:0], 20*b.n)[:20*b.n]
		_, err = batch.RecoverRows{
			Hashes: hashes, Signatures: batch.Packed(b.sigs, 65), S: s,
		}.EthereumAddresses(ctx, b.found, b.verdicts, &o)
	}
	mustFit(ctx, err)
}

// verifyClaims sets the verdicts of a block whose rows are commitments.
func (b *block) verifyClaims(ctx context.Context) {
	b.prepare()
	r := batch.TweakCheckRows{
		Keys: batch.Packed(b.keys, 32), Tweaks: batch.Packed(b.digests, 32),
		Outputs: batch.Strided(b.sigs, 32, 33), Parities: batch.Strided(b.sigs[32:], 1, 33),
	}
	_, err := r.Verify(ctx, b.verdicts, &batch.Options{Workers: 1})
	mustFit(ctx, err)
}

// mustFit panics if err is neither nil nor ctx's error. Any other error means that the columns of a
// block, which this package fills, have mismatched lengths.
func mustFit(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		panic(err)
	}
}

// refusal returns the result of row i, which is not Valid.
func (b *block) refusal(i int) result {
	switch b.verdicts[i] {
	case batch.Malformed:
		return malformed(b.reasons[i].String())
	case batch.Invalid:
		return invalid(b.reasons[i].String())
	}
	return result{}
}
