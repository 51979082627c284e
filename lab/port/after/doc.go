// Package after holds the snippets of docs/port.md and docs/port-batches.md after a port.
package after
