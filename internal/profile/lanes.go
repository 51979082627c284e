package profile

// lanes holds values measured on a Zen 5 CPU, except that Rows and Lifts were measured on a Zen 4
// CPU.
//
//layers:allow a constant
var lanes = Profile{
	Level: "lanes",

	Rows:  4,
	Lifts: 4,

	Divisions: 24,
	Pairs:     12,

	SecretBases:  40,
	SecretPoints: 4,

	Challenges:      4,
	Sizes:           sizes(),
	SerialPerRow:    3,
	SerialPerWorker: 250,

	QueueSchnorr:   512,
	QueueECDSA:     64,
	QueueEquations: true,

	Prices: [len(priceRows)]int64{47, 47, 48, 49, 52, 56, 64, 66, 77, 83, 96},
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
	Sums: sums(32),
}
