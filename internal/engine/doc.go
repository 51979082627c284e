// Package engine verifies signatures, recovers keys and decompresses keys, many at a time, for
// package batch. It takes no secrets.
//
// These words mean the same throughout:
//
//	row       one signature, or one key
//	scheme    the steps for rows of one sort, such as ECDSA: see scheme.go
//	block     consecutive rows that one worker takes at a time, as in package crew
//	equation  one linear combination of many rows, which holds if all are valid
//	undecided of a row: parsing has not found its verdict, so it takes arithmetic
//	backend   code that computes a step for many rows: portable, or lanes
//	host      the CPU, as opposed to a device
//
// Rows are parsed once, into [Rows], a struct of arrays. They come from columns of a call, from an
// accumulator that adds one at a time, or from the callers of a queue. All later steps work on
// windows of those arrays. Rows are copied only if some of them are left out.
//
// Without an equation, a worker processes a block in these steps, each for all rows before the next
// step begins ([Job.Run]):
//
//	hash      computes missing challenges of BIP-340
//	lift      finds y coordinates of keys, or of nonce points in recovery
//	scalars   divides by s, or by r in recovery, with one inversion for all rows
//	multiply  computes a·G + b·P
//	judge     compares with the signatures, or converts to affine coordinates
//
// The steps that differ between schemes are in a file for each scheme: bip340.go, ecdsa.go,
// recovery.go, decompression.go, publickeys.go and publictweaks.go. Three files hold the decisions:
// budget.go decides when an equation is tried, backend.go which code computes a step, and run.go
// how many workers there are and how large their blocks are.
package engine
