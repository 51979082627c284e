//go:build !linux || race

package clitest

// limitMemory does nothing on systems that have no limit like Linux's RLIMIT_DATA. It also does
// nothing under the race detector, which maps terabytes.
func limitMemory() {}
