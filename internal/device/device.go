// Package device is the seam between the calls of packages batch and msm and what
// carries them out: the host's own engine, or an accelerator. A call is described by
// bytes alone, columns in and fixed-width results out, so an [Engine] needs nothing
// of this module but this package.
package device

import "context"

// A Kind says what is done with the rows of a call. The zero value is no kind: an
// Engine returns an error for it, as for every kind that it does not know.
type Kind uint8

const (
	// Schnorr verifies BIP-340 signatures. Cols are messages of 32 bytes
	// (challenges, if Hashed), x-only keys of 32 and signatures of 64. Every row is
	// verified by itself, without an equation, since the caller may have asked for that.
	Schnorr Kind = iota + 1
	// ECDSA verifies signatures (SEC 1 version 2, section 4.1.4). Cols are hashes of
	// 32 bytes, compressed keys of 33, signatures of 64 (r and s, big-endian) and,
	// where Cols[3] has data, recovery ids of one byte, of which those above 3 make a
	// row Malformed and the others change no verdict. There is no equation either.
	ECDSA
	// Recover finds public keys (SEC 1 version 2, section 4.1.6). Cols are hashes of
	// 32 bytes and signatures of 65, the last byte of which is the recovery id. Out
	// has 65 bytes a row, the uncompressed key.
	Recover
	// Decompress finds the second coordinates of keys. Cols are compressed keys of
	// 33 bytes. Out has 65 bytes a row, the uncompressed key.
	Decompress
	// AllSchnorr is Schnorr with one verdict for all rows: Verdicts has one element.
	AllSchnorr
	// AllECDSA is ECDSA with one verdict for all rows: Verdicts has one element.
	AllECDSA
	// Sum adds up products of scalars and points. Cols are scalars of 32 bytes,
	// big-endian and below n, and points of 64, both coordinates or zeros for the
	// identity. Out has 64 bytes, one such point. Verdicts has one element, Valid,
	// or Malformed if some row encodes nothing.
	Sum
	// PublicKeys multiplies the generator. Cols are public scalars of 32 bytes, big-endian,
	// Malformed unless in [1, n). Out has 65 bytes a row, the uncompressed key.
	PublicKeys
	// PreparedSchnorr is Schnorr, and PreparedECDSA is ECDSA without recovery ids, under keys
	// of a set. Cols[1] has the number of a row's key in Keys, four bytes, the least significant
	// first. A number beyond the set, or that of no key, makes a row Malformed.
	PreparedSchnorr
	PreparedECDSA
	// RecoverAddress is Recover with the Ethereum addresses of the keys: Out has 20 bytes a
	// row, the last ones of the Keccak-256 of the key's coordinates, bytes 1 to 64 of the
	// uncompressed key (Yellow Paper, appendix F).
	RecoverAddress
)

// KeySize is the length in bytes of an uncompressed key (SEC 1 version 2, section
// 2.3.3), the result of a row of Recover, Decompress and PublicKeys.
const KeySize = 65

// PointSize is the length in bytes of both coordinates of a point, in Keys and in Sum.
const PointSize = 64

// AddressSize is the length in bytes of an Ethereum address, the result of a row of
// RecoverAddress.
const AddressSize = 20

// ResultSize returns how many bytes of Out a row of a kind has, or 0 if rows have no results
// of their own.
func (k Kind) ResultSize() int {
	switch k {
	case Recover, Decompress, PublicKeys:
		return KeySize
	case RecoverAddress:
		return AddressSize
	}
	return 0
}

// A Verdict is what an Engine says of a row. Package batch has the same numbers.
type Verdict uint8

const (
	Unchecked Verdict = 0 // the row was not reached, or not settled
	Valid     Verdict = 1
	Invalid   Verdict = 2 // the fields are well formed, the signature is not good
	Malformed Verdict = 3 // a field encodes nothing
)

// A Column is one field of all rows: that of row i begins at byte i·Stride of Data.
// With a Stride of 0 all rows have one value. A Column without data is not there.
type Column struct {
	Data   []byte
	Stride int
}

// A Call is one call on N rows. Every column holds at least as many; whoever makes a
// Call has seen to that.
type Call struct {
	Kind   Kind
	N      int
	LowS   bool // in ECDSA, Recover and RecoverAddress, s above n/2 is not valid
	Hashed bool // in Schnorr and AllSchnorr, Cols[0] holds the challenges instead of the messages

	// Cols and Keys are borrowed until Run returns: an Engine neither writes to them nor
	// keeps them.
	Cols [4]Column
	// Keys are the set of the prepared kinds, 64 bytes each: both coordinates of a point of
	// the curve, big-endian and below p, or zeros for no key. A key of PreparedSchnorr may
	// have an odd second coordinate, and its opposite is meant then.
	Keys []byte
	// Verdicts and Out are the caller's memory. Run alone writes to them, and to
	// nothing behind their lengths; after it has returned, nobody of the Engine
	// does. A row of Out has Kind.ResultSize bytes, which are zeros where the verdict is not
	// Valid.
	Verdicts []Verdict
	Out      []byte
}

// An Engine carries out calls. It is safe for concurrent use.
type Engine interface {
	// Pays reports whether Run is worth its while for so many rows of a kind. It
	// is called for every call, and quick.
	Pays(k Kind, n int) bool
	// Run carries out a call and returns when it is done. Verdicts are all Unchecked
	// before. Rows that it could not settle stay so, and the host does them. If it
	// returns an error, the host does the whole call, unless ctx is done: then the
	// call is over.
	Run(ctx context.Context, c *Call) error
}

// A Device is an Engine in the hands of a program, which cannot look into it.
type Device struct{ engine Engine }

// New returns the Device of an Engine.
func New(e Engine) *Device { return &Device{e} }

// Engine returns the Engine of d, or nil if d is nil or a zero value.
func (d *Device) Engine() Engine {
	if d == nil {
		return nil
	}
	return d.engine
}
