//ct:public takes public rows

package batch

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/engine"
)

// EllswiftRows are ElligatorSwift encodings of public keys (BIP-324), as package ellswift makes
// them.
type EllswiftRows struct {
	Encodings Column // 64 bytes, u and t, big-endian
}

// XOnlyPublicKeys decodes the x coordinate of each encoding, and returns the number of rows that it
// has decoded. verdicts must have one element for each row; XOnlyPublicKeys overwrites all of them.
// dst must have 32 bytes for each row. XOnlyPublicKeys writes to those bytes the x-only key of what
// ellswift.Decode returns. Every row is Valid: all 64 bytes encode a key. It writes nothing for
// rows that were not reached. Options.Device is not used.
//
// The rows share inversions, and no y coordinate is computed. The time depends on the encodings.
//
// Errors are those of [RecoverRows.Recover].
func (r EllswiftRows) XOnlyPublicKeys(
	ctx context.Context, dst []byte, verdicts []Verdict, o *Options,
) (valid int, err error) {
	return newCall(engine.DecodeEllswift, 0, o).find(ctx, dst, verdicts,
		r.Encodings.field("Encodings", 64))
}
