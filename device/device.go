// Package device lets an accelerator, or a service, carry out calls of packages batch and msm in
// place of the CPU. It is experimental: it can change until a second implementer has used it
// (docs/releases.md). Only [Verdict], which is batch.Verdict, is as stable as package batch.
//
// An implementer writes an [Engine], tests it with package devicetest, and passes it to [New]. The
// result is a [Device] for batch.Options and msm.Options. A [Call] consists of a kind, rules and
// columns of bytes, and asks for verdicts and results of a fixed width. All of it is public data.
//
// # Verdicts of an Engine
//
// The verdict on a row is Valid, Invalid or Malformed exactly as [Kind], [Rules] and [Verdict] say,
// or Unchecked if the Engine leaves the row to the CPU. If a row is Malformed by one field and
// Invalid by another, it is Malformed. The CPU, here called the host, verifies again every row that
// is not Valid, and a random sample of the Valid ones. If it finds another verdict or result, it
// discards all that the Engine said of the call: so Malformed in place of Invalid costs the whole
// call. The host cannot verify the one verdict of AllSchnorr, AllECDSA and Sum, and trusts it.
package device

import (
	"context"
	"errors"
	"strconv"
)

// A Kind is the operation of a call. The zero value is no operation. An Engine must refuse the zero
// Kind, and every other kind that it does not know.
//
// Numbers in columns and results are big-endian unless a kind says otherwise. n is the order of the
// group and p the field prime.
type Kind uint8

const (
	// Schnorr verifies BIP-340 signatures, each row alone and without an equation for several rows.
	// Columns[0] holds messages of 32 bytes (challenges, with [Hashed]), Columns[1] x-only keys of
	// 32 bytes, and Columns[2] signatures of 64 bytes. A row is Malformed if lift_x fails for the
	// key, if the first half of the signature is not below p, or if the second half is not below n.
	Schnorr Kind = iota + 1
	// ECDSA verifies signatures (SEC 1 version 2, section 4.1.4), each row alone and without an
	// equation for several rows. Columns[0] holds hashes of 32 bytes, Columns[1] compressed keys of
	// 33 bytes (uncompressed keys of 65, with [Uncompressed]), and Columns[2] signatures of 64
	// bytes, r and s. If Columns[3] has data, it holds recovery ids of one byte. A row is Malformed
	// if the key is not a point of the curve in that encoding, if r or s is not in [1, n), or if
	// the recovery id is above 3. Ids of 0 to 3 change no verdict, even if they are wrong. A hash
	// may be n or more.
	ECDSA
	// Recover finds public keys (SEC 1 version 2, section 4.1.6). Columns[0] holds hashes of 32
	// bytes, and Columns[1] signatures of 65 bytes: r, s and the recovery id. Bit 0 of the id is
	// the parity of the nonce point's y, and bit 1 says that its x is r + n. A row is Malformed if
	// r or s is not in [1, n) or the id is above 3. It is Invalid if bit 1 is set and r + n is not
	// below p, if no point has that x, or if the key would be infinity. Results has 65 bytes a row,
	// the uncompressed key.
	Recover
	// Decompress finds the y coordinates of keys. Columns[0] holds compressed keys of 33 bytes. A
	// row is Malformed if these bytes are not the encoding of a key, and Valid otherwise. Results
	// has 65 bytes a row, the uncompressed key.
	Decompress
	// AllSchnorr verifies rows as Schnorr does, but gives one verdict for all rows: Verdicts has
	// one element. An Engine may verify one equation for all rows (docs/batch-soundness.md). The
	// host uses only the verdict Valid. If the verdict is Malformed, Invalid or Unchecked, the host
	// verifies the rows itself.
	AllSchnorr
	// AllECDSA verifies rows as ECDSA does, but gives one verdict for all rows, as in AllSchnorr.
	// Columns[3] always holds recovery ids, which an equation needs. If an id is wrong, the
	// signatures may still be valid, so the Engine then sets Unchecked and not Invalid.
	AllECDSA
	// Sum adds up products of scalars and points. Columns[0] holds scalars of 32 bytes, below n,
	// and Columns[1] points of 64 bytes, both coordinates, or zeros for the identity. Points may be
	// equal or opposite to each other. Results has 64 bytes, one such point. Verdicts has one
	// element: Malformed if a scalar is not below n or a point is not on the curve, and Valid
	// otherwise.
	Sum
	// PublicKeys multiplies the generator by public scalars. Columns[0] holds scalars of 32
	// bytes. A row is Malformed if its scalar is not in [1, n), and Valid otherwise. Results
	// has 65 bytes a row, the uncompressed key.
	PublicKeys
	// PreparedSchnorr verifies rows as Schnorr does, and PreparedECDSA as ECDSA does without
	// recovery ids, under keys of a set, Call.Keys. Columns[1] holds the index of each row's key in
	// the set, four bytes, little-endian. A row is Malformed if the index is beyond the set, or if
	// the key at that index is zeros.
	PreparedSchnorr
	PreparedECDSA
	// RecoverAddress works like Recover, with Ethereum addresses in place of keys: Results has 20
	// bytes a row. They are the last 20 bytes of the Keccak-256 hash of the key's coordinates,
	// bytes 1 to 64 of the uncompressed key (Yellow Paper, appendix F).
	RecoverAddress
)

//layers:allow an array of constants
var kindNames = [...]string{"", "Schnorr", "ECDSA", "Recover", "Decompress", "AllSchnorr",
	"AllECDSA", "Sum", "PublicKeys", "PreparedSchnorr", "PreparedECDSA", "RecoverAddress"}

// String returns the name of k, or its number if it has no name.
func (k Kind) String() string {
	if k == 0 || int(k) >= len(kindNames) {
		return "device.Kind(" + strconv.Itoa(int(k)) + ")"
	}
	return kindNames[k]
}

// KeySize is the length in bytes of an uncompressed key (SEC 1 version 2, section
// 2.3.3), the result of a row of Recover, Decompress and PublicKeys.
const KeySize = 65

// PointSize is the length in bytes of both coordinates of a point, in Keys and in Sum.
const PointSize = 64

// AddressSize is the length in bytes of an Ethereum address, the result of a row of
// RecoverAddress.
const AddressSize = 20

// ResultSize returns the number of bytes of Results for each row of a kind. It is 0 for the kinds
// that only verify, and for Sum, which has one result of PointSize bytes for all rows.
func (k Kind) ResultSize() int {
	switch k {
	case Recover, Decompress, PublicKeys:
		return KeySize
	case RecoverAddress:
		return AddressSize
	}
	return 0
}

// Rules are a set of bits that change the operation of a call. An Engine must refuse a call with a
// bit that it does not know: by ignoring a rule it could accept signatures that the caller refuses.
type Rules uint32

const (
	// LowS makes a row Invalid if its s is above n/2. It applies to ECDSA, AllECDSA, PreparedECDSA,
	// Recover and RecoverAddress.
	LowS Rules = 1 << iota
	// Hashed says that Columns[0] holds challenges in place of messages. A row's challenge, called
	// e in BIP-340, is the tagged hash of R's x, the key's x and the message, before or after it is
	// reduced mod n. Hashed applies to Schnorr and AllSchnorr.
	Hashed
	// Uncompressed says that Columns[1] holds keys of 65 bytes. It applies to ECDSA and AllECDSA.
	// The host compresses the keys for an Engine that refuses this rule.
	Uncompressed
)

// A Verdict is the answer of verification for one row.
type Verdict uint8

const (
	// Unchecked is the verdict on a row that has not been verified, because the context was done
	// before, or because an Engine has left the row to the CPU. It is the zero value.
	//
	//layers:allow nothing has judged the row
	Unchecked Verdict = 0
	// Valid is the verdict on a valid signature, or on a row whose key was found.
	Valid Verdict = 1
	// Invalid is the verdict on a row with well-formed fields, if the signature is not valid or if
	// no key can be recovered from it.
	Invalid Verdict = 2
	// Malformed is the verdict on a row with a field that is not the encoding of a key, signature
	// or scalar, or with a hash that is too short.
	Malformed Verdict = 3
)

// String returns the name of v in lower case, or its number if it has no name.
func (v Verdict) String() string {
	switch v {
	case Unchecked:
		return "unchecked"
	case Valid:
		return "valid"
	case Invalid:
		return "invalid"
	case Malformed:
		return "malformed"
	}
	return "device.Verdict(" + strconv.Itoa(int(v)) + ")"
}

// A Column is one field of all rows of a call. The field of row i begins at byte i·Stride of Data;
// the call's kind determines its width. With a Stride of 0 all rows have the same value. Data may
// end with the field of the last row, before its stride ends, or hold more rows than the call. A
// Column without data is absent.
type Column struct {
	Data   []byte
	Stride int
}

// A Call is one operation on a number of rows, at least 1. The host makes it, and guarantees that
// every column of the call's kind is present and holds a field for each row, and that Verdicts and
// Results have the right lengths.
type Call struct {
	Kind  Kind
	Rules Rules
	Rows  int

	// Columns and Keys are borrowed until Run returns: an Engine neither writes to them nor
	// keeps them.
	Columns [4]Column
	// Keys holds the set of keys of the prepared kinds, 64 bytes each: both coordinates of a point
	// of the curve, below p, or zeros for no key. A key of PreparedSchnorr may have an odd y; then
	// the signature is verified under its negative, the key with the same x and an even y.
	Keys []byte
	// Verdicts and Results belong to the host. Run may write to them until it returns, not later,
	// and never past their lengths. Each row has Kind.ResultSize bytes of Results, which Run sets
	// to zeros if the verdict is Invalid or Malformed. Before the call, Results may hold any bytes.
	Verdicts []Verdict
	Results  []byte
}

// An Engine carries out calls. Its methods must be safe for concurrent use. A panic in them is not
// recovered.
type Engine interface {
	// Accepts reports whether the host should give Run a call of kind k under the rules r with the
	// given number of rows. It must return false for a kind or a rule bit that the Engine does not
	// know. It should return false for numbers of rows that the CPU verifies sooner, or that the
	// Engine has no memory for. The host asks before every call, so Accepts must be quick. The host
	// gives Run at most 2^20 rows at a time, and a larger call in parts, except that a Sum is never
	// divided.
	Accepts(k Kind, r Rules, rows int) bool
	// Run carries out a call that Accepts accepts, and returns when the call is done. On entry all
	// Verdicts are Unchecked. If the Engine cannot verify a row, the row stays Unchecked, and the
	// host verifies it. If Run returns an error, the host discards all verdicts and results of the
	// call and computes them itself. Once ctx is done Run should return soon, with any error; the
	// host then uses no verdict or result of the call.
	Run(ctx context.Context, c *Call) error
}

// A Device holds an Engine that has passed the tests of [New], for options of packages batch and
// msm. It is safe for concurrent use. A nil Device and the zero value accept no call: the CPU
// carries out all of them.
type Device struct{ engine Engine }

// Engine returns the Engine of d, or nil if d is nil or a zero value.
func (d *Device) Engine() Engine {
	if d == nil {
		return nil
	}
	return d.engine
}

// Accepts reports whether the Engine of d accepts a call. It is false if d is nil or a zero value.
func (d *Device) Accepts(k Kind, r Rules, rows int) bool {
	e := d.Engine()
	return e != nil && e.Accepts(k, r, rows)
}

// errNone is the error of Run on a Device without an Engine.
var errNone = errors.New("device: no engine")

// Run passes a call to the Engine of d. Unlike packages batch and msm, it checks no verdict. A nil
// context never ends. Run returns an error if d is nil or a zero value.
func (d *Device) Run(ctx context.Context, c *Call) error {
	e := d.Engine()
	if e == nil {
		return errNone
	}
	if ctx == nil {
		ctx = context.Background()
	}
	return e.Run(ctx, c)
}
