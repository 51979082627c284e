//go:build !unix

package machine

// Switches returns Unknown: it is not supported here.
func Switches() int { return Unknown }
