// Package dsa has the steps of ECDSA (SEC 1 version 2, section 4.1) on numbers and points that are
// in range. Its callers have encodings, options and keys of their own, and decide which hashes they
// accept and whether s must be low.
//
// Signing takes constant time. The time of verification and recovery depends on their arguments,
// which are public.
package dsa
