//go:build !linux || race

package main

// limitMemory does nothing on systems without such a limit, and under the race detector, which maps
// terabytes.
func limitMemory() {}
