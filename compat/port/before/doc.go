// Package before holds the snippets of docs/port.md before a port. Package after has functions with
// the same names and arguments, and its tests compare both.
package before

//ci:untested compat/port/after compares itself with it.
