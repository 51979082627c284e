package batch

import "strconv"

// A Verdict is what verification says of one row.
type Verdict uint8

const (
	// Unchecked is the verdict on a row that was not reached, because the
	// context was done before. It is the zero value.
	Unchecked Verdict = 0
	// Valid is the verdict on a good signature, or on a row whose key was found.
	Valid Verdict = 1
	// Invalid is the verdict on a row whose fields are well formed and whose
	// signature is not good, or from which no key can be recovered.
	Invalid Verdict = 2
	// Malformed is the verdict on a row with a field that encodes nothing, or with a
	// hash that is too short.
	Malformed Verdict = 3
)

// String returns the name of v in lower case.
func (v Verdict) String() string {
	switch v {
	case Unchecked:
		return "unchecked"
	case Valid:
		return "valid"
	case Invalid:
		return "invalid"
	case Malformed:
		return "malformed"
	}
	return "batch.Verdict(" + strconv.Itoa(int(v)) + ")"
}
