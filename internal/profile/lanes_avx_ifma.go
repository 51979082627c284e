package profile

// lanesAVXIFMA holds values measured on a Zen 4 CPU, by the kernels in the encoding of AVX-512.
// SerialPerRow and the numbers from SerialPerWorker to QueueECDSA are those of lanesFMA.
//
//layers:allow a constant
var lanesAVXIFMA = Profile{
	Level: "lanes-AVX-IFMA",

	Rows:  5,
	Lifts: 5,

	Divisions: 28,
	Pairs:     12,

	SecretBases:  40,
	SecretPoints: 4,

	Challenges:      2,
	Sizes:           sizes(),
	SerialPerRow:    3,
	SerialPerWorker: 250,

	QueueSchnorr:   512,
	QueueECDSA:     64,
	QueueEquations: true,

	Prices: [len(priceRows)]int64{42, 44, 46, 52, 56, 58, 63, 66, 73, 79, 88},
	Plans: [20]Plan{
		{12000, 10},
		{6000, 11},
		{2000, 12},
		{1000, 13},
		{560, 14},
		{220, 16},
		{150, 17},
		{90, 19},
		{36, 22},
		{22, 24},
		{18, 27},
		{9, 32},
		{4, InLanes},
	},
	Sums: sums(32),
}
