// Package oracle compares compat/dcrec/v4 and compat/btcec/v2 with the modules that they replace,
// github.com/decred/dcrd/dcrec/secp256k1/v4 and github.com/btcsuite/btcd/btcec/v2. It consists of
// tests.
//
// A program cannot contain two modules with the same path. So one program, package subject, is
// compiled twice: with the real modules, and with the replacements, as in replaced.mod. The tests
// run the same cases in both and compare their outputs. That also tests the replace lines
// themselves.
//
// The real btcec is version 2.5.1. Its go.mod requires Go 1.26.10, so the program is built from a
// copy with another go line, which lab/suites makes. The go.mod of this module requires 2.5.0:
// with it, package subject is compiled a third time, into the tests, so that fuzzing finds new
// paths in the real code.
package oracle
