package engine

import (
	"errors"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A Verdict is the answer for one row.
type Verdict = device.Verdict

// The verdicts.
const (
	Unchecked = device.Unchecked
	Valid     = device.Valid
	Invalid   = device.Invalid
	Malformed = device.Malformed
)

// A Kind names a scheme, how its rows are encoded, and which results it has. Rows of the zero
// value, and of other kinds without a scheme, stay Unchecked.
type Kind = device.Kind

// The kinds that batches and jobs of parsed rows have.
const (
	Schnorr    = device.Schnorr
	ECDSA      = device.ECDSA
	Recover    = device.Recover
	Decompress = device.Decompress
	PublicKeys = device.PublicKeys
)

// A scheme is what this package does with rows of one sort: BIP-340, ECDSA, recovery, decompression
// or public keys. Each is a value in a file of its own. All other files treat rows of all schemes
// alike.
type scheme struct {
	kind device.Kind // of calls with encoded keys and a verdict for each row
	all  device.Kind // of calls with one verdict for all rows; 0 if there is no equation

	// noPoint is the verdict on a row with an x coordinate that no point of the curve has.
	noPoint Verdict

	// arrays makes room in rows for what only this scheme has. It may be nil.
	arrays func(r *Rows)
	// parse sets a row that holds nothing to row i of a call.
	parse func(s *columns, r Row, i int)
	// scalars returns the factors a of G and b of the points of the job's rows. If b is nil,
	// only G is multiplied. scalars is nil if nothing is multiplied.
	scalars func(j *Job) (a, b []scalar.Scalar)
	// judge sets the verdicts of the job's rows, and found in schemes that find points.
	judge func(j *Job)
	// equation sets a, b and x of e for the rows from lo to hi. It returns false if a row among
	// them is not valid. It is nil if there is no equation.
	equation func(e *Equation, lo, hi int) bool

	// The fields below are zero if there is no equation.

	// evenNonce says that every row's nonce point has an even y coordinate. Otherwise only the
	// rows with a recovery id have a known nonce point, and so an equation.
	evenNonce bool
	// isCostly reports what [Rows.isCostly] would report of row i of a call with encoded keys,
	// without parsing the row. It takes a few nanoseconds.
	isCostly func(c *device.Call, i int) bool
	// layout returns the rules and the widths of the columns of a call on the rows of r in
	// list.
	layout func(r *Rows, list []int) (device.Rules, [4]int)
	// export sets row k of such a call to row i of r.
	export func(r *Rows, c *device.Call, k, i int)
}

// errKind is the error of a call with a kind that has no scheme, or no equation if it needs one.
var errKind = errors.New("engine: rows of no kind")

// schemeOf returns the scheme of the rows of a kind, or nil if the kind has none.
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
	}
	return nil
}

// hasEquation reports whether row i of r has an equation: the row is not settled, and its nonce
// point is known.
func (s *scheme) hasEquation(r *Rows, i int) bool {
	return r.isCostly(i) && (s.evenNonce || r.flags[i].id() != 0)
}

// mayHaveEquations reports whether rows of a call can have equations. Rows under prepared keys have
// none: their tables make each row cheap.
func (s *scheme) mayHaveEquations(c *device.Call) bool {
	return s.equation != nil && c.Kind == s.kind && (s.evenNonce || c.Columns[3].Data != nil)
}

// multiplies reports whether the scheme does more than lift x coordinates.
func (s *scheme) multiplies() bool { return s.scalars != nil }
