package profile

// adx holds values measured on a Zen 5 CPU, except that Challenges was measured on a Zen 4 CPU with
// AVX-512 disabled.
//
//layers:allow a constant
var adx = Profile{
	Level: "ADX",

	Challenges:      2,
	Sizes:           sizes(),
	SerialPerRow:    1,
	SerialPerWorker: 300,

	QueueSchnorr: 16,
	QueueECDSA:   16,

	Prices: [len(priceRows)]int64{61, 61, 62, 64, 66, 72, 79, 83, 89, 95},
	Plans: [20]Plan{
		{10000, 10},
		{6000, 11},
		{2600, 12},
		{800, 13},
		{600, 14},
		{400, 15},
		{220, 16},
		{150, 17},
		{120, 19},
		{90, 21},
	},
	Sums: sums(32),
}
