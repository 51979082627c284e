package profile

// lanes holds values measured on a Zen 5 CPU.
//
//layers:allow a constant
var lanes = Profile{
	Level: "lanes",

	Rows:  3,
	Lifts: 6,

	Divisions: 24,
	Pairs:     12,

	Challenges: 4,

	RowsPerWorker:     16,
	EquationPerWorker: 64,
	TermsPerWorker:    256,

	BlockRows: 64,
	LiftRows:  64,
	CallRows:  4096,

	SerialPerRow:    3,
	SerialPerWorker: 250,

	QueueSchnorr:   512,
	QueueECDSA:     64,
	QueueEquations: true,

	Prices: [16]Price{
		{4096, 47},
		{2048, 48},
		{1024, 49},
		{512, 52},
		{256, 56},
		{128, 64},
		{96, 66},
		{64, 77},
		{48, 83},
		{32, 96},
	},
	Plans: [20]Plan{
		{45000, 9},
		{12000, 10},
		{6000, 11},
		{3000, 12},
		{1500, 13},
		{750, 14},
		{510, 15},
		{250, 16},
		{160, 17},
		{110, 19},
		{60, 21},
		{33, 24},
		{2, InLanes},
	},
	Sums: Sums{
		BatchPairs:       1536,
		UnitHalves:       512,
		SetBuckets:       8192,
		FewBuckets:       16,
		StealGain:        512,
		RecodeTerms:      2048,
		PositionCost:     12,
		WholeTerms:       32,
		ExceptionWindows: 30,
	},
}
