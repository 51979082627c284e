//go:build !linux || race

package main

// limitMemory does nothing where there is no such limit, or where the race
// detector maps terabytes.
func limitMemory() {}
