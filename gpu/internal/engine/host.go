package engine

import (
	"context"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/device"
)

// onHost carries out a call by the CPU, as package batch does it without a device.
func onHost(ctx context.Context, c *device.Call) error {
	verdicts := make([]batch.Verdict, c.N)
	cols := [4]batch.Column{}
	for i, col := range c.Cols {
		cols[i] = batch.Column(col)
	}
	var err error
	switch c.Kind {
	case device.ECDSA:
		rows := batch.ECDSARows{Hashes: cols[0], Keys: cols[1], Signatures: cols[2],
			RecoveryIDs: cols[3]}
		_, err = rows.Verify(ctx, verdicts, lowS[batch.ECDSAOption](c)...)
	case device.Schnorr:
		rows := batch.SchnorrRows{Messages: cols[0], Keys: cols[1], Signatures: cols[2]}
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

// lowS returns the option LowS if the call has it.
func lowS[O any](c *device.Call) (list []O) {
	if o, ok := any(batch.LowS()).(O); ok && c.LowS {
		list = append(list, o)
	}
	return list
}
