package measure

// An Estimate compares the best rate of a row's kernel with what a model and others' measurements
// make one expect on the device.
type Estimate struct {
	Title string
	// Measured is the highest rate of the kernel.
	Measured float64
	// Expected is the rate by the model of docs/lab/gpu.md: reachable of the peak, scaled by the
	// device's multiprocessors and clock. It is 0 for devices of other compute capabilities than
	// modelCapability: their code and its rates differ.
	Expected float64
	// Peers are published rates of UltrafastSecp256k1, scaled in the same way, in the order of the
	// cards in peerCards. They are 0 where nothing was published.
	Peers [len(peerCards)]float64
}

// reachable is the part of the model's peak that a good kernel reaches.
const reachable = 0.65

// modelCapability is the compute capability for which the model holds.
const modelCapability = "9.0"

// asExpected is how much a rate may be above or below the expected one, as a part of it, to count
// as expected.
const asExpected = 0.15

// modelClocks are the clocks of a multiprocessor for a row of the report, by the model of
// docs/lab/gpu.md.
var modelClocks = []struct {
	id     string
	clocks float64
	size   int // the size for which the model holds, or 0 for the best of all sizes
}{
	{"ecdsa", 4553, 0},
	{"bip340", 4674, 0},
	{"recover", 4622, 0},
	{"addresses", 4628, 0},
	{"decompress", 436, 0},
	{"pubkeys", 410, 0},
	{"bip340-all", 1610, goalSize},
	{"ecdsa-all", 1800, goalSize},
	{"kG-16", 350, 0},
	{"mul-chain", 2.35, 0},
	{"sqr-chain", 1.62, 0},
}

// peerCards are the cards with published rates of the kernels of UltrafastSecp256k1
// (github.com/shrec/UltrafastSecp256k1), and NVIDIA's figures for the cards: multiprocessors, and
// boost clock. The rates are those of v4.5.0, in docs/BENCHMARKS.md (RTX 5060 Ti) and
// docs/COMMUNITY_BENCHMARKS.md (RTX 5070 Ti).
var peerCards = [...]struct {
	name       string
	units, mhz float64
	rates      map[string]float64 // by the row's ID
}{
	{"RTX 5060 Ti", 36, 2572,
		map[string]float64{"ecdsa": 4.34e6, "bip340": 5.99e6, "pubkeys": 8.81e6}},
	{"RTX 5070 Ti", 70, 2452,
		map[string]float64{"ecdsa": 8.14e6, "bip340": 10.79e6, "pubkeys": 10.86e6}},
}

// Estimates returns the rows for which there is an estimate, for a device of CUDA whose number of
// multiprocessors and clock rate are known.
func (r *Report) Estimates() (list []Estimate) {
	speed := float64(r.Units) * float64(r.ClockMHz) // million clocks a second of all multiprocessors
	if !isCUDA(r.Device) || speed <= 0 {
		return nil
	}
	for _, m := range modelClocks {
		row, ok := r.Best(m.id)
		if m.size > 0 {
			row, ok = r.find(m.id, m.size)
		}
		if !ok || row.Kernel.Runs == 0 {
			continue
		}
		e := Estimate{Title: row.Title, Measured: row.Rate(row.Kernel)}
		if r.Capability == modelCapability {
			e.Expected = reachable * 1e6 * speed / m.clocks
		}
		for i, card := range peerCards {
			e.Peers[i] = card.rates[m.id] * speed / (card.units * card.mhz)
		}
		list = append(list, e)
	}
	return list
}

// Verdict says whether the measured rate is as expected. It returns "" if nothing is expected.
func (e *Estimate) Verdict() string {
	switch ratio := e.Measured / e.Expected; {
	case e.Expected == 0:
		return ""
	case ratio < 1-asExpected:
		return "slower"
	case ratio > 1+asExpected:
		return "faster"
	}
	return "as expected"
}
