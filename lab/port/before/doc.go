// Package before holds the snippets of docs/port.md and docs/port-batches.md before a port. Package
// after has functions with the same names and arguments, and the tests of the folder above run
// both.
package before

//ci:untested lab/port/after compares itself with it.
