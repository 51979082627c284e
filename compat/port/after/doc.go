// Package after holds the snippets of docs/port.md after a port.
package after
