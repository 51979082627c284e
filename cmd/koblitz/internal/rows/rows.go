// Package rows has the names of package reading that were its own.
//
//ci:untested It holds names alone.
package rows

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"

type (
	Blocks     = reading.Blocks
	Place      = reading.Place
	Resumable  = reading.Resumable
	Scheme     = reading.Scheme
	Verdict    = reading.Verdict
	Where      = reading.Where
	Signature  = reading.Signature
	Source     = reading.Source
	Unit       = reading.Unit
	Commitment = reading.Commitment
	Batch      = reading.Batch
	Reader     = reading.Reader
	Error      = reading.Error
)

const (
	ECDSA   = reading.ECDSA
	Schnorr = reading.Schnorr
	Recover = reading.Recover

	Unchecked     = reading.Unchecked
	Valid         = reading.Valid
	Invalid       = reading.Invalid
	Malformed     = reading.Malformed
	EngineChecked = reading.EngineChecked
	NotCheckable  = reading.NotCheckable
	PassedOver    = reading.PassedOver
	Recovered     = reading.Recovered
	Unsigned      = reading.Unsigned

	RowSize = reading.RowSize
)

var (
	BlocksOf    = reading.BlocksOf
	PlaceOf     = reading.PlaceOf
	NewPlace    = reading.NewPlace
	In          = reading.In
	Reason      = reading.Reason
	SighashHint = reading.SighashHint
)
