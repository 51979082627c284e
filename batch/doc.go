// Package batch verifies many signatures in one call, and recovers and
// decompresses many keys, at several times the speed of one call after another.
//
// Which road to take, what it answers, and with what error:
//
//	you have                        use                      for each row   for all     error
//	columns of BIP-340 signatures   SchnorrRows              Verify         VerifyAll   2^-128
//	columns of ECDSA signatures     ECDSARows                Verify         VerifyAll   none
//	  with recovery ids             ECDSARows, RecoveryIDs   Verify         VerifyAll   2^-128
//	  under few keys, all day       Prepared…Rows            Verify                     none
//	  without keys                  RecoverRows              Recover                    none
//	  for addresses of Ethereum     RecoverRows              EthereumAddresses          none
//	columns of compressed keys      KeyRows                  Decompress                 none
//	columns of public scalars       ScalarRows               PublicKeysVartime          none
//	signatures of any shape         Schnorr, ECDSA           VerifyEach     Verify      as columns
//	goroutines with one each        Queue                    each call                  as columns
//
// # What is exact
//
// Where the table says none, every row gets the verdict that the single function in
// package ecdsa, schnorr or koblitz gives. So it does everywhere with the option [Exact].
//
// BIP-340, and ECDSA with recovery ids, take one equation for many rows where that
// pays, from some dozens on, which is twice as fast. If it does not hold its rows are
// verified one by one. A good row is never called anything but Valid; a bad one can
// pass with a probability of 2^-128, which no choice of signatures improves
// (docs/batch-soundness.md).
//
// Whatever the input is, equations that do not hold are given up in time: to give each row
// its verdict costs at most 1.16 times as much as Exact does for as many good rows, if
// what an equation costs is counted by its measured price. All in all it took at most 1.2
// times as long, on one core (docs/batch.md). Bad rows may cost Exact less: it drops one
// whose key is not on the curve after a square root. One answer for all rows has no such
// bound: where Exact stops at the first bad row, an equation is computed, and where that
// fails for a wrong recovery id, the rows are verified as well.
//
// # Verdicts
//
// A row is Malformed if one of its fields does not encode anything: where
// [koblitz.NewPublicKey], [koblitz.NewXOnlyPublicKey] or [ecdsa.ParseSignature]
// returns an error, or one half of a BIP-340 signature is out of its range, or the
// hash of an ECDSA signature is shorter than the 20 bytes that package ecdsa asks for.
// It is Invalid if its fields are well formed and the signature is not good, and Valid
// if it is. A bad row never changes what is said of another.
//
// # Errors
//
// What a caller forgets is an error, before anything is written: a column that is missing, has
// another width than its field, or has not as many rows as there are verdicts or as other columns
// have; prepared rows without Indices; results of a wrong length, or in memory of a column. One
// answer for all rows needs at least one row.
//
// Once a context is done no further rows are begun; those that were not reached are Unchecked, and
// the error is that of the context. A nil context never ends.
//
// Nothing panics, whatever the rows hold. One mistake in a program does: to use a copy of an
// accumulator, because a bad signature could be overwritten in it. A nil [Schnorr] or [ECDSA] keeps
// nothing, and its Verify returns an error. A nil [Queue] acts as a closed queue.
//
// # Time and memory
//
// All of it is for public data: the time depends on everything that goes in. A
// worker needs at most about 240 KB where there are vector lanes and 45 KB where
// there are not, and an equation about 1 KB a row for at most 4,096 rows of a call,
// or 65,535 of an accumulator. That memory is kept for later calls until the garbage
// collector takes it. docs/batch.md says how all of it works.
package batch
