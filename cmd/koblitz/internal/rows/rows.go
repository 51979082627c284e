// Package rows is the meeting point of the check command: a reader for each
// file format produces batches of units, and the checker verifies them.
//
// A reader runs on one goroutine and does only what must be done in order
// (framing, finding spent outputs). Everything that can be done for each
// batch alone (parsing, hashing, taking scripts apart) is put off to Expand,
// which the checker runs on its workers.
package rows

//ci:untested It holds types alone.

import (
	"fmt"
	"io"
	"strings"
)

// A Scheme is the kind of a signature.
type Scheme uint8

const (
	ECDSA   Scheme = iota + 1 // over secp256k1, DER or 64 bytes r‖s
	Schnorr                   // BIP-340
	// ECDSA whose key is not told: it is recovered, and with it the Ethereum address of who signed
	Recover
)

// A Verdict is what became of one signature.
type Verdict uint8

const (
	Unchecked     Verdict = iota // not reached
	Valid                        // our verifier accepted it
	Invalid                      // well formed, and wrong
	Malformed                    // an encoding that the format's rules refuse
	EngineChecked                // a script engine ran the script and accepted it
	NotCheckable                 // nothing here can judge it; never counted as valid
	PassedOver                   // no signature in it: counted apart, not a row
	Recovered                    // a key was recovered, and there is nothing to compare it with
	// an input that the rules let anybody spend: accepted, and no signature was looked at
	Unsigned
	// a unit that is no row and is not counted: it is there for its Undefined fields
	NoRow
)

var verdictNames = [...]string{"unchecked", "valid", "invalid", "malformed", "engine-checked",
	"not checkable", "passed over", "recovered", "unsigned", "no row"}

// String is the name that summaries and failures use.
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return fmt.Sprintf("verdict %d", uint8(v))
}

// Where locates a unit in its input. Fields that mean nothing for a format are
// empty or negative.
type Where struct {
	File   string // as named on the command line
	Offset int64  // byte offset in the decompressed file, or -1
	Line   int    // from 1, or 0
	Row    int64  // packed rows: from 0, or -1
	Block  int32  // height, or -1
	Index  int    // Ethereum: place of the transaction in its block, from 0, or -1
	Tx     string // transaction id, big-endian hex as explorers print it
	Input  int    // index of the input in its transaction, or -1
	Event  string // nostr: event id
}

// In is a place in file of which nothing else is known yet.
func In(file string) Where {
	return Where{File: file, Offset: -1, Row: -1, Block: -1, Index: -1, Input: -1}
}

// String is the place as compilers print theirs, most general part first.
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

// A Signature is one signature of a unit and the digest it signs.
type Signature struct {
	Digest [32]byte // the hash (ECDSA) or the message (BIP-340)
	// ECDSA: DER without the hash type, or 64 bytes r‖s; BIP-340: 64 bytes; Recover: 65 bytes r‖s‖v, v
	// 0 to 3
	Sig []byte
}

// A Source is one input as a reader for a format gets it: decompressed.
type Source struct {
	Name     string // as named on the command line
	Reader   io.Reader
	Consumed func() int64 // bytes of the (compressed) file read so far; nil: what was read from Reader
	// From is the place at which reading begins again, or nil for the beginning. Reader has been
	// taken to From.Offset already; offsets, lines and rows in units still count from the beginning
	// of the file.
	From *Place
	// Raw says that Unit.Raw is wanted. A reader to which it costs something leaves it out otherwise.
	Raw bool
}

// Position is Consumed, or read if src does not know.
func (src Source) Position(read int64) int64 {
	if src.Consumed == nil {
		return read
	}
	return src.Consumed()
}

// A Unit is what stands or falls together: usually one signature and one key;
// for m-of-n multisig m signatures and n keys, matched in order as Bitcoin's
// CHECKMULTISIG does. There is one verdict for every signature.
type Unit struct {
	Where      Where
	Scheme     Scheme
	Kind       string // what was spent or sent, for display: p2wpkh, nostr event, …; may be empty
	Compact    bool   // ECDSA: Sig is 64 bytes r‖s rather than DER
	LaxDER     bool   // ECDSA: accept what the chain accepted before BIP-66
	LowS       bool   // ECDSA, Recover: refuse s > n/2
	Signatures []Signature
	Keys       [][]byte // SEC 1, or 32 bytes for BIP-340; none for Recover
	Sender     []byte   // Recover: the 20 bytes of the address that the file names, or nil

	// Raw is the text or the bytes of the row alone, as the input has them, without the end of the
	// line. It is nil where a row is a part of a document.
	Raw []byte

	// A reader that can say the verdict itself (a malformed row, a script that
	// an engine ran) sets Decided to something other than Unchecked, and
	// Reason to a sentence that says why; it then counts as max(1,
	// len(Signatures)) signatures, and the other fields are only for display.
	// An Unsigned unit has a Reason if it carries data in which a signature
	// could be that nobody looked at.
	Decided Verdict
	Reason  string

	// Undefined are the fields of the unit that its format does not define. They do not change the
	// verdict unless the checker is strict.
	Undefined Fields
}

// A Batch is a piece of input whose units can be found without looking at any
// other piece.
type Batch interface {
	// Expand calls emit for each unit in order. The unit may be reused after
	// emit returns.
	Expand(emit func(*Unit))
	// Consumed is the number of bytes of the (compressed) file read up to the
	// end of this batch.
	Consumed() int64
	// Size is a bound on the memory, in bytes, that the batch needs until its
	// rows have been reported: for what it holds, for what Expand makes of
	// that, and RowSize for each row.
	Size() int64
}

// RowSize is a bound on the memory, in bytes, that is needed for what is known of
// one row between Expand and the report: its place, its verdict and the reason.
const RowSize = 1 << 10

// A Reader splits one input into batches. After an error other than io.EOF
// everything returned before still stands.
type Reader interface {
	Next() (Batch, error)
	Close() error
}

// An Error says where in a file reading had to stop.
type Error struct {
	File   string
	Line   int   // from 1, or 0 if the format has no lines
	Offset int64 // in the decompressed file, or -1
	Err    error
}

func (e *Error) Error() string {
	switch {
	case e.Line > 0:
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	case e.Offset >= 0:
		return fmt.Sprintf("%s: at byte %d: %v", e.File, e.Offset, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.File, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Reason is the text of an error of the library without the name of the Go
// package in front, which means nothing to whoever runs the command.
func Reason(err error) string {
	text := err.Error()
	for _, pkg := range []string{"koblitz: ", "ecdsa: ", "schnorr: ", "ecdh: "} {
		text = strings.TrimPrefix(text, pkg)
	}
	return text
}

// SighashHint returns what to say of a signature that is not well-formed and ends with a byte that
// Bitcoin's scripts put after signatures: the hash type. It is empty for other bytes, and for
// signatures of one byte.
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
