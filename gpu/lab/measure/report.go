package measure

import "time"

// A Report is everything that was measured of a device. It is also the JSON form.
type Report struct {
	Device   string
	Driver   string
	Memory   int64 // bytes
	Units    int
	ClockMHz int  // the highest
	CPU      bool `json:",omitempty"`
	Host     string
	Clocks   string `json:",omitempty"` // what nvidia-smi said while a kernel ran
	Seed     uint64
	Began    time.Time
	Took     time.Duration
	Openings []First       `json:",omitempty"`
	Compiled time.Duration // the program of benchmarks
	Rows     []Row
	LeftOut  []LeftOut `json:",omitempty"`
}

// First is how long it takes until there is a first verdict, part by part.
type First struct {
	Driver    time.Duration // find the device, and open it
	Compile   time.Duration // or find it compiled
	Table     time.Duration // of G
	Answers   time.Duration // known ones
	Call      time.Duration // the first call
	Rows      int           // of the first call
	Crossover time.Duration // what measuring the crossover adds, or 0 if that was not tried
}

// A Row is one operation at one size.
type Row struct {
	Section string
	ID      string
	Title   string
	Size    int     // rows; in chains work items, in gathers and copies bytes
	Count   float64 // operations, or bytes, in a time
	Unit    string  // what Count counts: "op" or "B"
	// Kernel is the time of launches by the device's clock, EndToEnd that of copies, launches
	// and results by the host's, and Host that of the same call by the host alone.
	Kernel   Spread
	EndToEnd Spread
	Host     Spread
	Note     string `json:",omitempty"`
}

// A Spread is the times of several runs, in seconds. Without runs it says nothing.
type Spread struct {
	Median, Low, High float64
	Runs              int
}

// A LeftOut is a row that was not measured, and why.
type LeftOut struct {
	ID     string
	Size   int `json:",omitempty"`
	Reason string
}

// Rate returns how many operations or bytes a second that is, by the median, or 0.
func (r *Row) Rate(s Spread) float64 {
	if s.Runs == 0 || s.Median <= 0 {
		return 0
	}
	return r.Count / s.Median
}

// Best returns the row with an ID that has the highest rate of its kernel, or of end to end if
// none has a time of its kernel, and whether there is one.
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
