// Package dsa implements the steps of ECDSA (SEC 1 version 2, section 4.1) on numbers and points
// whose ranges have been checked. Each calling package has its own encodings, options and key
// types, and decides which hashes it accepts and whether s must be low.
//
// Signing takes constant time. The time of verification and recovery depends on their arguments,
// which are public.
package dsa
