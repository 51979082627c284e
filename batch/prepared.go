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
	// Indices has one number for each row: row i is under Keys[Indices[i]].
	Indices []uint32
}

// Verify is [SchnorrRows.Verify] for prepared keys, without equations: the verdicts
// are those of [schnorr.VerifyPrepared]. A row that names no key, because its index is
// beyond the set or the key there is nil or zero, is Malformed. There is also an error
// if Indices is not as long as verdicts.
func (r PreparedSchnorrRows) Verify(
	ctx context.Context, verdicts []Verdict, opts ...PreparedOption,
) (valid int, err error) {
	c := call{options: gather(opts), Call: device.Call{Kind: device.PreparedSchnorr}}
	err = c.setPrepared(r.Keys, r.Indices, len(verdicts),
		field{"Messages", 32, r.Messages}, field{"Signatures", 64, r.Signatures})
	if err != nil {
		return 0, err
	}
	return c.each(ctx, verdicts, nil)
}

// PreparedECDSARows are ECDSA signatures on hashes of 32 bytes by a set of
// prepared keys.
type PreparedECDSARows struct {
	Hashes     Column // 32 bytes
	Signatures Column // 64 bytes, as for ecdsa.ParseSignature

	// Keys is the set, of any size and with tables of any size, or none.
	Keys []*koblitz.PreparedKey
	// Indices has one number for each row: row i is under Keys[Indices[i]].
	Indices []uint32
}

// Verify is [ECDSARows.Verify] for prepared keys: the verdicts are those of
// [ecdsa.VerifyPrepared], or [ecdsa.VerifyPreparedLowS] with [LowS]. A row that
// names no key, because its index is beyond the set or the key there is nil or
// zero, is Malformed. There is also an error if Indices is not as long as verdicts.
func (r PreparedECDSARows) Verify(
	ctx context.Context, verdicts []Verdict, opts ...PreparedECDSAOption,
) (valid int, err error) {
	c := call{options: gather(opts), Call: device.Call{Kind: device.PreparedECDSA}}
	err = c.setPrepared(r.Keys, r.Indices, len(verdicts),
		field{"Hashes", 32, r.Hashes}, field{"Signatures", 64, r.Signatures})
	if err != nil {
		return 0, err
	}
	return c.each(ctx, verdicts, nil)
}

// setPrepared gives the call its columns and the keys of its rows: to the host with their tables,
// and to a device, if that carries out the call, as a set of points and a column of numbers.
func (c *call) setPrepared(
	set []*koblitz.PreparedKey, indices []uint32, rows int, signed, signatures field,
) error {
	if err := c.set(rows, nil, signed, signatures); err != nil {
		return err
	}
	if len(indices) != rows {
		return fmt.Errorf("batch: Indices: %d rows, want %d, the number of verdicts", len(indices), rows)
	}
	c.key = func(row engine.Row, i int) { setPreparedKey(row, set, indices[i]) }
	c.Cols[1], c.Cols[2] = device.Column{}, c.Cols[1]
	if c.device == nil || !c.device.Pays(c.Kind, rows) {
		c.device = nil // the numbers and the keys of the call are missing
		return nil
	}
	numbers := make([]byte, 0, 4*rows)
	for _, index := range indices {
		numbers = binary.LittleEndian.AppendUint32(numbers, index)
	}
	c.Cols[1] = device.Column{Data: numbers, Stride: 4}
	c.Keys = make([]byte, device.PointSize*len(set))
	for i, k := range set {
		if p := (*keys.Prepared)(k).Affine(); p != nil {
			b := c.Keys[device.PointSize*i:]
			p.X.PutBytes((*[32]byte)(b))
			p.Y.PutBytes((*[32]byte)(b[32:]))
		}
	}
	return nil
}

// setPreparedKey sets the key of a row to that with an index in the set.
func setPreparedKey(row engine.Row, set []*koblitz.PreparedKey, index uint32) {
	if uint64(index) >= uint64(len(set)) {
		row.SetMalformed()
		return
	}
	k := (*keys.Prepared)(set[index])
	row.SetKey(k.Affine(), k.Table())
}
