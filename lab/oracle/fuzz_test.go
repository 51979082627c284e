package oracle

import (
	"testing"

	"github.com/koblitz-go/koblitz/lab/oracle/internal/subject"
)

// fuzz compares both programs for the case called name, on tapes of at most limit bytes that the
// fuzzing engine finds. A tape is a sequence of bytes that determines all choices of a case. fuzz
// also runs the case with the real module in this process, so that the engine sees which of the
// module's code runs.
func fuzz(f *testing.F, name string, limit int) {
	next := tapes(name, limit)
	for range 10 {
		f.Add(next().Tape)
	}
	f.Fuzz(func(t *testing.T, tape []byte) {
		w, err := one()
		if err != nil {
			t.Fatal(err)
		}
		c := subject.Case{Name: name, Tape: tape[:min(len(tape), limit)]}
		c.Run()
		if err := w.each(1, func() subject.Case { return c }, same); err != nil {
			t.Error(err)
		}
	})
}

func FuzzFieldSequence(f *testing.F)  { fuzz(f, "fieldSequence", 400) }
func FuzzScalarSequence(f *testing.F) { fuzz(f, "scalarSequence", 300) }
func FuzzPointSequence(f *testing.F)  { fuzz(f, "pointSequence", 200) }
func FuzzParsePubKey(f *testing.F)    { fuzz(f, "parseKeyBytes", 70) }
func FuzzParseDER(f *testing.F)       { fuzz(f, "parseDERBytes", 80) }
func FuzzRecoverCompact(f *testing.F) { fuzz(f, "recoverTape", 140) }
func FuzzDCRv0(f *testing.F)          { fuzz(f, "parseDCRBytes", 70) }
func FuzzBTCKeys(f *testing.F)        { fuzz(f, "btcKeyBytes", 70) }
func FuzzBTCSignatures(f *testing.F)  { fuzz(f, "btcSignatureBytes", 80) }
func FuzzLengths(f *testing.F)        { fuzz(f, "lengths", 400) }
func FuzzBIP340(f *testing.F)         { fuzz(f, "bip340", 250) }
func FuzzElligator(f *testing.F)      { fuzz(f, "elligator", 300) }
func FuzzErigonRecover(f *testing.F)  { fuzz(f, "erigonRecover", 250) }
func FuzzErigonVerify(f *testing.F)   { fuzz(f, "erigonVerify", 400) }
func FuzzErigonCurve(f *testing.F)    { fuzz(f, "erigonCurve", 400) }
