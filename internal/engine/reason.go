package engine

// A Reason says why a row is not Valid. Package batch has the same values with the same meaning.
type Reason uint8

// NoReason is the Reason of a row that is Valid or has no verdict. The rows with the reasons up to
// OutputRange are Malformed, all others are Invalid.
const (
	//layers:allow the verdict says whether the row is valid
	NoReason Reason = iota

	KeyMissing
	KeyEncoding
	KeyRange
	KeyNotOnCurve
	SignatureLength
	RRange
	SRange
	RecoveryIDRange
	HashLength
	ScalarRange
	OutputRange

	HighS
	WrongSignature
	NoncePoint
	Infinity
	WrongOutput
)

// Verdict returns the verdict on a row with the reason r: Unchecked for NoReason.
func (r Reason) Verdict() Verdict {
	switch {
	case r == NoReason:
		return Unchecked
	case r < HighS:
		return Malformed
	}
	return Invalid
}
