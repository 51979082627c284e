// Package after holds the snippets of docs/port.md as they stand after a port.
package after
