// Package input has the names of package reading that were its own.
//
//ci:untested It holds names alone.
package input

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"

type (
	Input       = reading.Input
	Compression = reading.Compression
)

const (
	Stdin = reading.Stdin
	Auto  = reading.AutoDetect
	None  = reading.Uncompressed
	Gzip  = reading.Gzip
)

var (
	Open         = reading.Open
	New          = reading.NewInput
	Bare         = reading.Bare
	Detect       = reading.DetectCompression
	Compressions = reading.Compressions
)
