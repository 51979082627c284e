package batch

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/device"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/keys"
)

// PreparedSchnorrRows are BIP-340 signatures on messages of 32 bytes by a set of
// prepared keys, such as those of validators and relays, which sign all day.
type PreparedSchnorrRows struct {
	Messages   Column // 32 bytes
	Signatures Column // 64 bytes

	// Keys is the set, of any size and with tables of any size, or none.
	Keys []*koblitz.PreparedKey
	// Indices has one number a row: row i is under Keys[Indices[i]]. If it is
	// nil, every row is under Keys[0].
	Indices []uint32
}

// Verify is [SchnorrRows.Verify] for prepared keys, without equations: the verdicts
// are those of [schnorr.VerifyPrepared]. A row that names no key, because its index is
// beyond the set or the key there is nil or zero, is Malformed. There is also an error
// if Indices is neither nil nor as long as verdicts.
func (r PreparedSchnorrRows) Verify(
	ctx context.Context, verdicts []Verdict, opts ...PreparedOption,
) (valid int, err error) {
	c := call{options: gather(opts), Call: device.Call{Kind: device.PreparedSchnorr}}
	// The second column is that of numbers of keys.
	c.Cols, err = columns(len(verdicts),
		field{"Messages", 32, r.Messages}, field{}, field{"Signatures", 64, r.Signatures})
	if err != nil {
		return 0, err
	}
	if err := checkIndices(r.Indices, len(verdicts)); err != nil {
		return 0, err
	}
	c.prepare(r.Keys, r.Indices, len(verdicts))
	return c.each(ctx, verdicts, nil)
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
func (r PreparedECDSARows) Verify(
	ctx context.Context, verdicts []Verdict, opts ...PreparedECDSAOption,
) (valid int, err error) {
	c := call{options: gather(opts), Call: device.Call{Kind: device.PreparedECDSA}}
	c.Cols, err = columns(len(verdicts),
		field{"Hashes", 32, r.Hashes}, field{}, field{"Signatures", 64, r.Signatures})
	if err != nil {
		return 0, err
	}
	if err := checkIndices(r.Indices, len(verdicts)); err != nil {
		return 0, err
	}
	c.prepare(r.Keys, r.Indices, len(verdicts))
	return c.each(ctx, verdicts, nil)
}

func checkIndices(indices []uint32, rows int) error {
	if indices != nil && len(indices) != rows {
		return fmt.Errorf("batch: Indices: %d rows, want %d, the number of verdicts", len(indices), rows)
	}
	return nil
}

// prepare gives c the keys of its rows: to the host with their tables, and to a device, if it is
// to have the call, as a set of points and a column of numbers.
func (c *call) prepare(set []*koblitz.PreparedKey, indices []uint32, rows int) {
	c.key = func(row engine.Row, i int) { setPrepared(row, set, indices, i) }
	if c.device == nil || !c.device.Pays(c.Kind, rows) {
		c.device = nil // which keeps it from a call whose numbers and keys are missing
		return
	}
	numbers := make([]byte, 4, 4*max(len(indices), 1))
	for i, index := range indices {
		numbers = binary.LittleEndian.AppendUint32(numbers[:4*i], index)
	}
	c.Cols[1] = device.Column{Data: numbers, Stride: 4}
	if indices == nil {
		c.Cols[1].Stride = 0 // the first key, for all
	}
	c.Keys = make([]byte, device.PointSize*len(set))
	for i, k := range set {
		if p := (*keys.Prepared)(k).Affine(); p != nil {
			b := c.Keys[device.PointSize*i:]
			p.X.PutBytes((*[32]byte)(b))
			p.Y.PutBytes((*[32]byte)(b[32:]))
		}
	}
}

// setPrepared sets the key of row i.
func setPrepared(row engine.Row, set []*koblitz.PreparedKey, indices []uint32, i int) {
	index := uint32(0)
	if indices != nil {
		index = indices[i]
	}
	if uint64(index) >= uint64(len(set)) {
		row.SetMalformed()
		return
	}
	k := (*keys.Prepared)(set[index])
	row.SetKey(k.Affine(), k.Table())
}
