// Package x contains no code. Its folders implement protocols whose specifications are drafts.
// Their module is separate from the library, has version 0, and stays outside of the promises that
// docs/releases.md makes: names, encodings and verdicts change when a draft does. A package moves
// to the library when its specification is final.
//
//	adaptor  encrypted signatures: ECDSA (dlcspecs) and BIP-340
//	frost    BIP-340 signatures by t of n signers (BIP-445's draft), and those of RFC 9591
//	halfagg  half-aggregation of BIP-340 signatures (BIP-458's draft)
//
// Each package's documentation names the draft and the commit that it follows.
//
//ci:untested It contains no code.
package x
