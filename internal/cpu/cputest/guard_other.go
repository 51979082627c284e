//go:build !linux || purego

package cputest

import (
	"strings"
	"testing"
)

// Memory returns two variables. On Linux they are next to pages that cannot be accessed.
func Memory[T any](*testing.T) [2]*T { return [2]*T{new(T), new(T)} }

// Slices returns two slices of n elements, in memory as that of [Memory].
func Slices[T any](_ *testing.T, n int) [2][]T { return [2][]T{make([]T, n), make([]T, n)} }

// Strings returns two copies of s, in memory as that of [Memory].
func Strings(_ *testing.T, s string) [2]string {
	return [2]string{strings.Clone(s), strings.Clone(s)}
}
