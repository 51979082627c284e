package measure

// A Goal is a figure that one NVIDIA H200 should reach. It has a least value and a better one.
type Goal struct {
	Title          string
	Unit           string // such as "/s", "ms" or "%"
	Least, Stretch float64
	Measured       float64
	// Reached is the measured figure divided by the least one, or the least one divided by the
	// measured figure if lower is better. The goal is reached if Reached is 1 or more.
	Reached float64
}

// These are the goals, by the IDs of the rows of the report to which they apply. A goal without a
// size applies to the best of the rows with that ID.
var (
	rateGoals = []struct {
		id, title      string
		least, stretch float64
		size           int
	}{
		{"mul-chain", "field multiply, in registers", 85e9, 105e9, 0},
		{"sqr-chain", "field square, in registers", 120e9, 150e9, 0},
		{"kG-16", "k·G, windows of 16 bits, XYZZ", 450e6, 650e6, 0},
		{"pubkeys", "k·G to keys", 450e6, 650e6, 0},
		{"ecdsa", "ECDSA, compressed keys", 35e6, 50e6, 0},
		{"recover", "recover keys", 35e6, 50e6, 0},
		{"bip340", "BIP-340, each", 33e6, 45e6, 0},
		{"bip340-all", "BIP-340, one equation of 2^20", 90e6, 130e6, goalSize},
	}
	sumGoal = [2]float64{3.5, 2.2} // milliseconds for the kernels of a sum of 2^20 terms
	// Goal for ECDSA with 2^20 rows: the rate end to end, in percent of the rate of the kernel
	// alone.
	endGoal = [2]float64{80, 92}
)

// goalSize is the number of rows for goals that apply to a single size.
const goalSize = 1 << 20

// Goals returns the goals whose rows were measured, together with the measured figures.
func (r *Report) Goals() (list []Goal) {
	for _, g := range rateGoals {
		row, ok := r.Best(g.id)
		if g.size > 0 {
			row, ok = r.find(g.id, g.size)
		}
		if ok && row.Kernel.Runs > 0 {
			rate := row.Rate(row.Kernel)
			list = append(list, Goal{g.title, "/s", g.least, g.stretch, rate, rate / g.least})
		}
	}
	if row, ok := r.find("sum", goalSize); ok && row.Kernel.Median > 0 {
		ms := 1000 * row.Kernel.Median
		list = append(list, Goal{"sum of 2^20 products", "ms", sumGoal[0], sumGoal[1], ms,
			sumGoal[0] / ms})
	}
	if row, ok := r.find("ecdsa", goalSize); ok && row.EndToEnd.Median > 0 {
		percent := 100 * row.Kernel.Median / row.EndToEnd.Median
		list = append(list, Goal{"ECDSA of 2^20 rows end to end, of the kernel's rate", "%",
			endGoal[0], endGoal[1], percent, percent / endGoal[0]})
	}
	return list
}

// find returns the row with the given ID and size.
func (r *Report) find(id string, size int) (Row, bool) {
	for _, row := range r.Rows {
		if row.ID == id && row.Size == size {
			return row, true
		}
	}
	return Row{}, false
}
