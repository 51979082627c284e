package profile

// a64 is derived from instruction counts by qemu (docs/lab/ports.md, "Thresholds") for the
// parameters that depend on one thread: Plans, Prices, and all fields of Sums except StealGain and
// RecodeTerms, since these two concern several workers. It has not been measured on an arm64 CPU.
// All other parameters are copied from portable.
//
//layers:allow a constant
var a64 = Profile{
	Level: "A64",

	Challenges:      16,
	Sizes:           sizes(),
	SerialPerRow:    1,
	SerialPerWorker: 150,

	QueueSchnorr: 16,
	QueueECDSA:   16,

	Prices: [len(priceRows)]int64{54, 54, 54, 56, 59, 63, 68, 71, 75, 78, 84, 86, 88, 90, 92, 95},
	Plans: [20]Plan{
		{9300, 10},
		{4300, 11},
		{2200, 12},
		{1000, 13},
		{560, 14},
		{450, 15},
		{180, 16},
		{120, 18},
		{70, 19},
		{60, 21},
		{54, 22},
	},
	Sums: sums(96),
}
