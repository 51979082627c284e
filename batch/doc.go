// Package batch verifies many signatures in one call, signs many messages, and recovers and
// decompresses many keys, at several times the speed of one call after another.
//
// The table shows what to use, which methods answer, and with what probability a bad row is called
// Valid:
//
//	you have                        use                      answers              error
//	columns of BIP-340 signatures   SchnorrRows              Verify, VerifyAll    2^-128
//	columns of ECDSA signatures     ECDSARows                Verify, VerifyAll    none
//	  with recovery ids             ECDSARows, RecoveryIDs   Verify, VerifyAll    2^-128
//	  under keys that sign often    PreparedKeys             Verify, VerifyAll    none
//	  without keys                  RecoverRows              Recover              none
//	  for addresses of Ethereum     RecoverRows              EthereumAddresses    none
//	columns of compressed keys      KeyRows                  Decompress           none
//	columns of public scalars       ScalarRows               PublicKeysVartime    none
//	encodings of BIP-324            EllswiftRows             XOnlyPublicKeys      none
//	keys and tweaks to add          TweakRows                AddVartime           none
//	taproot outputs to check        TweakCheckRows           Verify, VerifyAll    none
//	private keys                    SecretRows               PublicKeys           none
//	private keys and peers' keys    ECDHRows                 SharedX              none
//	messages to sign by BIP-340     SchnorrSignRows          Sign                 none
//	hashes to sign by ECDSA         ECDSASignRows            Sign                 none
//	signatures of any shape         Schnorr, ECDSA           Verify, VerifyAll    as columns
//	goroutines with one each        Queue                    each call            as columns
//
// Verify returns a verdict on each signature, and VerifyAll one answer for all of them. A caller
// that verifies ECDSA must choose a rule for s, [AnyS] or [LowS].
//
// # Calls on rows
//
// A call on the rows of one of the types with columns sets verdicts[i] to the verdict on row i, and
// returns the number of Valid rows. The slice must have one element for each row, and the call
// overwrites all of them. A call with results writes a result of a fixed size for each row to dst,
// whose length must be that size times the number of rows. Rows that are Invalid or Malformed get
// zeros. For rows that were not reached it writes nothing, unless they were given to
// Options.Device.
//
// # What is exact
//
// If the last column says none, every row gets the verdict that the single function in package
// ecdsa, schnorr or koblitz gives. The same is true of every call with Options.Exact. Verdicts of
// a device are an exception: Options.Device says which of them the CPU checks.
//
// For BIP-340, and for ECDSA with recovery ids, calls with some dozens of rows or more verify one
// equation for many rows, which is twice as fast. If an equation does not hold its rows are
// verified one by one. A good row is always Valid. A bad row is Valid with a probability of 2^-128,
// which no choice of signatures improves (docs/batch-soundness.md).
//
// Equations that do not hold cost a bounded amount of work. By the measured costs of equations and
// of single rows, Verify costs at most 1.16 times as much as verifying the same number of good rows
// with Exact. Measured as a whole, on one core, it took at most 1.2 times as long (docs/batch.md).
// With Exact bad rows may cost less than good ones: a row whose key is not on the curve costs one
// square root. VerifyAll has no such bound: with Exact it stops at the first bad row, and without
// Exact it computes an equation, and after a wrong recovery id verifies the rows as well.
//
// # Verdicts
//
// A row is Malformed if one of its fields cannot be decoded: if [koblitz.ParsePublicKey],
// [koblitz.ParseXOnlyPublicKey] or [ecdsa.ParseSignature] returns an error for it, if one half of a
// BIP-340 signature is out of its range, or if the hash of an ECDSA signature is shorter than the
// 20 bytes that package ecdsa demands. Otherwise the row is Valid if the signature is good, and
// Invalid if it is not. A bad row never changes the verdict on another. Options.Reasons says why a
// row is Malformed or Invalid; a [Reason] costs nothing where none is asked for.
//
// # Errors
//
// A forgotten or contradictory argument is an error, before anything is written: a column that is
// missing, that has another width than its field, or whose number of rows is not that of the
// verdicts or the one given to VerifyAll; no rule for s; prepared keys without indices, or with
// recovery ids; results of a wrong length, or that share memory with a column; Exact or Unchecked
// in a call for which it has no meaning. VerifyAll needs at least one row.
//
// Once a context is done no further rows are begun. Rows that were not reached are Unchecked, and
// the error is that of the context. A nil context is never done.
//
// No contents of rows cause a panic. One programming error does: the use of a copied accumulator,
// because the copies overwrite signatures in each other's memory. A nil [Schnorr] or
// [ECDSA] keeps nothing, and its Verify returns an error. A nil [Queue] acts as a closed queue.
//
// # Memory that changes
//
// Columns may be memory that another goroutine or process can write, such as a mapped file. A
// change during a call may change the verdict on the row, and nothing else. Calls that sign read
// each byte of a row once, so that a nonce and a challenge never have different messages, which
// would give the key away. They write to dst when a signature has been verified, and not before. A
// call that verifies computes a verdict from one reading of each field of the row: what it hashes
// and multiplies is what it parsed (docs/batch-soundness.md). If a device fails or gives a wrong
// verdict, the CPU reads the row again. Then the row's verdict is on the later reading.
//
// # Time and memory
//
// The time depends on all arguments, and they must be public, except private keys: the methods of
// [SecretRows], [ECDHRows], [SchnorrSignRows] and [ECDSASignRows] take constant time in the private
// keys, compute on the CPU alone, and wipe their memory at the end, about 500 KB a worker. For all
// other calls a worker needs at most about 240 KB where there are vector lanes and 45 KB where
// there are not, and an equation about 1 KB a row for at most 4,096 rows. That memory is kept for
// later calls until the garbage collector takes it. docs/batch.md describes the algorithms.
package batch
