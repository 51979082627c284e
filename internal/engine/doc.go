// Package engine verifies signatures, recovers keys and decompresses keys, many at a time, for
// package batch. It takes no secrets.
//
// These words mean the same throughout:
//
//	row       one signature, or one key
//	scheme    the steps for rows of one sort, such as ECDSA: see scheme.go
//	block     consecutive rows that one worker takes at a time
//	chunk     consecutive rows that may share an equation, some thousands
//	equation  one linear combination of many rows, which holds if all are valid
//	undecided said of a row whose verdict parsing has not found, so that it takes arithmetic
//	backend   code that computes a step for many rows: portable, or lanes
//	host      the CPU, as opposed to a device
//
// Rows come as columns of bytes: those of a call, or [Records], which accumulators and queues fill
// with copies of their callers' bytes. A device gets the columns as they are. On the host each row
// is parsed once, into a struct of type row, which later steps read and write: row.go. A step that
// leaves rows out works on a list of pointers to the others.
//
// Rows that have equations are parsed in chunks (chunk.go). Then the budget decides how many rows
// share an equation (budget.go), and rows whose equation does not hold are verified one by one. All
// other rows are parsed in blocks.
//
// Without an equation, a worker processes a block in these steps, each for all rows before the next
// step begins (job.run):
//
//	hash      computes missing challenges of BIP-340
//	lift      finds y coordinates of keys, or of nonce points in recovery
//	multiply  divides by s, or by r in recovery, with one inversion for all rows; computes a·G + b·P
//	judge     compares with the signatures, or converts to affine coordinates
//
// The steps that differ between schemes are in a file for each scheme: bip340.go, ecdsa.go,
// recovery.go, decompression.go, publickeys.go, publictweaks.go and ellswift.go. Three files hold
// the decisions: budget.go decides when an equation is tried, backend.go which code computes a
// step, and run.go how many workers there are and how large their blocks are.
package engine
