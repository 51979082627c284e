package batch

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/engine"
)

// SchnorrRows are BIP-340 signatures on messages of 32 bytes: x-only keys of 32
// bytes and signatures of 64. For messages of other lengths there is [Schnorr].
type SchnorrRows struct {
	Messages   Column // 32 bytes
	Keys       Column // 32 bytes, as for koblitz.NewXOnlyPublicKey
	Signatures Column // 64 bytes
}

// Verify verifies as many rows as there are verdicts, overwrites those, and
// returns how many are Valid. A row is Valid where [schnorr.Verify] says so, and
// Malformed if the key is not one, if the first half of the signature is not
// below p or the second one not below n.
//
// An error is returned before anything is written if a column is shorter than
// the rows or has a bad stride, and after it if ctx was done before all rows
// were: the rest is Unchecked then, and the error is that of ctx.
func (r SchnorrRows) Verify(ctx context.Context, verdicts []Verdict, opts ...Option) (valid int, err error) {
	n := len(verdicts)
	if err := r.Messages.check("Messages", n, 32); err != nil {
		return 0, err
	}
	if err := r.Keys.check("Keys", n, 32); err != nil {
		return 0, err
	}
	if err := r.Signatures.check("Signatures", n, 64); err != nil {
		return 0, err
	}
	return gather(opts).run(ctx, engine.Schnorr, sixteen(r.Messages, r.Signatures, func(row *engine.Row, i int) {
		row.SetKeyX(r.Keys.at32(i))
	}), verdicts, nil)
}

// ECDSARows are ECDSA signatures: hashes of 32 bytes, compressed keys of 33, and
// signatures of 64, r and s in big-endian order. For hashes of other lengths and
// uncompressed keys there is [ECDSA].
type ECDSARows struct {
	Hashes     Column // 32 bytes
	Keys       Column // 33 bytes, as for koblitz.NewPublicKey
	Signatures Column // 64 bytes, as for ecdsa.ParseSignature
}

// Verify verifies as many rows as there are verdicts, overwrites those, and
// returns how many are Valid. A row is Valid where [ecdsa.Verify] says so (with
// [LowS], [ecdsa.VerifyLowS]), and Malformed if the key or the signature cannot
// be parsed. Errors are those of [SchnorrRows.Verify].
func (r ECDSARows) Verify(ctx context.Context, verdicts []Verdict, opts ...Option) (valid int, err error) {
	n := len(verdicts)
	if err := r.Hashes.check("Hashes", n, 32); err != nil {
		return 0, err
	}
	if err := r.Keys.check("Keys", n, 33); err != nil {
		return 0, err
	}
	if err := r.Signatures.check("Signatures", n, 64); err != nil {
		return 0, err
	}
	o := gather(opts)
	return o.run(ctx, engine.ECDSA, each(func(row *engine.Row, i int) {
		row.SetKeyCompressed(r.Keys.at33(i))
		row.SetECDSA(r.Hashes.at32(i)[:], r.Signatures.at64(i), o.lowS)
	}), verdicts, nil)
}

// RecoverRows are recoverable ECDSA signatures: hashes of 32 bytes and signatures
// of 65, r and s in big-endian order and the recovery id, 0 to 3.
type RecoverRows struct {
	Hashes     Column // 32 bytes
	Signatures Column // 65 bytes, as for ecdsa.Recover
}

// Recover finds the keys of as many rows as there are verdicts, overwrites those,
// and returns how many are Valid. It writes 65 bytes a row to dst, whose length
// must be just that: the uncompressed key, as [ecdsa.Recover] finds it, if the
// row is Valid, and zeros if it is not. Of rows that were not reached nothing is
// written. dst must not overlap the columns.
//
// A row is Malformed if r or s is not in [1, n) or the recovery id is above 3. It
// is Invalid if no key comes of it: no point has the x coordinate that r and the
// id name, or the key would be infinity, or s is above n/2 with [LowS].
//
// A key comes of about half of all numbers r, whoever chose them: a signature
// proves something only if the key is one that the caller expects.
//
// Errors are those of [SchnorrRows.Verify], and one for a wrong length of dst.
func (r RecoverRows) Recover(ctx context.Context, dst []byte, verdicts []Verdict, opts ...Option) (valid int, err error) {
	n := len(verdicts)
	if err := r.Hashes.check("Hashes", n, 32); err != nil {
		return 0, err
	}
	if err := r.Signatures.check("Signatures", n, 65); err != nil {
		return 0, err
	}
	if err := checkResults(dst, n, keyWidth); err != nil {
		return 0, err
	}
	o := gather(opts)
	return o.run(ctx, engine.Recover, each(func(row *engine.Row, i int) {
		row.SetRecover(r.Hashes.at32(i)[:], r.Signatures.at65(i), o.lowS)
	}), verdicts, dst)
}

// KeyRows are compressed public keys.
type KeyRows struct {
	Keys Column // 33 bytes, as for koblitz.NewPublicKey
}

// Decompress finds the second coordinates of as many keys as there are verdicts,
// overwrites those, and returns how many keys are Valid. It writes 65 bytes a
// row to dst, whose length must be just that: the uncompressed key, or zeros if
// the row is Malformed, which is the only other verdict. Of rows that were not
// reached nothing is written. dst must not overlap the keys.
//
// Errors are those of [SchnorrRows.Verify], and one for a wrong length of dst.
func (r KeyRows) Decompress(ctx context.Context, dst []byte, verdicts []Verdict, opts ...Option) (valid int, err error) {
	n := len(verdicts)
	if err := r.Keys.check("Keys", n, 33); err != nil {
		return 0, err
	}
	if err := checkResults(dst, n, keyWidth); err != nil {
		return 0, err
	}
	return gather(opts).run(ctx, engine.Decompress, each(func(row *engine.Row, i int) {
		row.SetKeyCompressed(r.Keys.at33(i))
	}), verdicts, dst)
}
