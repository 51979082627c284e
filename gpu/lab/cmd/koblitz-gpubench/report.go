package main

import (
	"fmt"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/launch"
)

// A Report holds everything that was measured on a device. It is the content of the file of -json.
// Durations are in nanoseconds.
type Report struct {
	Device     driver.Info
	Host       string
	Rows       int // value of -rows
	Seed       uint64
	Open       launch.Times // steps until the device was ready for calls
	Operations []Operation
	LeftOut    []Note
	Failures   []Note
}

// An Operation is a line of the table.
type Operation struct {
	Name  string
	Size  int     // rows of a run; of loops, work items
	Count float64 // operations in a run; bytes, of copies
	Time  Times   // of a run
}

// Times are the times of several runs.
type Times struct {
	Median, Low, High time.Duration
	Runs              int
}

// A Note says why an operation has no line in the table.
type Note struct {
	Operation string
	Reason    string
}

// rate returns the number of operations in a second, by the median time.
func (o *Operation) rate() float64 { return o.Count / max(o.Time.Median, 1).Seconds() }

// published holds rates of an NVIDIA RTX 5060 Ti, in millions a second, that UltrafastSecp256k1
// (github.com/shrec/UltrafastSecp256k1) publishes in the tables for CUDA of docs/BENCHMARKS.md. All
// are rates of kernels.
var published = map[string]float64{
	"ECDSA verify": 4.34, "BIP-340 verify": 5.99, "public key": 8.81, "field multiply": 4142,
	"field add": 4130, "field inverse": 98.35, "batch inverse of 128": 340,
	"point add, Jacobian": 619, "point add, affine": 2532, "point double": 1282,
	"point to affine": 66.9, "k·P": 3.55,
}

// modelClocks holds the clocks of a multiprocessor that an operation takes by the model of
// docs/lab/gpu.md. Those of equations are for 2^20 rows.
var modelClocks = map[string]float64{
	"ECDSA verify": 4553, "BIP-340 verify": 4674, "recover key": 4622, "recover address": 4628,
	"decompress key": 436, "public key": 410, "BIP-340, one equation": 1610,
	"ECDSA, one equation": 1800, "loop of field multiply": 2.35, "loop of field square": 1.62,
}

// estimate returns the rate that the model expects of an operation, 65 % of its peak. It returns 0
// if the model does not cover the operation, or the device: it holds for compute capability 9.0.
func (r *Report) estimate(name string) float64 {
	clocks := modelClocks[name]
	if d := &r.Device; clocks > 0 && d.Major == 9 && d.Minor == 0 {
		return 0.65 * 1e6 * float64(d.Units*d.ClockMHz) / clocks
	}
	return 0
}

// heading returns the lines of the table before the first operation.
func (r *Report) heading() string {
	d := &r.Device
	return fmt.Sprintf("# %s, driver %s, %d MiB, %d units, at most %d MHz, capability %d.%d\n",
		d.Name, d.Driver, d.Memory>>20, d.Units, d.ClockMHz, d.Major, d.Minor) +
		fmt.Sprintf("# host %s, seed %d\n", r.Host, r.Seed) +
		cells("# operation", "size", "per second", "", "estimate", "RTX 5060 Ti")
}

// line returns the operation's line of the table.
func (r *Report) line(o *Operation) string {
	t := &o.Time
	deviation := 100 * float64(max(t.High-t.Median, t.Median-t.Low)) / float64(max(t.Median, 1))
	return cells(o.Name, fmt.Sprint(o.Size), perSecond(o.rate()), fmt.Sprintf("±%.0f %%", deviation),
		perSecond(r.estimate(o.Name)), perSecond(1e6*published[o.Name]))
}

// cells returns a line of the table with the given columns.
func cells(operation, size, rate, deviation, estimate, published string) string {
	return fmt.Sprintf("%-24s %10s %12s %-8s %12s %12s\n", operation, size, rate, deviation,
		estimate, published)
}

// perSecond returns a rate with three digits and a unit prefix, or "–" for 0.
func perSecond(x float64) string {
	if x <= 0 {
		return "–"
	}
	prefixes := []string{"", "k", "M", "G", "T"}
	i := 0
	for ; x >= 999.5 && i < len(prefixes)-1; i++ {
		x /= 1000
	}
	return fmt.Sprintf("%.3g %s", x, prefixes[i])
}
