package profile

// portable holds values measured on a Zen 5 CPU, under the build tag purego.
//
//layers:allow a constant
var portable = Profile{
	Level: "portable",

	Challenges:      2, // as in adx
	Sizes:           sizes(),
	SerialPerRow:    1,
	SerialPerWorker: 150,

	QueueSchnorr: 16,
	QueueECDSA:   16,

	Prices: [16]Price{
		{4096, 46},
		{2048, 47},
		{1024, 50},
		{512, 53},
		{256, 54},
		{128, 59},
		{64, 66},
		{48, 68},
		{32, 73},
		{24, 76},
		{16, 80},
		{12, 82},
		{8, 87},
		{6, 93},
		{5, 97},
	},
	Plans: [20]Plan{
		{10000, 10},
		{6000, 11},
		{3500, 12},
		{1200, 13},
		{570, 14},
		{450, 15},
		{180, 16},
		{140, 18},
		{72, 19},
		{54, 21},
		{6, InPairs},
	},
	Sums: sums(32),
}
