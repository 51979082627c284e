// Package oracle compares compat/dcrec/v4 and compat/btcec/v2 with what they replace,
// github.com/decred/dcrd/dcrec/secp256k1/v4 and github.com/btcsuite/btcd/btcec/v2. It consists of
// tests.
//
// Two modules of the same path cannot stand in one program. So one program, package subject,
// is compiled twice: into these tests with the real modules, as go.mod says, and into a second
// program with the replacements, as replaced.mod says. The tests hand both the same cases and
// compare what they write down. That also tries out the replace lines themselves.
package oracle
