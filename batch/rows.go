package batch

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/device"
	"github.com/koblitz-go/koblitz/internal/engine"
)

// SchnorrRows are BIP-340 signatures on messages of 32 bytes: x-only keys of 32
// bytes and signatures of 64. For messages of other lengths there is [Schnorr], also with a
// device.
type SchnorrRows struct {
	Messages   Column // 32 bytes
	Keys       Column // 32 bytes, as for koblitz.NewXOnlyPublicKey
	Signatures Column // 64 bytes
}

func (r SchnorrRows) fields() []field {
	return []field{
		{"Messages", 32, r.Messages}, {"Keys", 32, r.Keys}, {"Signatures", 64, r.Signatures},
	}
}

// Verify gives each row its verdict, and returns how many are Valid. There must be as many
// verdicts as rows, so that no row is left out; it overwrites them. A row is Valid where
// [schnorr.Verify] says so, and Malformed if the key is not one, if the first half of the
// signature is not below p or the second one not below n.
//
// From some dozens of rows on it takes equations for many rows at a time, as
// [Schnorr.Verify] does, and verifies the rows of one that does not hold one by one.
// Whatever the rows are, it takes at most 1.2 times as long (as measured, on one core) as
// [Exact] takes for as many good ones, and with good rows about half as long as that. A
// row that is not valid can pass for one with a probability of 2^-128.
//
// Verify returns an error before it writes anything if a column is missing, has another width
// than its field, or has not as many rows as there are verdicts. If ctx is done before all rows
// are, the rest is Unchecked, and the error is that of ctx.
func (r SchnorrRows) Verify(
	ctx context.Context, verdicts []Verdict, opts ...SchnorrOption,
) (valid int, err error) {
	c := call{options: gather(opts), Call: device.Call{Kind: engine.Schnorr}}
	if err := c.set(len(verdicts), nil, r.fields()...); err != nil {
		return 0, err
	}
	return c.each(ctx, verdicts, nil)
}

// VerifyAll reports whether all rows are valid. It may stop at the first that is not, and takes
// equations as [SchnorrRows.Verify] does.
//
// It returns an error, and no answer, if a column is missing or has another width than its field,
// if the columns do not all have the same number of rows, if that number is zero or is not known
// because all columns are [Same], or if ctx is done before the answer is there.
func (r SchnorrRows) VerifyAll(ctx context.Context, opts ...SchnorrOption) (bool, error) {
	n, err := commonRows(r.fields()...)
	if err != nil {
		return false, err
	}
	c := call{options: gather(opts), Call: device.Call{Kind: device.AllSchnorr}}
	if err := c.set(n, nil, r.fields()...); err != nil {
		return false, err
	}
	return c.all(ctx, n)
}

// ECDSARows are ECDSA signatures: hashes of 32 bytes, compressed keys of 33, and
// signatures of 64, r and s in big-endian order. For hashes of other lengths and
// uncompressed keys there is [ECDSA].
type ECDSARows struct {
	Hashes     Column // 32 bytes
	Keys       Column // 33 bytes, as for koblitz.NewPublicKey
	Signatures Column // 64 bytes, as for ecdsa.ParseSignature

	// RecoveryIDs are single bytes, 0 to 3, as ecdsa.SignRecoverable makes them. This column
	// alone may be left out. Ids change no verdict but Malformed for one above 3; with right
	// ones equations for many rows are possible. Signatures of 65 bytes, r, s and the id, hold
	// both columns: see [Strided].
	RecoveryIDs Column
}

func (r ECDSARows) fields() []field {
	fields := []field{{"Hashes", 32, r.Hashes}, {"Keys", 33, r.Keys}, {"Signatures", 64, r.Signatures}}
	if !r.RecoveryIDs.isZero() {
		fields = append(fields, field{"RecoveryIDs", 1, r.RecoveryIDs})
	}
	return fields
}

// Verify gives each row its verdict, and returns how many are Valid. There must be as many
// verdicts as rows; it overwrites them. A row is Valid where [ecdsa.Verify] says so (with
// [LowS], [ecdsa.VerifyLowS]), and Malformed if the key or the signature cannot
// be parsed, or if there is a recovery id above 3. Errors are those of
// [SchnorrRows.Verify].
//
// With recovery ids it takes equations as [SchnorrRows.Verify] does. Rows whose ids
// are wrong get the verdict that they have without, only later.
func (r ECDSARows) Verify(
	ctx context.Context, verdicts []Verdict, opts ...ECDSAOption,
) (valid int, err error) {
	c := call{options: gather(opts), Call: device.Call{Kind: engine.ECDSA}}
	if err := c.set(len(verdicts), nil, r.fields()...); err != nil {
		return 0, err
	}
	return c.each(ctx, verdicts, nil)
}

// VerifyAll reports whether all rows are valid, as [SchnorrRows.VerifyAll] does. With
// recovery ids it takes equations. Rows among which one does not hold are verified
// without ids: wrong ids make VerifyAll take up to twice as long as no ids at all.
func (r ECDSARows) VerifyAll(ctx context.Context, opts ...ECDSAOption) (bool, error) {
	n, err := commonRows(r.fields()...)
	if err != nil {
		return false, err
	}
	c := call{options: gather(opts), Call: device.Call{Kind: device.AllECDSA}}
	if err := c.set(n, nil, r.fields()...); err != nil {
		return false, err
	}
	return c.all(ctx, n)
}

// RecoverRows are recoverable ECDSA signatures: hashes of 32 bytes and signatures
// of 65, r and s in big-endian order and the recovery id, 0 to 3.
type RecoverRows struct {
	Hashes     Column // 32 bytes
	Signatures Column // 65 bytes, as for ecdsa.Recover
}

// Recover finds the key of each row, gives the row its verdict, and returns how many are Valid.
// There must be as many verdicts as rows; it overwrites them. It writes 65 bytes a row to dst,
// which must have just that length: the uncompressed key, as [ecdsa.Recover] finds it, if the
// row is Valid, and zeros if it is not. It writes nothing for rows that were not reached.
//
// A row is Malformed if r or s is not in [1, n) or the recovery id is above 3. It
// is Invalid if no key comes of it: no point has the x coordinate that r and the
// id name, or the key would be infinity, or s is above n/2 with [LowS].
//
// About half of all numbers r give a key, whether or not it has signed anything: a
// signature proves something only if the key is one that the caller expects.
//
// For the addresses of Ethereum there is [RecoverRows.EthereumAddresses].
//
// Errors are those of [SchnorrRows.Verify], and one, before anything is written, if dst has a wrong
// length or shares memory with a column.
func (r RecoverRows) Recover(
	ctx context.Context, dst []byte, verdicts []Verdict, opts ...RecoverOption,
) (valid int, err error) {
	return r.find(ctx, device.Recover, dst, verdicts, opts)
}

// EthereumAddresses finds the senders of Ethereum's transactions: it is [RecoverRows.Recover] but
// for the results, which are addresses instead of keys. It writes 20 bytes a row to dst, whose
// length must be just that: the last 20 bytes of the Keccak-256 of the key's two coordinates
// (Yellow Paper, appendix F) if the row is Valid, and zeros if it is not. Zeros are an address
// too, the address of no sender: only the verdict says that there is one.
//
// The last byte of a signature is the recovery id, 0 to 3, and not the v of a transaction, which
// is 27 more, or has the chain's number in it (EIP-155). Since Homestead the s of a transaction
// must be low (EIP-2), which [LowS] sees to, and ids are 0 and 1 alone, which it does not.
func (r RecoverRows) EthereumAddresses(
	ctx context.Context, dst []byte, verdicts []Verdict, opts ...RecoverOption,
) (valid int, err error) {
	return r.find(ctx, device.RecoverAddress, dst, verdicts, opts)
}

// find writes the results of a kind to dst.
func (r RecoverRows) find(
	ctx context.Context, kind device.Kind, dst []byte, verdicts []Verdict, opts []RecoverOption,
) (valid int, err error) {
	c := call{options: gather(opts), Call: device.Call{Kind: kind}}
	err = c.set(len(verdicts), dst,
		field{"Hashes", 32, r.Hashes}, field{"Signatures", 65, r.Signatures})
	if err != nil {
		return 0, err
	}
	return c.each(ctx, verdicts, dst)
}

// KeyRows are compressed public keys.
type KeyRows struct {
	Keys Column // 33 bytes, as for koblitz.NewPublicKey
}

// Decompress finds the second coordinate of each key, gives the row its verdict, and returns how
// many keys are Valid. There must be as many verdicts as keys; it overwrites them. It writes 65
// bytes a row to dst, which must have just that length: the uncompressed key, or zeros if the row
// is Malformed, the only other verdict. It writes nothing for rows that were not reached.
//
// Errors are those of [RecoverRows.Recover].
func (r KeyRows) Decompress(
	ctx context.Context, dst []byte, verdicts []Verdict, opts ...KeyOption,
) (valid int, err error) {
	c := call{options: gather(opts), Call: device.Call{Kind: engine.Decompress}}
	if err := c.set(len(verdicts), dst, field{"Keys", 33, r.Keys}); err != nil {
		return 0, err
	}
	return c.each(ctx, verdicts, dst)
}
