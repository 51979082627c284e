package batch

import "github.com/koblitz-go/koblitz/device"

// A Verdict is the answer of verification for one row.
type Verdict = device.Verdict

// These values of Verdict have the same meaning as in package device.
const (
	Unchecked = device.Unchecked // the zero value: the row was not reached
	Valid     = device.Valid     // the signature is good, or the key was found
	Invalid   = device.Invalid   // well formed, but the signature is bad, or no key can be recovered
	Malformed = device.Malformed // a field cannot be decoded, or the hash is too short
)
