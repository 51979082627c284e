// Package oracle compares compat/dcrec/v4, compat/btcec/v2 and compat/erigon/secp256k1 with the
// modules that they replace, github.com/decred/dcrd/dcrec/secp256k1/v4,
// github.com/btcsuite/btcd/btcec/v2 and github.com/erigontech/secp256k1. It consists of tests.
//
// A program cannot contain two modules with the same path. So one program, package subject, is
// compiled twice: with the real modules, and with the replacements by means of replaced.mod. The
// tests run the same cases in both programs and compare their outputs. That also tests the replace
// lines. The real module of Erigon calls C code, so the program is built with cgo; the program with
// the replacements is built without cgo.
//
// The real btcec is version 2.5.1. Since its go.mod requires Go 1.26.10, the program is built from
// a copy with another go line, which lab/suites makes. The go.mod of this module requires version
// 2.5.0. With that version, package subject is compiled a third time, into the tests themselves, so
// that fuzzing sees the coverage of the real code.
package oracle
