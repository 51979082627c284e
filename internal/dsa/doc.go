// Package dsa is ECDSA (SEC 1 version 2, section 4.1) on numbers and points that are known to be
// in range: what packages with encodings, options and keys of their own have in common. How a
// hash becomes a number, which lengths are refused and whether s has to be low is theirs.
//
// Signing takes constant time. Verification and recovery leak what they are given, which is
// public.
package dsa
