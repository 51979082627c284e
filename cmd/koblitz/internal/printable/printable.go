// Package printable has the names of package reading that were its own.
//
//ci:untested It holds names alone.
package printable

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"

var Text, JSON, NewWriter = reading.Printable, reading.PrintableJSON, reading.NewPrintableWriter

func Quote[T ~string | ~[]byte](text T) string { return reading.Quote(text) }

func Short[T ~string | ~[]byte](text T) string { return reading.Short(text) }
