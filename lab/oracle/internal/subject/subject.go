package subject

import "slices"

// A Subject calls some functions of the modules, as the bytes of a tape say.
type Subject struct {
	Name string
	run  func(*tape, *record)

	// Count is how often a test runs the subject, and Most the largest length of its tapes in
	// bytes. A subject that multiplies points takes a tenth of a millisecond or more in the real
	// module, so such subjects run less often.
	Count, Most int

	*Difference
}

// A Difference is an intended difference between the modules. The output of a subject with one is
// empty if its tape does not produce the difference.
type Difference struct {
	Ours   string // output of the replacement in all cases
	Theirs string // beginning of the real module's output in some cases
}

// Subjects lists all subjects. The last ones show the intended differences, which the documentation
// of the replacements lists.
var Subjects = []Subject{
	{"fieldSequence", fieldSequence, 15_000, 300, nil},
	{"fieldOnce", fieldOnce, 10_000, 60, nil},
	{"scalarSequence", scalarSequence, 20_000, 300, nil},
	{"pointSequence", pointSequence, 3_000, 300, nil},
	{"bareMultiples", bareMultiples, 5_000, 3, nil},
	{"anyPoints", anyPoints, 10_000, 250, nil},
	{"curve", curve, 10_000, 300, nil},
	{"erigonCurve", erigonCurve, 20_000, 400, nil},
	{"standard", standard, 2_000, 250, nil},
	{"publicKeys", publicKeys, 10_000, 400, nil},
	{"privateKeys", privateKeys, 5_000, 150, nil},
	{"nonces", nonces, 30_000, 250, nil},
	{"generate", generate, 20_000, 250, nil},
	{"elligator", elligator, 2_000, 300, nil},
	{"parse", parse, 50_000, 200, nil},
	{"parseBytes", parseBytes, 20_000, 80, nil},
	{"prefixes", prefixes, 300, 200, nil},
	{"signatures", signatures, 12_000, 400, nil},
	{"recoveries", recoveries, 8_000, 300, nil},
	{"musigKeys", musigKeys, 1_500, 400, nil},
	{"musigNonces", musigNonces, 3_000, 300, nil},
	{"musigSums", musigSums, 1_000, 900, nil},
	{"musigSign", musigSign, 800, 1_200, nil},
	{"musigSession", musigSession, 800, 1_500, nil},
	{"musigSystem", musigSystem, 200, 120, nil},
	{"fixed", fixed, 1, 0, nil},

	// The replacement verifies no signature under a public key off the curve, and does not multiply
	// such a key on the curve that contains it.
	{"offCurve", offCurve, 1_000, 250, &Difference{"false false ", "true "}},
	// Erigon's curve gives another product of a point off the curve, which is on the curve.
	{"erigonOffCurve", erigonOffCurve, 1_000, 250, &Difference{"true true ", "false true "}},
	// The replacement does not take points of two curves with the same x coordinate for equal.
	{"sameX", sameX, 3_000, 250, &Difference{"false ", "true "}},
	// The replacement makes the same public key from coordinates that are not normalized as from
	// the normalized ones.
	{"roughKey", roughKey, 1_000, 80, &Difference{"true ", "false "}},
	// In the replacement, the result of the square root may overwrite the argument.
	{"rootInPlace", rootInPlace, 1_000, 40, &Difference{"true true ", "false "}},
	// In the replacement, a session that signs overwrites the secret nonces that the caller gave to
	// it.
	{"givenNonces", givenNonces, 50, 250, &Difference{"secret nonce is blank true ", "<nil> false "}},
}

// A Batch has tapes for the subject with a name.
type Batch struct {
	Name  string
	Tapes [][]byte
}

// Run runs the subject with each tape and returns the outputs.
func (b Batch) Run() (outputs []string) {
	i := slices.IndexFunc(Subjects, func(s Subject) bool { return s.Name == b.Name })
	for _, bytes := range b.Tapes {
		t := tape(slices.Clone(bytes))
		var r record
		r.try(func() { Subjects[i].run(&t, &r) })
		outputs = append(outputs, string(r))
	}
	return outputs
}
