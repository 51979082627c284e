// Package cpu carries out device calls on the CPU, with packages batch and msm, so that tests and
// benchmarks can compare a device's answers and times with the CPU's.
package cpu

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/msm"
)

// ErrCall is returned for a call for which packages batch and msm have no function.
var ErrCall = errors.New("gpu: packages batch and msm have no call of this kind under these rules")

// Do carries out c with package batch or msm, and writes the verdicts and results to c. It supports
// calls of all kinds. The only rule that it supports is device.LowS. o may be nil.
func Do(ctx context.Context, c *device.Call, o *batch.Options) error {
	keys, err := Keys(c, 0)
	if err != nil {
		return err
	}
	return DoWith(ctx, c, keys, o)
}

// DoWith does the work of Do with the prepared keys that Keys returned for c.
func DoWith(
	ctx context.Context, c *device.Call, keys []*koblitz.PreparedKey, o *batch.Options,
) error {
	s := batch.AnyS
	switch c.Rules {
	case 0:
	case device.LowS:
		s = batch.LowS
	default:
		return ErrCall
	}
	if c.Kind == device.Sum {
		return sum(ctx, c, o)
	}
	column := func(i, width int) batch.Column { return column(c, i, width) }
	schnorr := batch.SchnorrRows{Messages: column(0, 32), Signatures: column(2, 64)}
	ecdsa := batch.ECDSARows{Hashes: column(0, 32), Signatures: column(2, 64), S: s}
	var err error
	switch c.Kind {
	case device.Schnorr, device.AllSchnorr:
		schnorr.Keys = batch.EncodedKeys(column(1, 32))
		if c.Kind == device.AllSchnorr {
			return one(c, func() (bool, error) { return schnorr.VerifyAll(ctx, c.Rows, o) })
		}
		_, err = schnorr.Verify(ctx, c.Verdicts, o)
	case device.PreparedSchnorr:
		schnorr.Keys = batch.PreparedKeys(keys, numbers(c))
		_, err = schnorr.Verify(ctx, c.Verdicts, o)
	case device.ECDSA, device.AllECDSA:
		ecdsa.Keys, ecdsa.RecoveryIDs = batch.EncodedKeys(column(1, 33)), column(3, 1)
		if c.Kind == device.AllECDSA {
			return one(c, func() (bool, error) { return ecdsa.VerifyAll(ctx, c.Rows, o) })
		}
		_, err = ecdsa.Verify(ctx, c.Verdicts, o)
	case device.PreparedECDSA:
		ecdsa.Keys = batch.PreparedKeys(keys, numbers(c))
		_, err = ecdsa.Verify(ctx, c.Verdicts, o)
	case device.Recover, device.RecoverAddress:
		rows := batch.RecoverRows{Hashes: column(0, 32), Signatures: column(1, 65), S: s}
		if c.Kind == device.Recover {
			_, err = rows.Recover(ctx, c.Results, c.Verdicts, o)
		} else {
			_, err = rows.EthereumAddresses(ctx, c.Results, c.Verdicts, o)
		}
	case device.Decompress:
		_, err = batch.KeyRows{Keys: column(0, 33)}.Decompress(ctx, c.Results, c.Verdicts, o)
	case device.PublicKeys:
		scalars := batch.ScalarRows{Scalars: column(0, 32)}
		_, err = scalars.PublicKeysVartime(ctx, c.Results, c.Verdicts, o)
	default:
		return ErrCall
	}
	return err
}

// one writes the verdict of a call that has a single verdict for all rows: Valid if verify returns
// true.
func one(c *device.Call, verify func() (bool, error)) error {
	all, err := verify()
	c.Verdicts[0] = device.Invalid
	if all {
		c.Verdicts[0] = device.Valid
	}
	return err
}

// sum carries out a call of kind Sum. Its columns must have no gaps between values.
func sum(ctx context.Context, c *device.Call, o *batch.Options) error {
	var options msm.Options
	if o != nil {
		options = msm.Options{Workers: o.Workers, Device: o.Device}
	}
	sum, err := msm.PackedSumVartime(ctx, c.Columns[0].Data[:32*c.Rows], c.Columns[1].Data[:64*c.Rows],
		&options)
	clear(c.Results)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		c.Verdicts[0] = device.Malformed
		return nil
	}
	c.Verdicts[0] = device.Valid
	if sum.IsIdentity() {
		return nil
	}
	key, err := sum.PublicKey()
	if err != nil {
		return err
	}
	copy(c.Results, key.UncompressedBytes()[1:])
	return nil
}

// column converts column i of a call, with values of width bytes, to a column of package batch. It
// returns a zero Column if the call does not have the column.
func column(c *device.Call, i, width int) batch.Column {
	switch col := &c.Columns[i]; {
	case col.Data == nil:
		return batch.Column{}
	case col.Stride == 0:
		return batch.Same(col.Data[:width])
	default:
		end := max(0, (c.Rows-1)*col.Stride+width)
		return batch.Strided(col.Data[:min(end, len(col.Data))], width, col.Stride)
	}
}

// Keys prepares each key of a call's set, with a table of at most maxBytes. An entry of the set
// without a key becomes nil.
func Keys(c *device.Call, maxBytes int) (list []*koblitz.PreparedKey, err error) {
	for points := c.Keys; len(points) > 0; points = points[device.PointSize:] {
		point := [device.PointSize]byte(points)
		if point == [device.PointSize]byte{} {
			list = append(list, nil)
			continue
		}
		key, err := koblitz.ParsePublicKey(append([]byte{4}, point[:]...))
		if err != nil {
			return nil, err
		}
		list = append(list, key.Prepare(maxBytes))
	}
	return list, nil
}

// numbers returns, for each row of a call of a prepared kind, the row's index into the set of keys.
func numbers(c *device.Call) []uint32 {
	list := make([]uint32, c.Rows)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(c.Columns[1].Data[i*c.Columns[1].Stride:])
	}
	return list
}
