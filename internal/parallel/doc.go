// Package parallel.
package parallel
