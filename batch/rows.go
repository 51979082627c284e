//ct:public takes public rows

package batch

import (
	"context"
	"errors"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// SchnorrRows are BIP-340 signatures on messages of 32 bytes. For messages of other lengths use
// [Schnorr].
type SchnorrRows struct {
	Messages   Column // 32 bytes
	Keys       Keys   // 32 bytes, or prepared
	Signatures Column // 64 bytes
}

// Verify sets the verdict of each row, one for each element of verdicts, and returns the number of
// Valid rows. A row is Valid if [schnorr.Verify] returns true for it. It is Malformed if the key
// cannot be decoded, if the first half of the signature is not below p, or if the second half is
// not below n. Otherwise it is Invalid. The comment of package batch lists the errors.
//
// With some dozens of rows or more, Verify computes one equation for many rows, as
// [Schnorr.VerifyAll] does, and verifies the rows of an equation that does not hold one by one. It
// calls a bad row Valid with a probability of 2^-128. Valid rows take about half as long as with
// Exact. If rows are not valid, a call takes at most 1.2 times as long (as measured, on one core)
// as a call with Exact on the same number of valid rows.
func (r SchnorrRows) Verify(
	ctx context.Context, verdicts []Verdict, o *Options,
) (valid int, err error) {
	return r.call(len(verdicts), o).each(ctx, verdicts)
}

// VerifyAll reports whether all rows are valid. The argument rows is the number of rows, at least
// 1. VerifyAll may stop at the first row that is not valid, and computes equations as
// [SchnorrRows.Verify] does.
func (r SchnorrRows) VerifyAll(ctx context.Context, rows int, o *Options) (bool, error) {
	return r.call(rows, o).all(ctx)
}

func (r *SchnorrRows) call(rows int, o *Options) *call {
	return newCall(device.Schnorr, 0, rows, o).setSigned(device.PreparedSchnorr, &r.Keys,
		r.Messages.field("Messages", 32), r.Keys.field(32), r.Signatures.field("Signatures", 64))
}

// setSigned sets the columns and keys of a call on signatures, and returns the call. If the keys
// are prepared it changes the kind to the parameter prepared, the same operation with prepared
// keys.
func (c *call) setSigned(prepared device.Kind, k *Keys, fields ...field) *call {
	c.set(nil, fields...)
	if k.prepared != nil && c.err == nil {
		c.Kind = prepared
		c.err = c.setPrepared(k.prepared())
	}
	return c
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

// Verify sets the verdict of each row, one for each element of verdicts, and returns the number of
// Valid rows. A row is Valid if [ecdsa.Verify] returns true for it ([ecdsa.VerifyLowS] under the
// rule LowS). It is Malformed if the key or the signature cannot be parsed, or if the recovery id
// is above 3. Otherwise it is Invalid.
//
// With recovery ids, Verify computes equations as [SchnorrRows.Verify] does. Wrong ids change no
// verdict, but they make Verify slower.
func (r ECDSARows) Verify(
	ctx context.Context, verdicts []Verdict, o *Options,
) (valid int, err error) {
	return r.call(len(verdicts), o).each(ctx, verdicts)
}

// VerifyAll reports whether all rows are valid, as [SchnorrRows.VerifyAll] does. With recovery ids
// it computes equations. If an equation does not hold, VerifyAll verifies each row without its id,
// so wrong ids make it take up to twice as long as without ids.
func (r ECDSARows) VerifyAll(ctx context.Context, rows int, o *Options) (bool, error) {
	return r.call(rows, o).all(ctx)
}

func (r *ECDSARows) call(rows int, o *Options) *call {
	rules, err := r.S.rules()
	c := newCall(device.ECDSA, rules, rows, o)
	c.err = err
	fields := []field{r.Hashes.field("Hashes", 32), r.Keys.field(33, 65),
		r.Signatures.field("Signatures", 64)}
	if r.RecoveryIDs.open != nil {
		fields = append(fields, r.RecoveryIDs.field("RecoveryIDs", 1))
		if r.Keys.prepared != nil && err == nil {
			c.err = errors.New("batch: RecoveryIDs: not allowed with prepared keys")
		}
	}
	if fields[1].width == 65 {
		c.Rules |= device.Uncompressed
	}
	return c.setSigned(device.PreparedECDSA, &r.Keys, fields...)
}

// RecoverRows are ECDSA signatures with recovery ids on hashes of 32 bytes.
type RecoverRows struct {
	Hashes     Column // 32 bytes
	Signatures Column // 65 bytes, r, s and the recovery id, 0 to 3, as for ecdsa.Recover
	S          SRule  // AnyS or LowS
}

// Recover finds the key of each row, sets the row's verdict, and returns the number of Valid rows.
// dst must have 65 bytes for each row. If a row is Valid, Recover writes to those bytes the
// uncompressed key that [ecdsa.Recover] returns; if the row is Invalid or Malformed, it writes
// zeros.
//
// A row is Malformed if r or s is not in [1, n), or if the recovery id is above 3. It is Invalid if
// no point has the x coordinate given by r and the id, if the key would be infinity, or if s is
// above n/2 under the rule LowS.
//
// About half of all numbers r give a key, even if that key has never signed anything. A signature
// proves something only if the caller compares the key with one that it expects.
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
	return newCall(kind, rules, len(verdicts), o).set(dst, r.Hashes.field("Hashes", 32),
		r.Signatures.field("Signatures", 65)).each(ctx, verdicts)
}

// KeyRows are compressed public keys.
type KeyRows struct {
	Keys Column // 33 bytes, as for koblitz.ParsePublicKey
}

// Decompress finds the y coordinate of each key, sets the row's verdict, and returns the number of
// Valid keys. dst must have 65 bytes for each key. If the row is Valid, Decompress writes the
// uncompressed key to those bytes; if it is Malformed, zeros. No row is Invalid.
func (r KeyRows) Decompress(
	ctx context.Context, dst []byte, verdicts []Verdict, o *Options,
) (valid int, err error) {
	return newCall(device.Decompress, 0, len(verdicts), o).
		set(dst, r.Keys.field("Keys", 33)).each(ctx, verdicts)
}

// ScalarRows are public scalars k that multiply the generator G: scalars of a published proof or
// protocol message, or the numbers of a search. They must not be private keys; for those there is
// koblitz.PrivateKey.PublicKey.
type ScalarRows struct {
	Scalars Column // 32 bytes, big-endian, in [1, n)
}

// PublicKeysVartime computes k·G for each scalar k, sets the row's verdict, and returns the number
// of Valid rows. dst must have 65 bytes for each scalar. If the row is Valid, PublicKeysVartime
// writes to those bytes the uncompressed encoding of k·G. If k is 0 or not below n, the row is
// Malformed, and PublicKeysVartime writes zeros. No row is Invalid.
//
// The scalars must be public: the time and the memory accesses depend on them, and later calls may
// use memory that still holds them.
func (r ScalarRows) PublicKeysVartime(
	ctx context.Context, dst []byte, verdicts []Verdict, o *Options,
) (valid int, err error) {
	return newCall(device.PublicKeys, 0, len(verdicts), o).
		set(dst, r.Scalars.field("Scalars", 32)).each(ctx, verdicts)
}

// EllswiftRows are ElligatorSwift encodings of public keys (BIP-324), as package ellswift makes
// them.
type EllswiftRows struct {
	Encodings Column // 64 bytes, u and t, big-endian
}

// XOnlyPublicKeys decodes the x coordinate of each encoding, and returns the number of rows that it
// has decoded. dst must have 32 bytes for each row. XOnlyPublicKeys writes to those bytes the x
// coordinate of the key that ellswift.Decode returns. Every row is Valid: all 64 bytes encode a
// key. Options.Device is not used.
//
// The rows share inversions, and no y coordinate is computed. The time depends on the encodings.
func (r EllswiftRows) XOnlyPublicKeys(
	ctx context.Context, dst []byte, verdicts []Verdict, o *Options,
) (valid int, err error) {
	return newCall(engine.DecodeEllswift, 0, len(verdicts), o).
		set(dst, r.Encodings.field("Encodings", 64)).each(ctx, verdicts)
}

// TweakRows are public keys, and public tweaks to add to them. Such additions derive the child keys
// of BIP-32 and the output keys of taproot (BIP-341). A secret tweak must not be in these rows:
// koblitz.PublicKey.TweakAdd takes constant time, and AddVartime does not.
type TweakRows struct {
	Keys   Column // 32 bytes, as for koblitz.ParseXOnlyPublicKey, or 33 or 65, as for ParsePublicKey
	Tweaks Column // 32 bytes, big-endian, below n
}

// AddVartime computes key + tweak·G for each row, sets the row's verdict, and returns the number of
// Valid rows. dst must have 65 bytes for each row. If the row is Valid, AddVartime writes to those
// bytes the uncompressed encoding of the key that TweakAdd of koblitz.PublicKey returns, or for
// keys of 32 bytes, TweakAdd of koblitz.XOnlyPublicKey. If the row is Invalid or Malformed, it
// writes zeros.
//
// A row is Malformed if the key cannot be decoded, or if the tweak is not below n. It is Invalid if
// the sum is infinity. A tweak of 0 is allowed: the sum is the key.
//
// If the keys are a column made by [Same], AddVartime decodes the key once. The tweaks must be
// public: the time and the memory accesses depend on them, and later calls may use memory that
// still holds them. Options.Device is not used.
func (r TweakRows) AddVartime(
	ctx context.Context, dst []byte, verdicts []Verdict, o *Options,
) (valid int, err error) {
	c, keys := newCall(engine.AddTweaks, 0, len(verdicts), o), r.Keys.field("Keys", 32, 33, 65)
	switch keys.width {
	case 32:
		c.Rules = engine.XOnly
	case 65:
		c.Rules = device.Uncompressed
	}
	c.decodeSame(&keys.values)
	return c.set(dst, r.Tweaks.field("Tweaks", 32), keys).each(ctx, verdicts)
}

// TweakCheckRows are claims that a taproot output commits to an internal key by a tweak (BIP-341,
// "Script validation rules"): the point key + tweak·G has the given x coordinate and parity.
// Spends of script paths make this claim. The tweak is the hash TapTweak of the key and the root
// of the script tree.
type TweakCheckRows struct {
	Keys     Column // 32 bytes, the internal keys, as for koblitz.ParseXOnlyPublicKey
	Tweaks   Column // 32 bytes, big-endian, below n
	Outputs  Column // 32 bytes, the x coordinates of the outputs
	Parities Column // 1 byte, 0 or 1: bit 0 of the first byte of a control block
}

// Verify sets the verdict of each row, one for each element of verdicts, and returns the number of
// Valid rows. A row is Valid if the claim is true. It is Malformed if the key cannot be decoded, if
// the tweak is not below n, if the output is not below p, or if the parity is neither 0 nor 1.
// Otherwise it is Invalid, even if the output is not the x coordinate of a point.
//
// Every verdict is exact: there is no equation for several rows, which would be slower. So Verify
// returns an error if Exact is set. Options.Device is not used.
func (r TweakCheckRows) Verify(
	ctx context.Context, verdicts []Verdict, o *Options,
) (valid int, err error) {
	return r.call(len(verdicts), o).each(ctx, verdicts)
}

// VerifyAll reports whether all rows are valid, as [SchnorrRows.VerifyAll] does. It returns an
// error if Exact is set.
func (r TweakCheckRows) VerifyAll(ctx context.Context, rows int, o *Options) (bool, error) {
	return r.call(rows, o).all(ctx)
}

func (r *TweakCheckRows) call(rows int, o *Options) *call {
	c, keys := newCall(engine.CheckTweaks, 0, rows, o), r.Keys.field("Keys", 32)
	c.decodeSame(&keys.values)
	return c.set(nil, r.Tweaks.field("Tweaks", 32), keys, r.Outputs.field("Outputs", 32),
		r.Parities.field("Parities", 1))
}

// decodeSame decodes the key once for all rows, if k is a column that Same has made.
func (c *call) decodeSame(k *values) {
	if k.form != same {
		return
	}
	var p *point.Affine
	if k.width == 32 {
		key, _ := koblitz.ParseXOnlyPublicKey(k.data)
		p = (*keys.XOnly)(key).Affine()
	} else {
		key, _ := koblitz.ParsePublicKey(k.data)
		p = (*keys.Public)(key).Affine()
	}
	if p != nil { // otherwise each row finds the reason why its key cannot be decoded
		c.key = func(int) (*point.Affine, *vartime.SplitTable) { return p, nil }
	}
}

// A call is a call of package engine, together with its options. The methods of SchnorrRows,
// ECDSARows and the other types of rows make calls.
type call struct {
	device.Call
	Options
	key func(i int) (*point.Affine, *vartime.SplitTable) // as Key of engine.Options
	err error                                            // why the call cannot be carried out, or nil
}

// newCall returns a call without columns.
func newCall(kind device.Kind, rules device.Rules, rows int, o *Options) *call {
	c := &call{Call: device.Call{Kind: kind, Rules: rules, Rows: rows}}
	if o != nil {
		c.Options = *o
	}
	if c.Exact && kind != device.Schnorr && kind != device.ECDSA {
		c.err = errors.New("batch: Exact: the call verifies no signatures and has no equations")
	}
	if engine.OnlyHost(kind) {
		c.Device = nil
	}
	return c
}

// set sets the columns of the call, and dst as the memory for its results, if it has results. It
// returns the call, with the error of fit unless the call already has an error.
func (c *call) set(dst []byte, fields ...field) *call {
	c.Results = dst
	for i, f := range fields {
		c.Columns[i] = device.Column{Data: f.data, Stride: f.stride}
	}
	if c.err == nil {
		c.err = fit(c.Rows, dst, engine.ResultSize(c.Kind), fields...)
	}
	return c
}

// each sets the verdicts of all rows, and their results if the kind has results. It returns the
// number of Valid rows.
func (c *call) each(ctx context.Context, verdicts []Verdict) (valid int, err error) {
	if c.err != nil {
		return 0, c.err
	}
	c.Verdicts = verdicts
	o := c.engine(c.Rows)
	o.Key = c.key
	valid, err = engine.Do(forkjoin.Context(ctx), &c.Call, o)
	c.setReasons(o.Reasons)
	return valid, err
}

// all reports whether all rows are valid.
func (c *call) all(ctx context.Context) (bool, error) {
	if c.Rows < 1 {
		return false, errors.New("batch: no rows")
	}
	if c.err != nil {
		return false, c.err
	}
	o := c.engine(0)
	o.Key = c.key
	return engine.All(forkjoin.Context(ctx), &c.Call, o)
}
