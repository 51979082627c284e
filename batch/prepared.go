package batch

import (
	"context"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/keys"
)

// PreparedSchnorrRows are BIP-340 signatures on messages of 32 bytes by a set of
// prepared keys: validators, relays, whoever signs all day.
type PreparedSchnorrRows struct {
	Messages   Column // 32 bytes
	Signatures Column // 64 bytes

	// Keys is the set, of any size and with tables of any size, or none.
	Keys []*koblitz.PreparedKey
	// Indices has one number a row: row i is under Keys[Indices[i]]. If it is
	// nil, every row is under Keys[0].
	Indices []uint32
}

// Verify is [SchnorrRows.Verify] for prepared keys: the verdicts are those of
// [schnorr.VerifyPrepared]. A row that names no key, because its index is beyond
// the set or the key there is nil or zero, is Malformed. There is also an error
// if Indices is neither nil nor as long as verdicts.
func (r PreparedSchnorrRows) Verify(ctx context.Context, verdicts []Verdict, opts ...Option) (valid int, err error) {
	n := len(verdicts)
	if err := r.Messages.check("Messages", n, 32); err != nil {
		return 0, err
	}
	if err := r.Signatures.check("Signatures", n, 64); err != nil {
		return 0, err
	}
	if err := checkIndices(r.Indices, n); err != nil {
		return 0, err
	}
	return gather(opts).run(ctx, engine.Schnorr, sixteen(r.Messages, r.Signatures, func(row *engine.Row, i int) {
		setPrepared(row, r.Keys, r.Indices, i)
	}), verdicts, nil)
}

// PreparedECDSARows are ECDSA signatures on hashes of 32 bytes by a set of
// prepared keys.
type PreparedECDSARows struct {
	Hashes     Column // 32 bytes
	Signatures Column // 64 bytes, as for ecdsa.ParseSignature

	// Keys is the set, of any size and with tables of any size, or none.
	Keys []*koblitz.PreparedKey
	// Indices has one number a row: row i is under Keys[Indices[i]]. If it is
	// nil, every row is under Keys[0].
	Indices []uint32
}

// Verify is [ECDSARows.Verify] for prepared keys: the verdicts are those of
// [ecdsa.VerifyPrepared], or [ecdsa.VerifyPreparedLowS] with [LowS]. A row that
// names no key, because its index is beyond the set or the key there is nil or
// zero, is Malformed. There is also an error if Indices is neither nil nor as
// long as verdicts.
func (r PreparedECDSARows) Verify(ctx context.Context, verdicts []Verdict, opts ...Option) (valid int, err error) {
	n := len(verdicts)
	if err := r.Hashes.check("Hashes", n, 32); err != nil {
		return 0, err
	}
	if err := r.Signatures.check("Signatures", n, 64); err != nil {
		return 0, err
	}
	if err := checkIndices(r.Indices, n); err != nil {
		return 0, err
	}
	o := gather(opts)
	return o.run(ctx, engine.ECDSA, each(func(row *engine.Row, i int) {
		setPrepared(row, r.Keys, r.Indices, i)
		row.SetECDSA(r.Hashes.at32(i)[:], r.Signatures.at64(i), o.lowS)
	}), verdicts, nil)
}

func checkIndices(indices []uint32, rows int) error {
	if indices != nil && len(indices) != rows {
		return fmt.Errorf("batch: Indices: %d rows, want %d, the number of verdicts", len(indices), rows)
	}
	return nil
}

// setPrepared sets the key of row i.
func setPrepared(row *engine.Row, set []*koblitz.PreparedKey, indices []uint32, i int) {
	index := uint32(0)
	if indices != nil {
		index = indices[i]
	}
	if uint64(index) >= uint64(len(set)) {
		row.SetMalformed()
		return
	}
	k := (*keys.Prepared)(set[index])
	row.SetKey(k.Affine(), k.Comb())
}
