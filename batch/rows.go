//ct:public takes public rows

package batch

import (
	"context"
	"errors"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
)

// SchnorrRows are BIP-340 signatures on messages of 32 bytes. For messages of other lengths use
// [Schnorr].
type SchnorrRows struct {
	Messages   Column // 32 bytes
	Keys       Keys   // 32 bytes, or prepared
	Signatures Column // 64 bytes
}

// Verify sets the verdict of each row, and returns the number of Valid rows. verdicts must have one
// element for each row; Verify overwrites all of them. A row is Valid if [schnorr.Verify] returns
// true for it. It is Malformed if the key cannot be decoded, if the first half of the signature is
// not below p, or if the second half is not below n. Otherwise it is Invalid.
//
// With some dozens of rows or more, Verify computes one equation for many rows, as
// [Schnorr.VerifyAll] does, and verifies the rows of an equation that does not hold one by one. It
// calls a bad row Valid with a probability of 2^-128. Valid rows take about half as long as with
// Exact. Any rows take at most 1.2 times as long (as measured, on one core) as the same number of
// valid rows takes with Exact.
//
// Verify returns an error before it writes anything if a column is missing, has another width than
// its field, or does not have as many rows as there are verdicts. If ctx is done first, Verify
// returns the error of ctx, and rows that were not reached are Unchecked.
func (r SchnorrRows) Verify(
	ctx context.Context, verdicts []Verdict, o *Options,
) (valid int, err error) {
	return r.call(len(verdicts), o).each(ctx, verdicts, nil)
}

// VerifyAll reports whether all rows are valid. The argument rows is the number of rows. VerifyAll
// may stop at the first row that is not valid, and computes equations as [SchnorrRows.Verify] does.
//
// It returns an error, and no answer, if rows is below 1, if a column is missing, has another width
// than its field or another number of rows, or if ctx is done first.
func (r SchnorrRows) VerifyAll(ctx context.Context, rows int, o *Options) (bool, error) {
	return r.call(rows, o).all(ctx, rows)
}

func (r *SchnorrRows) call(rows int, o *Options) *call {
	c := newCall(device.Schnorr, 0, o)
	c.err = c.setSigned(rows, device.PreparedSchnorr, &r.Keys,
		r.Messages.field("Messages", 32),
		r.Keys.encoded.field("Keys", 32),
		r.Signatures.field("Signatures", 64))
	return c
}

// setSigned sets the columns and keys of a call on signatures. The second field must be the field
// of encoded keys. If the keys are prepared, setSigned changes the kind of the call to the
// parameter prepared, the same operation with prepared keys.
func (c *call) setSigned(rows int, prepared device.Kind, k *Keys, fields ...field) error {
	if k.prepared == nil {
		return c.set(rows, nil, fields...)
	}
	width := fields[1].widths[0]
	fields[1].values = values{same, make([]byte, width), width, 0} // a placeholder: nothing reads it
	if err := c.set(rows, nil, fields...); err != nil {
		return err
	}
	return c.setPrepared(prepared, k, rows)
}

// ECDSARows are ECDSA signatures on hashes of 32 bytes. For hashes of other lengths use [ECDSA].
type ECDSARows struct {
	Hashes     Column // 32 bytes
	Keys       Keys   // 33 or 65 bytes, or prepared
	Signatures Column // 64 bytes, r and s, as for ecdsa.ParseSignature

	// RecoveryIDs are single bytes, 0 to 3, as ecdsa.SignRecoverable returns them. This column
	// is optional. If all ids are right, equations for many rows are possible. A wrong id
	// changes no verdict, but an id above 3 makes its row Malformed. See [Strided] for
	// signatures of 65 bytes, r, s and the id. With prepared keys this column is an error.
	RecoveryIDs Column

	S SRule // AnyS or LowS
}

// Verify sets the verdict of each row, and returns how many are Valid. verdicts must have one
// element for each row; Verify overwrites all of them. A row is Valid if [ecdsa.Verify] returns
// true for it ([ecdsa.VerifyLowS] under the rule LowS). It is Malformed if the key or the signature
// cannot be parsed, or if the recovery id is above 3. Otherwise it is Invalid. Errors are those of
// [SchnorrRows.Verify], and there is an error if S is neither AnyS nor LowS, or if there are
// recovery ids with prepared keys.
//
// With recovery ids, Verify computes equations as [SchnorrRows.Verify] does. Wrong ids change no
// verdict and make it slower.
func (r ECDSARows) Verify(
	ctx context.Context, verdicts []Verdict, o *Options,
) (valid int, err error) {
	return r.call(len(verdicts), o).each(ctx, verdicts, nil)
}

// VerifyAll reports whether all rows are valid, as [SchnorrRows.VerifyAll] does. With recovery ids
// it computes equations. If an equation does not hold, VerifyAll verifies each row without its id,
// so wrong ids make it take up to twice as long as without ids. Errors are those of
// [SchnorrRows.VerifyAll], and those of [ECDSARows.Verify] that concern S and RecoveryIDs.
func (r ECDSARows) VerifyAll(ctx context.Context, rows int, o *Options) (bool, error) {
	return r.call(rows, o).all(ctx, rows)
}

var errPreparedIDs = errors.New("batch: RecoveryIDs: not allowed with prepared keys")

func (r *ECDSARows) call(rows int, o *Options) *call {
	rules, err := r.S.rules()
	if err != nil {
		return &call{err: err}
	}
	fields := []field{r.Hashes.field("Hashes", 32), r.Keys.encoded.field("Keys", 33, 65),
		r.Signatures.field("Signatures", 64)}
	if !r.RecoveryIDs.isZero() {
		if r.Keys.prepared != nil {
			return &call{err: errPreparedIDs}
		}
		fields = append(fields, r.RecoveryIDs.field("RecoveryIDs", 1))
	}
	if fields[1].width == 65 {
		rules |= device.Uncompressed
	}
	c := newCall(device.ECDSA, rules, o)
	c.err = c.setSigned(rows, device.PreparedECDSA, &r.Keys, fields...)
	return c
}

// RecoverRows are ECDSA signatures with recovery ids on hashes of 32 bytes.
type RecoverRows struct {
	Hashes     Column // 32 bytes
	Signatures Column // 65 bytes, r, s and the recovery id, 0 to 3, as for ecdsa.Recover
	S          SRule  // AnyS or LowS
}

// Recover finds the key of each row, sets the row's verdict, and returns the number of Valid rows.
// verdicts must have one element for each row; Recover overwrites all of them. dst must have 65
// bytes for each row. If a row is Valid, Recover writes to those bytes the uncompressed key that
// [ecdsa.Recover] returns; if the row is Invalid or Malformed, it writes zeros. Recover writes
// nothing for rows that were not reached, unless they were given to Options.Device.
//
// A row is Malformed if r or s is not in [1, n), or if the recovery id is above 3. It is Invalid if
// no point has the x coordinate given by r and the id, if the key would be infinity, or if s is
// above n/2 under the rule LowS.
//
// About half of all numbers r give a key, even if that key has never signed anything. A signature
// proves something only if the caller compares the key with one that it expects.
//
// Errors are those of [ECDSARows.Verify] for columns, S and ctx. There is an error, before anything
// is written, if dst has another length, if dst shares memory with a column, or if Exact is set.
func (r RecoverRows) Recover(
	ctx context.Context, dst []byte, verdicts []Verdict, o *Options,
) (valid int, err error) {
	return r.find(ctx, device.Recover, dst, verdicts, o)
}

// EthereumAddresses finds the senders of Ethereum transactions. It works like
// [RecoverRows.Recover], with addresses in place of keys: dst must have 20 bytes for each row. If
// the row is Valid, EthereumAddresses writes the last 20 bytes of the Keccak-256 hash of the key's
// coordinates (Yellow Paper, appendix F); if it is Invalid or Malformed, zeros. Zeros are also a
// well-formed address, so callers must check the verdict.
//
// The last byte of a signature is the recovery id, 0 to 3. It is not the v of a transaction, which
// is the id plus 27, or plus a number that depends on the chain (EIP-155). Since Homestead a
// transaction must have a low s (EIP-2), which the rule LowS checks, and an id of 0 or 1, which
// EthereumAddresses does not check.
func (r RecoverRows) EthereumAddresses(
	ctx context.Context, dst []byte, verdicts []Verdict, o *Options,
) (valid int, err error) {
	return r.find(ctx, device.RecoverAddress, dst, verdicts, o)
}

// find carries out a call of the given kind and writes its results to dst.
func (r *RecoverRows) find(
	ctx context.Context, kind device.Kind, dst []byte, verdicts []Verdict, o *Options,
) (valid int, err error) {
	rules, err := r.S.rules()
	if err != nil {
		return 0, err
	}
	return newCall(kind, rules, o).find(ctx, dst, verdicts,
		r.Hashes.field("Hashes", 32), r.Signatures.field("Signatures", 65))
}

// find sets the fields as columns of the call c, carries c out, and writes its results to dst.
func (c *call) find(
	ctx context.Context, dst []byte, verdicts []Verdict, fields ...field,
) (valid int, err error) {
	if c.err = errExact; !c.Exact {
		c.err = c.set(len(verdicts), dst, fields...)
	}
	return c.each(ctx, verdicts, dst)
}

// KeyRows are compressed public keys.
type KeyRows struct {
	Keys Column // 33 bytes, as for koblitz.ParsePublicKey
}

// Decompress finds the y coordinate of each key, sets the row's verdict, and returns the number of
// Valid keys. verdicts must have one element for each key; Decompress overwrites all of them. dst
// must have 65 bytes for each key. If the row is Valid, Decompress writes the uncompressed key to
// those bytes; if it is Malformed, zeros. No row is Invalid. Decompress writes nothing for rows
// that were not reached, unless they were given to Options.Device.
//
// Errors are those of [RecoverRows.Recover].
func (r KeyRows) Decompress(
	ctx context.Context, dst []byte, verdicts []Verdict, o *Options,
) (valid int, err error) {
	return newCall(device.Decompress, 0, o).find(ctx, dst, verdicts,
		r.Keys.field("Keys", 33))
}

// ScalarRows are public scalars k that multiply the generator G: scalars of a published proof or
// protocol message, or the numbers of a search. They must not be private keys; for those there is
// koblitz.PrivateKey.PublicKey.
type ScalarRows struct {
	Scalars Column // 32 bytes, big-endian, in [1, n)
}

// PublicKeysVartime computes k·G for each scalar k, sets the row's verdict, and returns the number
// of Valid rows. verdicts must have one element for each scalar; PublicKeysVartime overwrites all
// of them. dst must have 65 bytes for each scalar. If the row is Valid, PublicKeysVartime writes to
// those bytes the uncompressed encoding of k·G. If k is 0 or not below n, the row is Malformed, and
// PublicKeysVartime writes zeros. No row is Invalid. It writes nothing for rows that were not
// reached, unless they were given to Options.Device.
//
// The scalars must be public: the time and the memory accesses depend on them, and later calls may
// use memory that still holds them.
//
// Errors are those of [RecoverRows.Recover].
func (r ScalarRows) PublicKeysVartime(
	ctx context.Context, dst []byte, verdicts []Verdict, o *Options,
) (valid int, err error) {
	return newCall(device.PublicKeys, 0, o).find(ctx, dst, verdicts,
		r.Scalars.field("Scalars", 32))
}

// A call is a call of package engine, together with its options. The methods of SchnorrRows,
// ECDSARows and the other types of rows make calls.
type call struct {
	device.Call
	engine.Options
	reasons *[]Reason // as in Options
	err     error     // the reason why the call cannot be carried out, or nil
}

// newCall returns a call without columns.
func newCall(kind device.Kind, rules device.Rules, o *Options) *call {
	c := &call{Call: device.Call{Kind: kind, Rules: rules}, Options: o.engine()}
	if o != nil {
		c.reasons = o.Reasons
	}
	if engine.OnlyHost(kind) {
		c.Device = nil
	}
	return c
}

var errExact = errors.New("batch: Exact: the call verifies no signatures and has no equations")

// each sets the verdicts of all rows, and writes results to dst if the kind has results. It returns
// the number of Valid rows.
func (c *call) each(ctx context.Context, verdicts []Verdict, dst []byte) (valid int, err error) {
	if c.err != nil {
		return 0, c.err
	}
	c.Rows, c.Verdicts, c.Results = len(verdicts), verdicts, dst
	c.Reasons = newReasons(c.reasons, len(verdicts))
	valid, err = engine.Do(forkjoin.Context(ctx), &c.Call, c.Options)
	setReasons(c.reasons, c.Reasons)
	return valid, err
}

// all reports whether all rows are valid.
func (c *call) all(ctx context.Context, rows int) (bool, error) {
	if rows < 1 {
		return false, errNoRows
	}
	if c.err != nil {
		return false, c.err
	}
	c.Rows = rows
	return engine.All(forkjoin.Context(ctx), &c.Call, c.Options)
}
