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

	Prices: [len(priceRows)]int64{46, 46, 47, 50, 53, 54, 59, 66, 66, 68, 73, 76, 80, 82, 87, 93, 97},
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
