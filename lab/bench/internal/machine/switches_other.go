//go:build !unix

package machine

// Switches returns Unknown: on this system, context switches are not counted.
func Switches() int { return Unknown }
