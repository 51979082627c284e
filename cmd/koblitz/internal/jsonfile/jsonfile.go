// Package jsonfile has the names of package reading that were its own.
//
//ci:untested It holds names alone.
package jsonfile

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"

type (
	Reader = reading.JSON
	Limits = reading.Limits
	Object = reading.Object
)

var New, Outline = reading.NewJSON, reading.Outline
