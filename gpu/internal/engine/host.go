package engine

import (
	"context"
	"encoding/binary"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/device"
)

// onHost carries out a call by the CPU, as package batch does it without a device.
func onHost(ctx context.Context, c *device.Call) error {
	keys, err := preparedKeys(c, 0)
	if err != nil {
		return err
	}
	return onHostWith(ctx, c, keys)
}

// onHostWith is onHost with the call's keys, which were prepared before.
func onHostWith(ctx context.Context, c *device.Call, keys []*koblitz.PreparedKey) error {
	verdicts := make([]batch.Verdict, c.N)
	cols := Columns(c)
	var err error
	switch c.Kind {
	case device.ECDSA:
		rows := batch.ECDSARows{Hashes: cols[0], Keys: cols[1], Signatures: cols[2],
			RecoveryIDs: cols[3]}
		_, err = rows.Verify(ctx, verdicts, lowS[batch.ECDSAOption](c)...)
	case device.Schnorr:
		rows := batch.SchnorrRows{Messages: cols[0], Keys: cols[1], Signatures: cols[2]}
		_, err = rows.Verify(ctx, verdicts)
	case device.PreparedECDSA:
		rows := batch.PreparedECDSARows{Hashes: cols[0], Signatures: cols[2],
			Keys: keys, Indices: numbers(c)}
		_, err = rows.Verify(ctx, verdicts, lowS[batch.PreparedECDSAOption](c)...)
	case device.PreparedSchnorr:
		rows := batch.PreparedSchnorrRows{Messages: cols[0], Signatures: cols[2],
			Keys: keys, Indices: numbers(c)}
		_, err = rows.Verify(ctx, verdicts)
	case device.Recover:
		rows := batch.RecoverRows{Hashes: cols[0], Signatures: cols[1]}
		_, err = rows.Recover(ctx, c.Out, verdicts, lowS[batch.RecoverOption](c)...)
	case device.RecoverAddress:
		rows := batch.RecoverRows{Hashes: cols[0], Signatures: cols[1]}
		_, err = rows.EthereumAddresses(ctx, c.Out, verdicts, lowS[batch.RecoverOption](c)...)
	case device.Decompress:
		_, err = batch.KeyRows{Keys: cols[0]}.Decompress(ctx, c.Out, verdicts)
	case device.PublicKeys:
		rows := batch.ScalarRows{Scalars: cols[0]}
		_, err = rows.PublicKeysVartime(ctx, c.Out, verdicts)
	default:
		err = ErrKind
	}
	for i, v := range verdicts {
		c.Verdicts[i] = device.Verdict(v)
	}
	return err
}

// Columns returns the columns of a call as package batch takes them. A column that the call has not
// is zero.
func Columns(c *device.Call) (cols [4]batch.Column) {
	kind := c.Kind
	switch kind {
	case device.AllSchnorr:
		kind = device.Schnorr
	case device.AllECDSA:
		kind = device.ECDSA
	}
	p, _ := programOf(kind)
	for i, width := range p.widths {
		switch col := &c.Cols[i]; {
		case col.Data == nil:
		case col.Stride == 0:
			cols[i] = batch.Same(col.Data[:width])
		default:
			end := max(0, (c.N-1)*col.Stride+width)
			cols[i] = batch.Strided(col.Data[:end], width, col.Stride)
		}
	}
	return cols
}

// preparedKeys returns the set of keys of a call, with tables of at most so many bytes each. Those
// of which there is none are nil.
func preparedKeys(c *device.Call, maxBytes int) (list []*koblitz.PreparedKey, err error) {
	for points := c.Keys; len(points) > 0; points = points[device.PointSize:] {
		point := [device.PointSize]byte(points)
		if point == [device.PointSize]byte{} {
			list = append(list, nil)
			continue
		}
		key, err := koblitz.NewPublicKey(append([]byte{4}, point[:]...))
		if err != nil {
			return nil, err
		}
		list = append(list, key.Prepare(maxBytes))
	}
	return list, nil
}

// numbers returns the numbers of keys of a call of a prepared kind.
func numbers(c *device.Call) []uint32 {
	list := make([]uint32, c.N)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(c.Cols[1].Data[i*c.Cols[1].Stride:])
	}
	return list
}

// lowS returns the option LowS if the call has it.
func lowS[O any](c *device.Call) (list []O) {
	if o, ok := any(batch.LowS()).(O); ok && c.LowS {
		list = append(list, o)
	}
	return list
}
