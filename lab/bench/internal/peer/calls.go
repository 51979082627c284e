package peer

import (
	"bytes"
	"context"

	"github.com/koblitz-go/koblitz/batch"
)

var ctx = context.Background()

// A Call is a function of package batch on columns.
type Call struct {
	Width  int                        // number of bytes of a row's result, zero for a verification
	Encode func(result []byte) []byte // returns the result in the encoding that the peers use
	run    func(c *Columns) (valid int, err error)
}

// The calls. The comment of each lists its columns.
var (
	// X-only keys, messages of 32 bytes, signatures.
	VerifySchnorr = Call{0, valid, func(c *Columns) (int, error) {
		rows := batch.SchnorrRows{
			Keys: batch.EncodedKeys(c.fields[0]), Messages: c.fields[1], Signatures: c.fields[2],
		}
		return rows.Verify(ctx, c.verdicts, &batch.Options{Workers: c.Workers, Exact: c.Exact})
	}}
	// Keys, hashes, signatures of 64 bytes: with any s, and under the rule that s must be low.
	VerifyECDSA     = Call{0, valid, verifyECDSA(batch.AnyS)}
	VerifyECDSALowS = Call{0, valid, verifyECDSA(batch.LowS)}
	// Hashes, signatures of 65 bytes.
	Recover = Call{65, shortKey, func(c *Columns) (int, error) {
		rows := batch.RecoverRows{Hashes: c.fields[0], Signatures: c.fields[1], S: batch.AnyS}
		return rows.Recover(ctx, c.results, c.verdicts, &batch.Options{Workers: c.Workers})
	}}
	// Keys of 33 bytes.
	Decompress = Call{65, shortKey, func(c *Columns) (int, error) {
		rows := batch.KeyRows{Keys: c.fields[0]}
		return rows.Decompress(ctx, c.results, c.verdicts, &batch.Options{Workers: c.Workers})
	}}
	// Public scalars.
	PublicKeysVartime = Call{65, shortKey, func(c *Columns) (int, error) {
		rows := batch.ScalarRows{Scalars: c.fields[0]}
		return rows.PublicKeysVartime(ctx, c.results, c.verdicts, &batch.Options{Workers: c.Workers})
	}}
	// Secrets.
	PublicKeys = Call{33, bytes.Clone, func(c *Columns) (int, error) {
		rows := batch.SecretRows{Secrets: c.fields[0]}
		return rows.PublicKeys(ctx, c.results, c.verdicts, &batch.SecretOptions{Workers: c.Workers})
	}}
	// Secrets, keys of 33 bytes.
	SharedX = Call{32, bytes.Clone, func(c *Columns) (int, error) {
		rows := batch.ECDHRows{Secrets: c.fields[0], Keys: c.fields[1]}
		return rows.SharedX(ctx, c.results, c.verdicts, &batch.SecretOptions{Workers: c.Workers})
	}}
	// Encodings of 64 bytes.
	DecodeEllswift = Call{32, bytes.Clone, func(c *Columns) (int, error) {
		rows := batch.EllswiftRows{Encodings: c.fields[0]}
		return rows.XOnlyPublicKeys(ctx, c.results, c.verdicts, &batch.Options{Workers: c.Workers})
	}}
	// Keys, tweaks.
	TweakAdd = Call{65, shortKey, func(c *Columns) (int, error) {
		rows := batch.TweakRows{Keys: c.fields[0], Tweaks: c.fields[1]}
		return rows.AddVartime(ctx, c.results, c.verdicts, &batch.Options{Workers: c.Workers})
	}}
	// X-only keys, tweaks, x coordinates of outputs, parities.
	CheckTweaks = Call{0, valid, func(c *Columns) (int, error) {
		rows := batch.TweakCheckRows{Keys: c.fields[0], Tweaks: c.fields[1], Outputs: c.fields[2],
			Parities: c.fields[3]}
		return rows.Verify(ctx, c.verdicts, &batch.Options{Workers: c.Workers})
	}}
	// Secrets, messages of 32 bytes, auxiliary randomness.
	SignSchnorr = Call{64, bytes.Clone, func(c *Columns) (int, error) {
		rows := batch.SchnorrSignRows{Secrets: c.fields[0], Messages: c.fields[1], Aux: c.fields[2]}
		return rows.Sign(ctx, c.results, c.verdicts, c.signing())
	}}
	// Secrets, hashes.
	SignECDSA = Call{65, withoutID, func(c *Columns) (int, error) {
		rows := batch.ECDSASignRows{Secrets: c.fields[0], Hashes: c.fields[1]}
		return rows.Sign(ctx, c.results, c.verdicts, c.signing())
	}}
)

func valid([]byte) []byte { return verdict(true) }

// shortKey returns the encoding of a key in 33 bytes for that in 65 bytes.
func shortKey(b []byte) []byte { return append([]byte{2 | b[64]&1}, b[1:33]...) }

// withoutID returns an ECDSA signature without the recovery id, which other peers do not compute.
func withoutID(b []byte) []byte { return b[:64] }

func verifyECDSA(rule batch.SRule) func(c *Columns) (int, error) {
	return func(c *Columns) (int, error) {
		rows := batch.ECDSARows{
			Keys: batch.EncodedKeys(c.fields[0]), Hashes: c.fields[1], Signatures: c.fields[2], S: rule,
		}
		return rows.Verify(ctx, c.verdicts, &batch.Options{Workers: c.Workers, Exact: c.Exact})
	}
}

// Columns holds the rows of a call, and afterwards its results and verdicts.
type Columns struct {
	Call
	Workers   int  // 1 by default, because the other peers use one thread
	Exact     bool // verification must not use equations over many rows
	Unchecked bool // new signatures are not verified

	fields   []batch.Column
	results  []byte
	verdicts []batch.Verdict
}

func (c *Columns) signing() *batch.SecretOptions {
	return &batch.SecretOptions{Workers: c.Workers, Unchecked: c.Unchecked}
}

// NewColumns returns columns for a call on rows, which are lists of fields. A field has the same
// width in all rows.
func NewColumns(call Call, rows [][][]byte) *Columns {
	n := len(rows)
	c := &Columns{Call: call, Workers: 1, results: make([]byte, n*call.Width),
		verdicts: make([]batch.Verdict, n)}
	for f, field := range rows[0] {
		packed := make([]byte, 0, n*len(field))
		for _, row := range rows {
			packed = append(packed, row[f]...)
		}
		c.fields = append(c.fields, batch.Packed(packed, len(field)))
	}
	return c
}

// Run runs the call and returns the number of valid rows.
func (c *Columns) Run() (valid int, err error) { return c.run(c) }

// Results returns the results of all rows, encoded. The result of a row that is not valid is nil.
func (c *Columns) Results() (all [][]byte) {
	for i, v := range c.verdicts {
		var b []byte
		if v == batch.Valid {
			b = c.Encode(c.results[i*c.Width:][:c.Width])
		}
		all = append(all, b)
	}
	return all
}
