// Package oracle compares compat/dcrec/v4 with what it replaces,
// github.com/decred/dcrd/dcrec/secp256k1/v4. It consists of tests.
//
// Two modules of the same path cannot stand in one program. So one program, package subject,
// is compiled twice: into these tests with the real module, as go.mod says, and into a second
// program with the replacement, as replaced.mod says. The tests hand both the same cases and
// compare what they write down. That also tries out the replace line itself.
package oracle
