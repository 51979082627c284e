package profile

// lanesFMA holds values measured on a Zen 4 CPU with the IFMA instructions disabled. Only Rows is
// larger than measured, 8 instead of 5, because other CPUs lower their clock for 512-bit
// multiplications; see docs/cpu.md. Prices from 128 rows up are interpolated from measurements at
// 64 and 1024.
//
//layers:allow a constant
var lanesFMA = Profile{
	Level: "lanes-FMA",

	Rows:  8,
	Lifts: 8,

	Divisions: 28,
	Pairs:     16,

	SecretBases:  40,
	SecretPoints: 6,

	Challenges:      6,
	Sizes:           sizes(),
	SerialPerRow:    3,
	SerialPerWorker: 250,

	QueueSchnorr:   512,
	QueueECDSA:     64,
	QueueEquations: true,

	Prices: [len(priceRows)]int64{45, 45, 45, 46, 48, 51, 56, 59, 64, 70, 83, 86, 97},
	Plans: [20]Plan{
		{12000, 10},
		{6000, 11},
		{4500, 12},
		{700, 13},
		{560, 14},
		{220, 16},
		{150, 17},
		{90, 19},
		{36, 22},
		{22, 24},
		{18, 27},
		{11, 32},
		{5, InPairs},
	},
	Sums: sums(32),
}
