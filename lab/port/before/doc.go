// Package before has the code of docs/port.md and docs/port-batches.md before a port. TestBlocks of
// the folder above adds it by an overlay.
package before

//ci:untested lab/port/after compares itself with it.
