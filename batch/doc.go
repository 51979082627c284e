// Package batch verifies many signatures in one call, and recovers and
// decompresses many keys, at several times the speed of one call after another.
// Every row gets its own verdict, which is exactly that of the single function
// in package ecdsa, schnorr or koblitz.
//
//	rows        SchnorrRows, ECDSARows and the like: columns of fixed width in
//	            memory, of a file or a message, as they are
//	accumulate  Schnorr and ECDSA: add one signature after another, then verify
//	queue       Queue: goroutines that verify one signature each share batches
//	            without knowing of each other
//
// # Verdicts
//
// A row is Malformed if one of its fields does not encode anything: where
// [koblitz.NewPublicKey], [koblitz.NewXOnlyPublicKey] or [ecdsa.ParseSignature]
// returns an error, or one half of a BIP-340 signature is out of its range. It is
// Invalid if its fields are well formed and the signature is not good, and Valid
// if it is. A bad row never changes what is said of another.
//
// # Errors
//
// A column that is too short, a bad stride or a wrong length of the results is an
// error before anything is written. Once a context is done no further rows are
// begun; those that were not reached are Unchecked, and the error is that of the
// context. Nothing panics, whatever the rows hold.
//
// # Time and memory
//
// All of it is for public data: the time depends on everything that goes in. A
// call takes the memory of its workers, at most about 210 KB each where there
// are vector lanes and 25 KB where there are not, and allocates a few times,
// however many rows there are; [Reuse] keeps that memory for later calls.
// docs/batch.md says how all of it works.
package batch
