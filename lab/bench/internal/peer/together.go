package peer

import (
	"context"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// together returns koblitz's batch operations by family. Each function in the map makes the driver
// for a batch of n elements.
func together(in *Inputs) map[string]func(n int) Driver {
	b := newBatches(in)
	all := map[string]func(n int) Driver{
		"schnorr-batch":            b.schnorr,
		"schnorr-batch-parsed":     b.schnorrParsed,
		"schnorr-batch-prepared":   b.schnorrPrepared,
		"schnorr-batch-all":        b.schnorrAll,
		"schnorr-batch-all-parsed": b.schnorrAllParsed,
		halfAggregate:              b.halfAggregate,
		"ecdsa-batch":              b.ecdsa,
		"ecdsa-batch-parsed":       b.ecdsaParsed,
		"ecdsa-batch-prepared":     b.ecdsaPrepared,
		"ecdsa-batch-recoverable":  b.recoverable,
		"recover-batch":            b.recover,
		"parse-batch":              b.parse,
		baseMul:                    b.baseMul,
		hashes:                     b.hashes,
		tweakCheck:                 b.tweakCheck,
		children:                   b.children,
		pubkeys:                    b.pubkeys,
		ecdhPairs:                  b.ecdhPairs,
		ellswiftMany:               b.decodes,
		ecdhOne:                    b.ecdhOne,
		schnorrSigns:               b.schnorrSigns,
		schnorrSignsOne:            b.schnorrSignsOne,
		ecdsaSigns:                 b.ecdsaSigns,
		ecdsaSignsOne:              b.ecdsaSignsOne,
		"msm":                      sums(in),
	}
	for _, s := range scans {
		all[s.family] = b.scan(in, s)
	}
	return all
}

// addTogether adds to d the drivers that the function together returns, for all batch sizes for
// which there are enough inputs.
func addTogether(in *Inputs, d map[string]Driver) {
	for family, driver := range together(in) {
		for _, n := range sizes(in, family) {
			d[fmt.Sprintf("%s-%d", family, n)] = driver(n)
		}
	}
}

// oneThread limits koblitz's batch functions to one thread, because the other peers use one.
var oneThread = &batch.Options{Workers: 1}

// A batches holds the inputs and outputs for calls of package batch. Each slice has one field of
// all rows, such as the hashes.
type batches struct {
	in                       ManyRows
	secret                   []byte // the secret of families with one secret
	hash, key, xonly, ecdsas []byte
	schnorrs, recoverables   []byte
	fewECDSA, fewSchnorrs    []byte
	keys                     []*koblitz.PublicKey
	xonlys                   []*koblitz.XOnlyPublicKey
	sigs                     []*ecdsa.Signature
	prepared                 []*koblitz.PreparedKey
	schnorrBatch             *batch.Schnorr
	ecdsaBatch               *batch.ECDSA
	index                    []uint32
	verdicts                 []batch.Verdict
	points                   []byte
}

func newBatches(in *Inputs) *batches {
	m, n := in.Many, len(in.Many.Hash)
	b := &batches{
		in: m, secret: in.Secret[0],
		hash: slices.Concat(m.Hash...), key: slices.Concat(m.Key...),
		xonly: slices.Concat(m.XOnly...), ecdsas: slices.Concat(m.ECDSA...),
		schnorrs: slices.Concat(m.Schnorr...), recoverables: slices.Concat(m.Recoverable...),
		schnorrBatch: batch.NewSchnorr(n, oneThread),
		ecdsaBatch:   batch.NewECDSA(n, batch.AnyS, oneThread),
		verdicts:     make([]batch.Verdict, n), points: make([]byte, 65*n),
	}
	for i := range n {
		b.keys = append(b.keys, must(koblitz.ParsePublicKey(m.Key[i])))
		b.xonlys = append(b.xonlys, must(koblitz.ParseXOnlyPublicKey(m.XOnly[i])))
		b.sigs = append(b.sigs, must(ecdsa.ParseSignature(m.ECDSA[i])))
		b.index = append(b.index, uint32(i%PreparedKeys))
	}
	b.prepared = prepare(in)
	b.fewECDSA, b.fewSchnorrs = slices.Concat(m.FewECDSA...), slices.Concat(m.FewSchnorrs...)
	return b
}

// verified returns the driver for a batch verification that stores a verdict for each of n rows.
func (b *batches) verified(n int, verify func() (int, error)) Driver {
	do := func(int) { accept(must(verify()) == n) }
	return Driver{Do: do, Out: func(int) []byte {
		do(0)
		var all []byte
		for _, v := range b.verdicts[:n] {
			all = append(all, verdict(v == batch.Valid)...)
		}
		return all
	}}
}

// all returns the driver for a batch verification that returns a single verdict for all n rows.
func (b *batches) all(n int, verify func() bool) Driver {
	return Driver{
		Do:  func(int) { accept(verify()) },
		Out: func(int) []byte { return slices.Repeat(verdict(verify()), n) },
	}
}

// pointsOf returns the driver for a batch operation that stores n public keys of 65 bytes in
// b.points.
func (b *batches) pointsOf(n int, find func() (int, error)) Driver {
	do := func(int) { accept(must(find()) == n) }
	return Driver{Do: do, Out: func(int) []byte {
		do(0)
		var all []byte
		for k := range slices.Chunk(b.points[:65*n], 65) {
			all = append(append(all, 2+k[64]&1), k[1:33]...)
		}
		return all
	}}
}

// packed returns a column of the first n values in data, each with width bytes.
func packed(data []byte, width, n int) batch.Column { return batch.Packed(data[:n*width], width) }

func (b *batches) schnorr(n int) Driver {
	rows := batch.SchnorrRows{
		Messages: packed(b.hash, 32, n), Keys: batch.EncodedKeys(packed(b.xonly, 32, n)),
		Signatures: packed(b.schnorrs, 64, n),
	}
	return b.verified(n, func() (int, error) {
		return rows.Verify(context.Background(), b.verdicts[:n],
			&batch.Options{Workers: 1, Exact: true})
	})
}

func (b *batches) ecdsa(n int) Driver {
	rows := batch.ECDSARows{
		Hashes: packed(b.hash, 32, n), Keys: batch.EncodedKeys(packed(b.key, 33, n)),
		Signatures: packed(b.ecdsas, 64, n), S: batch.AnyS,
	}
	return b.verified(n, func() (int, error) {
		return rows.Verify(context.Background(), b.verdicts[:n], oneThread)
	})
}

func (b *batches) schnorrPrepared(n int) Driver {
	rows := batch.SchnorrRows{
		Messages: packed(b.hash, 32, n), Signatures: packed(b.fewSchnorrs, 64, n),
		Keys: batch.PreparedKeys(b.prepared, b.index[:n]),
	}
	return b.verified(n, func() (int, error) {
		return rows.Verify(context.Background(), b.verdicts[:n], oneThread)
	})
}

func (b *batches) ecdsaPrepared(n int) Driver {
	rows := batch.ECDSARows{
		Hashes: packed(b.hash, 32, n), Signatures: packed(b.fewECDSA, 64, n),
		Keys: batch.PreparedKeys(b.prepared, b.index[:n]), S: batch.AnyS,
	}
	return b.verified(n, func() (int, error) {
		return rows.Verify(context.Background(), b.verdicts[:n], oneThread)
	})
}

// The drivers below reset and refill their accumulator in each call, as part of the measured work.

func (b *batches) schnorrParsed(n int) Driver {
	return b.verified(n, func() (int, error) {
		b.schnorrBatch.Reset()
		for i := range n {
			b.schnorrBatch.Add(b.xonlys[i], b.in.Hash[i], b.in.Schnorr[i])
		}
		return b.schnorrBatch.Verify(context.Background(), b.verdicts[:n])
	})
}

func (b *batches) ecdsaParsed(n int) Driver {
	return b.verified(n, func() (int, error) {
		b.ecdsaBatch.Reset()
		for i := range n {
			b.ecdsaBatch.Add(b.keys[i], b.in.Hash[i], b.sigs[i])
		}
		return b.ecdsaBatch.Verify(context.Background(), b.verdicts[:n])
	})
}

func (b *batches) schnorrAll(n int) Driver {
	return b.all(n, func() bool {
		b.schnorrBatch.Reset()
		for i := range n {
			b.schnorrBatch.AddBytes(b.in.XOnly[i], b.in.Hash[i], b.in.Schnorr[i])
		}
		return must(b.schnorrBatch.VerifyAll(context.Background()))
	})
}

func (b *batches) schnorrAllParsed(n int) Driver {
	return b.all(n, func() bool {
		b.schnorrBatch.Reset()
		for i := range n {
			b.schnorrBatch.Add(b.xonlys[i], b.in.Hash[i], b.in.Schnorr[i])
		}
		return must(b.schnorrBatch.VerifyAll(context.Background()))
	})
}

func (b *batches) recoverable(n int) Driver {
	return b.all(n, func() bool {
		b.ecdsaBatch.Reset()
		for i := range n {
			b.ecdsaBatch.AddRecoverableBytes(b.in.Key[i], b.in.Hash[i], b.in.Recoverable[i])
		}
		return must(b.ecdsaBatch.VerifyAll(context.Background()))
	})
}

func (b *batches) recover(n int) Driver {
	rows := batch.RecoverRows{
		Hashes: packed(b.hash, 32, n), Signatures: packed(b.recoverables, 65, n), S: batch.AnyS,
	}
	return b.pointsOf(n, func() (int, error) {
		return rows.Recover(context.Background(), b.points[:65*n], b.verdicts[:n], oneThread)
	})
}

func (b *batches) parse(n int) Driver {
	rows := batch.KeyRows{Keys: packed(b.key, 33, n)}
	return b.pointsOf(n, func() (int, error) {
		return rows.Decompress(context.Background(), b.points[:65*n], b.verdicts[:n], oneThread)
	})
}
