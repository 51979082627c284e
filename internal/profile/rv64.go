package profile

// rv64 is derived from instruction counts, as a64 is. It has not been measured on a riscv64 CPU.
//
//layers:allow a constant
var rv64 = Profile{
	Level: "RV64",

	Challenges:      16,
	Sizes:           sizes(),
	SerialPerRow:    1,
	SerialPerWorker: 150,

	QueueSchnorr: 16,
	QueueECDSA:   16,

	Prices: [len(priceRows)]int64{56, 56, 56, 58, 60, 64, 69, 71, 75, 78, 83, 86, 90, 92, 98},
	Plans: [20]Plan{
		{9300, 10},
		{4200, 11},
		{2200, 12},
		{1000, 13},
		{560, 14},
		{450, 15},
		{220, 16},
		{180, 17},
		{112, 18},
		{70, 19},
		{60, 21},
		{52, 22},
		{14, InPairs},
	},
	Sums: sums(96),
}
