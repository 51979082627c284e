// Package lines has the names of package reading that were its own.
//
//ci:untested It holds names alone.
package lines

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"

type Format = reading.LineFormat

const BatchBytes = reading.BatchBytes

var New = reading.NewLines
