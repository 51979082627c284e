package batch

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/device"
)

// ScalarRows are public scalars k to multiply the base point G by: scalars from a published proof
// or protocol message, or the numbers of a search. They are not for private keys: the time of
// koblitz.PrivateKey.PublicKey does not depend on the key.
type ScalarRows struct {
	Scalars Column // 32 bytes, big-endian, in [1, n)
}

// PublicKeysVartime computes k·G for each scalar k, gives the row its verdict, and returns how many
// are Valid. There must be as many verdicts as scalars; it overwrites them. It writes 65 bytes a
// row to dst, which must have just that length: the uncompressed key that
// koblitz.NewPrivateKey(k).PublicKey() has, or zeros if the row is Malformed, because k is 0 or not
// below n. There is no other verdict. It writes nothing for rows that were not reached.
//
// The scalars must be public. The time depends on them, and so do the memory that is looked at
// and what is left in memory that later calls use.
//
// It is exact. Errors are those of [RecoverRows.Recover].
func (r ScalarRows) PublicKeysVartime(
	ctx context.Context, dst []byte, verdicts []Verdict, opts ...KeyOption,
) (valid int, err error) {
	c := call{options: gather(opts), Call: device.Call{Kind: device.PublicKeys}}
	if err := c.set(len(verdicts), dst, field{"Scalars", 32, r.Scalars}); err != nil {
		return 0, err
	}
	return c.each(ctx, verdicts, dst)
}
