// Package oracle compares compat/dcrec/v4 and compat/btcec/v2 with what they replace,
// github.com/decred/dcrd/dcrec/secp256k1/v4 and github.com/btcsuite/btcd/btcec/v2. It consists of
// tests.
//
// Two modules of the same path cannot stand in one program. So one program, package subject,
// is compiled twice: with the real modules, and with the replacements, as replaced.mod says. The
// tests hand both the same cases and compare what they write down. That also tries out the
// replace lines themselves.
//
// The real btcec is 2.5.1. Its go.mod asks for Go 1.26.10, so the program is built from a copy
// with another go line, which lab/suites makes. In go.mod of this module there is 2.5.0: that
// compiles package subject a third time, into the tests, so that fuzzing follows new paths in
// the real code.
package oracle
