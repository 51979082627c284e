package measure

import "time"

// A Report holds all measurements of a device. Its JSON form is the format of the report file.
type Report struct {
	Device   string
	Driver   string
	Memory   int64 // in bytes
	Units    int
	ClockMHz int  // highest clock
	CPU      bool `json:",omitempty"`
	// Capability is the compute capability of a CUDA device, such as "9.0".
	Capability string `json:",omitempty"`
	Host       string
	Clocks     string `json:",omitempty"` // clocks that nvidia-smi reported while a kernel ran
	Seed       uint64
	Began      time.Time
	Took       time.Duration
	Openings   []First       `json:",omitempty"`
	Compiled   time.Duration // time to compile the program of benchmarks
	Rows       []Row
	LeftOut    []LeftOut `json:",omitempty"`
}

// First holds the durations of the steps from opening the device to the first verdict.
type First struct {
	Driver  time.Duration // finding and opening the device
	Compile time.Duration // compiling, or finding the result in the cache
	Table   time.Duration // making the table of multiples of G
	Answers time.Duration // carrying out calls with known answers
	Call    time.Duration // first call
	Rows    int           // number of rows of the first call
	// Crossover is the additional time for measuring from how many rows on the device is faster
	// than the CPU, or 0 if that was not measured.
	Crossover time.Duration
}

// A Row holds the measurements of an operation at one size.
type Row struct {
	Section string
	ID      string
	Title   string
	Size    int     // number of rows; of work items in chains; of bytes in gathers and copies
	Count   float64 // number of operations or bytes in a run
	Unit    string  // unit of Count: "op" or "B"
	// Kernel is the time of the launches by the device's clock. EndToEnd is the time of copies,
	// launches and reading results, by the host's clock. Host is the time of the same call on the
	// CPU.
	Kernel   Spread
	EndToEnd Spread
	Host     Spread
	Note     string `json:",omitempty"`
}

// A Spread holds the times of several runs, in seconds. It is empty if Runs is 0.
type Spread struct {
	Median, Low, High float64
	Runs              int
}

// A LeftOut is the ID and size of a row that was not measured, with the reason.
type LeftOut struct {
	ID     string
	Size   int `json:",omitempty"`
	Reason string
}

// Rate returns the number of operations or bytes per second that follows from the median of s, or 0
// if s is empty.
func (r *Row) Rate(s Spread) float64 {
	if s.Runs == 0 || s.Median <= 0 {
		return 0
	}
	return r.Count / s.Median
}

// Best returns the row with the given ID that has the highest rate of its kernel. If no row with
// the ID has kernel times, Best returns the one with the highest rate end to end. It returns false
// if there is no row with the ID.
func (r *Report) Best(id string) (best Row, ok bool) {
	for _, row := range r.Rows {
		if row.ID != id {
			continue
		}
		if !ok || row.Rate(row.Kernel) > best.Rate(best.Kernel) ||
			row.Kernel.Runs == 0 && row.Rate(row.EndToEnd) > best.Rate(best.EndToEnd) {
			best, ok = row, true
		}
	}
	return best, ok
}

// last returns the last row with the given ID, which is that of the largest size.
func (r *Report) last(id string) (last Row, ok bool) {
	for _, row := range r.Rows {
		if row.ID == id {
			last, ok = row, true
		}
	}
	return last, ok
}
