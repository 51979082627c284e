package engine

import (
	"errors"

	"github.com/koblitz-go/koblitz/device"
)

// A Verdict is the answer for one row.
type Verdict = device.Verdict

// These are the verdicts of package device.
const (
	Unchecked = device.Unchecked
	Valid     = device.Valid
	Invalid   = device.Invalid
	Malformed = device.Malformed
)

// A Kind names a scheme, an encoding of the rows, and a form of the results. Rows of the zero kind,
// and of other kinds without a scheme, stay Unchecked.
type Kind = device.Kind

// These are the kinds of package device for signatures under encoded keys.
const (
	Schnorr = device.Schnorr
	ECDSA   = device.ECDSA
)

// AddTweaks, CheckTweaks and DecodeEllswift are kinds of calls that only the CPU carries out.
// Package device does not define them: a kind there is a contract that every device.Engine must
// know or refuse, and a device gains less from t·G, which takes no doublings, than from
// verification. A call with such a kind must have no Options.Device.
//
// AddTweaks adds tweaks to keys. Columns[0] holds tweaks t of 32 bytes, below n, and Columns[1]
// keys P: 33 bytes, 65 with device.Uncompressed, or 32 with [XOnly]. Results has the uncompressed
// key P + t·G of each row.
//
// CheckTweaks compares P + t·G with an output. Columns[0] holds tweaks t of 32 bytes, Columns[1]
// x-only keys P of 32 bytes, and Columns[2] and Columns[3] the output's x coordinate, 32 bytes, and
// the parity of its y, one byte.
//
// DecodeEllswift decodes the encodings of 64 bytes in Columns[0] (BIP-324). Results has the x
// coordinate of each row, 32 bytes.
const (
	AddTweaks Kind = 0xf0 + iota
	CheckTweaks
	DecodeEllswift
)

// XOnly is a rule of calls of kind AddTweaks: the keys have 32 bytes, as in BIP-340.
const XOnly device.Rules = 1 << 31

// OnlyHost reports whether no device may be asked to carry out calls of kind k.
func OnlyHost(k Kind) bool { return k >= AddTweaks && k <= DecodeEllswift }

// xSize is the number of bytes of an x coordinate.
const xSize = 32

// ResultSize returns the number of bytes of Results for each row of a kind, as [Kind.ResultSize]
// does for the kinds of package device.
func ResultSize(k Kind) int {
	switch k {
	case AddTweaks:
		return device.KeySize
	case DecodeEllswift:
		return xSize
	}
	return k.ResultSize()
}

// A scheme defines the steps for rows of one sort: BIP-340, ECDSA, recovery, decompression, public
// keys, tweaks or encodings. Each scheme is a value in its own file. All other files treat rows of
// all schemes alike.
type scheme struct {
	kind device.Kind // of calls with encoded keys and one verdict for each row
	all  device.Kind // of calls with one verdict for all rows; 0 if there is no equation

	// noPoint is the reason of a row with an x coordinate that no point of the curve has, and
	// unequal that of a row that judge calls invalid.
	noPoint, unequal Reason

	// parse sets the empty row r to row i of the columns.
	parse func(c *columns, r *row, i int)
	// xOnly says that encoded keys have 32 bytes, as in BIP-340.
	xOnly bool
	// multiply sets the products j.r of the rows j.rows. It is nil if the scheme multiplies nothing.
	multiply func(j *job)
	// judge sets the verdicts of the rows j.rows, and their points p if the scheme finds points.
	judge func(j *job)
	// equation sets the fields a, b and x of e for the rows from lo to hi, on the given worker. It
	// returns false if one of those rows is not valid. The field is nil if there is no equation.
	equation func(e *equation, worker, lo, hi int) bool

	// The fields below are zero if the scheme has no equation.

	// evenNonce says that every row's nonce point has an even y coordinate. If it is false, only
	// rows with a recovery id have a known nonce point, and so an equation.
	evenNonce bool
}

// errKind is the error of a call whose kind has no scheme, or has results although the call has no
// memory for them.
var errKind = errors.New("engine: rows of no kind")

// schemeOf returns the scheme of a kind, or nil if the kind has none.
func schemeOf(k Kind) *scheme {
	switch k {
	case device.Schnorr, device.PreparedSchnorr:
		return &bip340
	case device.ECDSA, device.PreparedECDSA:
		return &ecdsa
	case device.Recover, device.RecoverAddress:
		return &recovery
	case device.Decompress:
		return &decompression
	case device.PublicKeys:
		return &publicKeys
	case AddTweaks:
		return &addTweaks
	case CheckTweaks:
		return &checkTweaks
	case DecodeEllswift:
		return &ellswift
	}
	return nil
}

// hasEquation reports whether r has an equation: parsing found no verdict, and the row's nonce
// point is known.
func (s *scheme) hasEquation(r *row) bool { return r.isUndecided() && (s.evenNonce || r.id != 0) }
