// Package engine verifies, recovers and decompresses many rows at a time, for package batch. It
// takes no secrets.
//
// These words mean the same throughout:
//
//	row       one signature, or one key
//	scheme    what is done with rows of one sort, such as ECDSA: see scheme.go
//	block     consecutive rows that one worker takes at a time, as in package crew
//	equation  one linear combination of many rows, which holds if all are valid
//	costly    of a row: its verdict takes arithmetic, because parsing has not settled it
//	backend   code that computes a step for many rows: portable, or lanes
//
// Rows are parsed once, into [Rows], a struct of arrays: from columns of a call, when they are
// added to an accumulator, or by the callers of a queue. All later steps work on windows of those
// arrays. Rows are copied only if some of them are left out.
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
// What differs between schemes is in a file for each: bip340.go, ecdsa.go, recovery.go,
// decompression.go and publickeys.go. Three files hold the decisions: budget.go decides when an
// equation is tried, backend.go which code computes a step, and choice.go how many workers there
// are and how large their blocks are.
package engine
