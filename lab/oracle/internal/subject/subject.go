package subject

// cases maps the name of each case to its function, which calls the modules and writes their
// results to a record.
var cases = map[string]func(*tape, *record){
	"fieldSequence":  fieldSequence,
	"fieldOnce":      fieldOnce,
	"scalarSequence": scalarSequence,
	"scalarOnce":     scalarOnce,
	"pointSequence":  pointSequence,
	"multiples":      multiples,
	"bareMultiples":  bareMultiples,
	"anyPoints":      anyPoints,
	"parseKey":       parseKey,
	"parseKeyBytes":  parseKeyBytes,
	"publicKeys":     publicKeys,
	"privateKeys":    privateKeys,
	"nonces":         nonces,
	"generate":       generate,
	"curve":          curve,
	"standardKeys":   standardKeys,
	"signatures":     signatures,
	"verifications":  verifications,
	"overflowing":    overflowing,
	"recoveries":     recoveries,
	"recoverTape":    recoverTape,
	"parseDER":       parseDER,
	"parseDERBytes":  parseDERBytes,
	"dcr":            dcr,
	"parseDCR":       parseDCR,
	"parseDCRBytes":  parseDCRBytes,
	"fixed":          fixed,

	"btcKeys":           btcKeys,
	"btcKeyBytes":       btcKeyBytes,
	"btcSignature":      btcSignature,
	"btcSignatureBytes": btcSignatureBytes,
	"lengths":           lengths,
	"bip340":            bip340,
	"forgedBIP340":      forgedBIP340,
	"elligator":         elligator,
	"musigKeys":         musigKeys,
	"musigNonces":       musigNonces,
	"musigSums":         musigSums,
	"musigSign":         musigSign,
	"musigDecode":       musigDecode,
	"musigSession":      musigSession,
	"musigSystem":       musigSystem,

	"erigonSign":     erigonSign,
	"erigonRecover":  erigonRecover,
	"erigonVerify":   erigonVerify,
	"erigonKeyBytes": erigonKeyBytes,
	"erigonCurve":    erigonCurve,
	"erigonStandard": erigonStandard,
	"erigonFixed":    erigonFixed,
	"erigonOffCurve": erigonOffCurve,

	"sameX":       sameX,
	"offCurve":    offCurve,
	"rootInPlace": rootInPlace,
	"roughKey":    roughKey,
	"givenNonces": givenNonces,
	"signNothing": signNothing,
}

// A Case is one run of a function in cases: the function's name, and the tape that it reads.
type Case struct {
	Name string
	Tape []byte
}

// Run runs the case and returns its output.
func (c Case) Run() string {
	f, ok := cases[c.Name]
	if !ok {
		return "unknown case " + c.Name
	}
	t := tape(append([]byte{}, c.Tape...))
	var r record
	r.try(func() { f(&t, &r) })
	return string(r)
}
