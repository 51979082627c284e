// Package reading has what the readers of all formats share: bytes in, units out.
//
// A Reader, one for each file format, turns an input into batches of units (signatures that are
// judged together), and the checker verifies the units. A reader runs on one goroutine and does
// only the work that must be done in order, such as finding the records of a file, or the outputs
// that transactions spend. Work that each batch can do alone (parsing, hashing, splitting scripts)
// happens in Expand, which the checker runs on its workers.
//
// An Input is an open file, plain or compressed. NewLines reads text by lines, and JSON reads
// documents by tokens and values; neither holds more in memory than its limits allow. A Budget
// bounds the buffers of binary formats. Printable and Quote make text of inputs safe to show.
package reading

import (
	"fmt"
	"strings"
)

// A Scheme is the kind of a signature.
type Scheme uint8

const (
	ECDSA   Scheme = iota + 1 // over secp256k1, DER or 64 bytes r‖s
	Schnorr                   // BIP-340
	// Recover is ECDSA without a given key: the checker recovers the key from the signature, and
	// computes the signer's Ethereum address.
	Recover
)

// A Verdict is the result of checking one signature. The first four have the numbers of
// batch.Verdict.
type Verdict uint8

const (
	//layers:allow nothing has judged the row
	Unchecked     Verdict = iota // no verdict yet
	Valid                        // this library's verifier accepted the signature
	Invalid                      // well formed, but the verifier rejected it
	Malformed                    // an encoding that the rules of the format refuse
	EngineChecked                // a script engine ran the script and accepted it
	NotCheckable                 // the checker cannot judge it; never counted as valid
	PassedOver                   // contains no signature; counted apart and not as a row
	Recovered                    // a key was recovered, and the input names none to compare it with
	// Unsigned is an input that anyone may spend under the rules: it was accepted without verifying
	// a signature.
	Unsigned
)

var verdictNames = [...]string{"unchecked", "valid", "invalid", "malformed", "engine-checked",
	"not checkable", "passed over", "recovered", "unsigned"}

// String returns the verdict's name as used in summaries and lists of failures.
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return fmt.Sprintf("verdict %d", uint8(v))
}

// Where locates a Unit in its input. A field that does not apply to the format is empty or
// negative, as stated at the field.
type Where struct {
	File   string // name of the file on the command line
	Offset int64  // byte offset in the decompressed file, or -1
	Line   int    // line number from 1, or 0
	Row    int64  // packed rows and tables: row number from 0, or -1
	Block  int32  // block height, or -1
	Index  int    // Ethereum: index of the transaction in its block, or -1
	Tx     string // transaction id in hex, big-endian as explorers show it
	Input  int    // index of the input in its transaction, or -1
	Event  string // nostr: event id
}

// In returns a Where for file with all other fields unknown.
func In(file string) Where {
	return Where{File: file, Offset: -1, Row: -1, Block: -1, Index: -1, Input: -1}
}

// String returns the location in the style of compiler messages, with the file first.
func (w Where) String() string {
	s := w.File
	if w.Line > 0 {
		s += fmt.Sprintf(":%d", w.Line)
	}
	if w.Row >= 0 {
		s += fmt.Sprintf(": row %d", w.Row)
	}
	if w.Block >= 0 {
		s += fmt.Sprintf(": block %d", w.Block)
	}
	switch {
	case w.Index >= 0:
		s += strings.TrimRight(fmt.Sprintf(": tx %d %s", w.Index, w.Tx), " ")
	case w.Tx != "":
		s += ": tx " + w.Tx
	}
	if w.Input >= 0 {
		s += fmt.Sprintf(": input %d", w.Input)
	}
	if w.Event != "" {
		s += ": event " + w.Event
	}
	if w.Offset >= 0 {
		s += fmt.Sprintf(" (byte %d)", w.Offset)
	}
	return s
}

// A Signature is one signature of a Unit, with the digest that it signs.
type Signature struct {
	Digest [32]byte // the hash (ECDSA) or the message (BIP-340)
	// Sig is the encoded signature. ECDSA: DER without the hash type, or 64 bytes r‖s. BIP-340: 64
	// bytes. Recover: 65 bytes r‖s‖v with v from 0 to 3.
	Sig []byte
}

// A Unit is a group of signatures that are judged together. Most units have one signature and one
// key. An m-of-n multisig has m signatures and n keys, which are matched in order as in Bitcoin's
// CHECKMULTISIG. Every signature gets its own verdict.
type Unit struct {
	Where      Where
	Scheme     Scheme
	Kind       string // what was spent or sent, for display, such as p2wpkh; may be empty
	Compact    bool   // ECDSA: Sig is 64 bytes r‖s rather than DER
	LaxDER     bool   // ECDSA: accept the encodings that the chain accepted before BIP-66
	LowS       bool   // ECDSA, Recover: refuse s > n/2
	Signatures []Signature
	Keys       [][]byte // SEC 1, or 32 bytes for BIP-340; none for Recover
	Sender     []byte   // Recover: the 20-byte address that the input names, or nil

	// Commitment must hold too, if its Key is not nil. A Unit with one has one BIP-340 signature.
	Commitment Commitment

	// Raw is the row's text or bytes as in the input, without a line end. It is nil if the row is
	// not a line or record of its own, but part of a larger document.
	Raw []byte

	// If the reader decides the verdict itself (a malformed row, a script that an engine ran), it
	// sets Decided to a value other than Unchecked, and Reason to a sentence that explains it. Such
	// a unit counts as max(1, len(Signatures)) signatures, and its other fields are only for
	// display. An Unsigned unit has a Reason if it carries data that could contain an unverified
	// signature.
	Decided Verdict
	Reason  string
}

// A Commitment is the claim that the point Key + Tweak·G has the x coordinate Output, and an odd y
// coordinate if Odd is set (BIP 341).
type Commitment struct {
	Key, Output []byte // x-only keys
	Tweak       [32]byte
	Odd         bool
}

// Reason returns the text of an error of this library without the name of a Go package in front,
// since such names mean nothing to users of the command.
func Reason(err error) string {
	text := err.Error()
	for _, pkg := range []string{"koblitz: ", "ecdsa: ", "schnorr: ", "ecdh: "} {
		text = strings.TrimPrefix(text, pkg)
	}
	return text
}

// SighashHint returns a hint for the user if the last byte of sig, a malformed signature, is a hash
// type, which Bitcoin scripts append to signatures. For other bytes, and for signatures of one
// byte, it returns "".
func SighashHint(sig []byte) string {
	if len(sig) < 2 {
		return ""
	}
	switch last := sig[len(sig)-1]; last {
	case 0x01, 0x02, 0x03, 0x81, 0x82, 0x83:
		return fmt.Sprintf("; %02x looks like the hash type (sighash) of a Bitcoin script: strip it",
			last)
	}
	return ""
}
