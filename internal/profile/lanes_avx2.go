package profile

// lanesAVX2 holds values measured on a Zen 4 CPU without its AVX-512. SerialPerRow and the numbers
// from SerialPerWorker to QueueECDSA are those of lanesFMA.
//
//layers:allow a constant
var lanesAVX2 = Profile{
	Level: "lanes-AVX2",

	Rows:  7,
	Lifts: 9,

	Divisions: 48,
	Pairs:     28,

	SecretBases:  40,
	SecretPoints: 6,

	Challenges:      2,
	Sizes:           sizes(),
	SerialPerRow:    3,
	SerialPerWorker: 250,

	QueueSchnorr:   512,
	QueueECDSA:     64,
	QueueEquations: true,

	Prices: [len(priceRows)]int64{33, 35, 37, 39, 43, 46, 53, 54, 59, 63, 74, 82, 87},
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
		{14, 32},
		{8, InPairs},
	},
	Sums: sums(32),
}
