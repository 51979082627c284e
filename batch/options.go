//ct:public takes public rows

package batch

import (
	"errors"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine"
)

// Options say how a call is carried out. A nil *Options is the same as the zero value.
type Options struct {
	// Workers is the greatest number of goroutines that work on a call at a time, the caller's
	// included. If it is below 1, runtime.GOMAXPROCS(0) is used instead. Small calls use fewer, and
	// no call uses more than 1024. Verdicts do not depend on it.
	Workers int

	// Exact verifies every signature alone, without equations. Then no verdict of the CPU is wrong
	// even with the probability of 2^-128 that an equation has (docs/batch-soundness.md). Verify
	// may still use Device, and checks its answers as the comment on Device says. VerifyAll does
	// not use Device: a device may compute its single answer with an equation.
	//
	// Calls that do not verify signatures have no equations. With Exact they return an error.
	Exact bool

	// Device carries out the calls that it accepts. If it fails, or leaves rows Unchecked, the CPU
	// verifies them. The CPU also verifies every row that the device does not call Valid, and a
	// fresh random sample of the Valid rows: one in 1024, at least 64. If it finds an error, it
	// discards the device's answers and carries out the call itself.
	//
	// The single answer of VerifyAll cannot be checked in this way: if the device says that all
	// rows are valid, VerifyAll returns true, even if all are forged. ECDSA rows without recovery
	// ids, and rows under prepared keys, have no equation; for them VerifyAll asks the device for a
	// verdict per row, which the CPU checks as above.
	//
	// If a call with results ends before all rows are done, the results of rows that were not
	// reached may be any bytes that the device wrote.
	//
	// The device hashes the messages of BIP-340 in an accumulator if all have 32 bytes; otherwise
	// the CPU hashes them.
	Device *device.Device

	// Reasons, if it is not nil, points to a slice that Verify, and every other call with a verdict
	// for each row, sets to one [Reason] for each row. It uses the memory of the slice if that is
	// enough. A call that returns an error before it writes anything, or VerifyAll, leaves the
	// slice as it is. Calls with the same Reasons must not run at the same time.
	Reasons *[]Reason
}

// engine converts o, which is not nil, to options of package engine. If the caller asks for
// reasons, the result has memory for the reasons of the given number of rows. setReasons copies
// them to the caller.
func (o *Options) engine(rows int) engine.Options {
	e := engine.Options{Workers: o.Workers, Exact: o.Exact}
	if o.Device != nil {
		e.Device = o.Device
	}
	if o.Reasons != nil {
		e.Reasons = make([]engine.Reason, rows)
	}
	return e
}

// setReasons sets *o.Reasons to the reasons that a call has found, if the caller asks for reasons.
func (o *Options) setReasons(found []engine.Reason) {
	if o.Reasons == nil {
		return
	}
	*o.Reasons = slices.Grow((*o.Reasons)[:0], len(found))
	for _, r := range found {
		*o.Reasons = append(*o.Reasons, Reason(r))
	}
}

// An SRule says which values of s an ECDSA signature may have. Every verifier must choose a rule:
// the zero value is an error.
type SRule uint8

const (
	// AnyS is the rule of the standard (SEC 1 version 2, section 4.1.4): s is in [1, n). Under
	// this rule anyone can turn a valid signature into another one, with n - s.
	AnyS SRule = 1
	// LowS is the rule of Bitcoin's policy (BIP-146) and of Ethereum (EIP-2): s is at most n/2.
	// A signature with a higher s is Invalid, and no key is recovered from it.
	LowS SRule = 2
)

var errSRule = errors.New("batch: S: no rule for s, want AnyS or LowS")

// rules returns the rules of a call under the rule s, or an error if s is neither AnyS nor LowS.
func (s SRule) rules() (device.Rules, error) {
	switch s {
	case AnyS:
		return 0, nil
	case LowS:
		return device.LowS, nil
	}
	return 0, errSRule
}

// A Verdict is the answer of verification for one row.
type Verdict = device.Verdict

// These values of Verdict have the same meaning as in package device.
const (
	Unchecked = device.Unchecked // the zero value: the row was not reached
	Valid     = device.Valid     // the signature is good, or the key was found
	Invalid   = device.Invalid   // well formed, but the signature is bad, or no key can be recovered
	Malformed = device.Malformed // a field cannot be decoded, or the hash is too short
)
