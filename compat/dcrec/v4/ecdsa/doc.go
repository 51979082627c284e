// Package ecdsa replaces github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa: ECDSA signatures (SEC 1
// version 2, section 4.1) with nonces of RFC 6979.
package ecdsa
