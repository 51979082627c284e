package oracle

import (
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/lab/oracle/internal/subject"
)

// fuzz compares both programs for the subject called name, on tapes that the fuzzing engine finds.
// It also runs the subject with the real module in this process, so that the engine sees which of
// the module's code runs.
func fuzz(f *testing.F, name string) {
	i := slices.IndexFunc(subject.Subjects, func(s subject.Subject) bool { return s.Name == name })
	s := subject.Subjects[i]
	next := tapes(s)
	for range 10 {
		f.Add(next())
	}
	w := startBoth(f)
	f.Fuzz(func(t *testing.T, tape []byte) {
		tape = tape[:min(len(tape), s.Most)]
		subject.Batch{Name: name, Tapes: [][]byte{tape}}.Run()
		w.compare(t, s, tape)
	})
}

func FuzzFieldSequence(f *testing.F)  { fuzz(f, "fieldSequence") }
func FuzzScalarSequence(f *testing.F) { fuzz(f, "scalarSequence") }
func FuzzPointSequence(f *testing.F)  { fuzz(f, "pointSequence") }
func FuzzParse(f *testing.F)          { fuzz(f, "parseBytes") }
func FuzzPrefixes(f *testing.F)       { fuzz(f, "prefixes") }
func FuzzSignatures(f *testing.F)     { fuzz(f, "signatures") }
func FuzzRecoveries(f *testing.F)     { fuzz(f, "recoveries") }
func FuzzElligator(f *testing.F)      { fuzz(f, "elligator") }
func FuzzErigonCurve(f *testing.F)    { fuzz(f, "erigonCurve") }
