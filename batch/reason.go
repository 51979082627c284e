//ct:public names reasons of public rows

package batch

import (
	"fmt"

	"github.com/koblitz-go/koblitz/internal/engine"
)

// A Reason says why a row is not Valid. [Options.Reasons], [Queue.ExplainSchnorr] and
// [Queue.ExplainECDSA] give reasons.
//
// If several things are wrong with a row, its Reason is the first of them in this order: the key's
// encoding and range (for 65 bytes also whether it is on the curve), the signature's length, r, s,
// the length of the hash, the recovery id; or for tweaks the key, the tweak and the output. Then
// follows whether a key of 32 or 33 bytes is on the curve, and then the reasons of Invalid rows. A
// Reason depends on the row alone: not on other rows, Options, the machine or a device.
type Reason uint8

// NoReason is the Reason of a row that is Valid or Unchecked.
const NoReason = Reason(engine.NoReason)

// These are the reasons of Malformed rows.
const (
	// KeyMissing: a key is nil or a zero value, or the set of prepared keys has no key at the row's
	// index. A row of an accumulator also has this reason if the method that added it panicked.
	KeyMissing = Reason(engine.KeyMissing)
	// KeyEncoding: the key has another length or another first byte than the allowed encodings.
	KeyEncoding = Reason(engine.KeyEncoding)
	// KeyRange: a coordinate of the key is not below p.
	KeyRange = Reason(engine.KeyRange)
	// KeyNotOnCurve: no point of the curve has the key's coordinates.
	KeyNotOnCurve = Reason(engine.KeyNotOnCurve)
	// SignatureLength: the signature has another length than the kind demands.
	SignatureLength = Reason(engine.SignatureLength)
	// RRange: r is not in [1, n), or the first half of a BIP-340 signature is not below p.
	RRange = Reason(engine.RRange)
	// SRange: s is not in [1, n), or the second half of a BIP-340 signature is not below n.
	SRange = Reason(engine.SRange)
	// HashLength: the hash of an ECDSA signature has less than 20 bytes.
	HashLength = Reason(engine.HashLength)
	// RecoveryIDRange: the recovery id is above 3.
	RecoveryIDRange = Reason(engine.RecoveryIDRange)
	// ScalarRange: a scalar of ScalarRows is not in [1, n), or a tweak is not below n.
	ScalarRange = Reason(engine.ScalarRange)
	// OutputRange: an output of TweakCheckRows is not below p, or a parity is above 1.
	OutputRange = Reason(engine.OutputRange)
)

// These are the reasons of Invalid rows.
const (
	// HighS: s is above n/2, and the rule is LowS.
	HighS = Reason(engine.HighS)
	// WrongSignature: the signature does not fit the message and the key.
	WrongSignature = Reason(engine.WrongSignature)
	// NoncePoint: no point has the x coordinate that r and the recovery id give.
	NoncePoint = Reason(engine.NoncePoint)
	// Infinity: the recovered key, or the sum of a key and a tweak, would be infinity.
	Infinity = Reason(engine.Infinity)
	// WrongOutput: the output is not the sum of the key and the tweak.
	WrongOutput = Reason(engine.WrongOutput)
)

//layers:allow an array of constants
var reasonTexts = [...]string{
	NoReason:        "no reason",
	KeyMissing:      "there is no key",
	KeyEncoding:     "the key has a wrong length or first byte",
	KeyRange:        "a coordinate of the key is not below p",
	KeyNotOnCurve:   "the key is not a point of the curve",
	SignatureLength: "the signature has a wrong length",
	RRange:          "r is out of range",
	SRange:          "s is out of range",
	HashLength:      "the hash is too short",
	RecoveryIDRange: "the recovery id is above 3",
	ScalarRange:     "the scalar is out of range",
	OutputRange:     "the output or its parity is out of range",
	HighS:           "s is above n/2",
	WrongSignature:  "the signature does not fit the message and the key",
	NoncePoint:      "no point has the x coordinate that r and the recovery id give",
	Infinity:        "the key would be infinity",
	WrongOutput:     "the output is not the key with the tweak added",
}

// String returns a clause that can follow the verdict in a report, such as "s is out of range".
func (r Reason) String() string {
	if int(r) < len(reasonTexts) {
		return reasonTexts[r]
	}
	return fmt.Sprintf("batch.Reason(%d)", uint8(r))
}
