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

	Prices: [16]Price{
		{2048, 54},
		{1024, 56},
		{512, 59},
		{256, 63},
		{128, 68},
		{96, 71},
		{64, 75},
		{48, 78},
		{32, 84},
		{24, 86},
		{16, 88},
		{12, 90},
		{8, 92},
		{6, 95},
	},
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
