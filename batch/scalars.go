package batch

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/device"
)

// ScalarRows are public scalars, of which the multiples of G are asked for: what a proof or a
// protocol has published, or the numbers of a search. They are not for private keys: those
// have koblitz.PrivateKey.PublicKey, whose time does not depend on them.
type ScalarRows struct {
	Scalars Column // 32 bytes, big-endian, in [1, n)
}

// PublicKeysVartime computes k·G for as many scalars k as there are verdicts, overwrites those,
// and returns how many are Valid. It writes 65 bytes a row to dst, whose length must be just
// that: the uncompressed key that koblitz.NewPrivateKey(k).PublicKey() has, or zeros if the row
// is Malformed, because k is 0 or not below n, which is the only other verdict. Of rows that
// were not reached nothing is written. dst must not overlap the scalars.
//
// The scalars must be public. The time depends on them, and so do the memory that is looked at
// and what is left in memory that later calls use.
//
// It is exact. Errors are those of [SchnorrRows.Verify], and one for a wrong length of dst.
func (r ScalarRows) PublicKeysVartime(
	ctx context.Context, dst []byte, verdicts []Verdict, opts ...KeyOption,
) (valid int, err error) {
	c := call{options: gather(opts), Call: device.Call{Kind: device.PublicKeys}}
	if c.Cols, err = columns(len(verdicts), field{"Scalars", 32, r.Scalars}); err != nil {
		return 0, err
	}
	if err := checkResults(dst, len(verdicts), device.KeySize); err != nil {
		return 0, err
	}
	return c.each(ctx, verdicts, dst)
}
