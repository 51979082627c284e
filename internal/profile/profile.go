// Package profile holds measured tuning parameters for each level of implementations, such as the
// number of rows from which one algorithm is faster than another. Code reads the profile of the
// current level once per call, and contains no such parameter itself. `make profile` measures the
// parameters again.
package profile

import "github.com/koblitz-go/koblitz/internal/cpu"

// A Profile holds the tuning parameters of one level, that is, for one set of CPU instructions.
type Profile struct {
	// Level is the name of the level, one of those that cpu.Implementations returns.
	Level string

	// Rows is the number of rows from which computing eight rows at a time in lanes is faster than
	// one row after another, even if some lanes are empty. Lifts is the same number for rows that
	// only need a square root. 0 means never.
	Rows, Lifts int

	// Divisions is the number of rows from which scalars are divided in lanes. With fewer rows,
	// combining the lanes at the end costs more than lanes save. Pairs is the number of pairs of
	// points from which the points are added in lanes. 0 means never.
	Divisions, Pairs int

	// SecretBases is the number of secrets from which the base point is multiplied by them in
	// lanes, and SecretPoints is the same number for products of points and secrets. 0 means never.
	SecretBases, SecretPoints int

	// Challenges is the number of BIP-340 challenges from which hashing sixteen or two at a time is
	// faster than hashing one after another, even if some of the results are not used.
	Challenges int

	Sizes

	// The work that one worker does in an equation while all other workers wait, in percent of the
	// time to verify one row without an equation. SerialPerRow is the part for each row: finding
	// equal points and adding up the scalars of each. SerialPerWorker is the part for each worker:
	// adding the worker's part of the sum to the result (Horner's rule).
	SerialPerRow, SerialPerWorker int64

	// QueueSchnorr and QueueECDSA are the numbers of signatures that a queue verifies at a time.
	// They are large enough for lanes, a shared inversion, or one equation to be faster, and no
	// larger, because all signatures wait for the last one. QueueEquations reports whether a queue
	// tries equations.
	QueueSchnorr, QueueECDSA int
	QueueEquations           bool

	// Prices holds the costs per row of equations of at least as many rows as priceRows says, in
	// percent of the cost of verifying each row without an equation. 0 stands for numbers of rows
	// for which that takes less time than an equation.
	Prices [len(priceRows)]int64

	// Plans holds the method for sums of each size, starting with the plan for the most terms. It
	// ends with the plan for 0 terms.
	Plans [20]Plan

	Sums Sums
}

// Sizes are the numbers of rows and terms that a worker gets, and that it takes at a time.
type Sizes struct {
	// RowsPerWorker is the number of rows for each worker: a call with twice as many rows uses two
	// workers. EquationPerWorker is the same number for rows of an equation, and TermsPerWorker for
	// terms of a sum.
	RowsPerWorker, EquationPerWorker, TermsPerWorker int

	// BlockRows is the number of rows that a worker processes at a time. With more rows, the shared
	// inversions would be hardly cheaper, but a worker's memory and the time between two checks of
	// the context would grow. LiftRows is the number of points of an equation that a worker lifts
	// at a time. CallRows is the maximum number of rows of one equation: with more rows, each would
	// be hardly cheaper, and memory would grow.
	BlockRows, LiftRows, CallRows int
}

// sizes returns the Sizes that the profiles of all levels share.
func sizes() Sizes {
	return Sizes{
		RowsPerWorker:     16,
		EquationPerWorker: 64,
		TermsPerWorker:    256,

		BlockRows: 64,
		LiftRows:  64,
		CallRows:  4096,
	}
}

// priceRows holds the numbers of rows that Prices are for.
//
//layers:allow a constant
var priceRows = [...]int{8192, 4096, 2048, 1024, 512, 256, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 5}

// A Plan is the method for sums of at least Terms terms: Interleaved, InLanes, InPairs, or, for a
// sum with buckets (Pippenger's algorithm), the number of windows of digits.
type Plan struct{ Terms, Method int }

// The methods without buckets: Straus' algorithm with wNAF in one chain of doublings, Straus in
// lanes, and Straus with additions in pairs.
const (
	Interleaved = 0
	InLanes     = -1
	InPairs     = -2
)

// Current returns the profile of the current level, the best set of CPU instructions in use. Only
// benchmarks that measure another value of a parameter may write to it.
func Current() *Profile {
	switch {
	case cpu.Has(cpu.Lanes):
		return &lanes
	case cpu.Has(cpu.LanesFMA):
		return &lanesFMA
	case cpu.Has(cpu.LanesAVXIFMA):
		return &lanesAVXIFMA
	case cpu.Has(cpu.LanesAVX2):
		return &lanesAVX2
	case cpu.Has(cpu.BMI2 | cpu.ADX):
		return &adx
	case cpu.Has(cpu.A64):
		return &a64
	case cpu.Has(cpu.RV64):
		return &rv64
	}
	return &portable
}

// Price returns the cost per row of an equation of the given number of rows, in the unit of Prices.
// It returns 0 if verifying each row is cheaper.
func (p *Profile) Price(rows int) int64 {
	for i, least := range priceRows {
		if rows >= least {
			return p.Prices[i]
		}
	}
	return 0
}

// Plan returns the method for a sum of the given number of terms, in the encoding of type Plan.
func (p *Profile) Plan(terms int) int {
	for i := range p.Plans {
		if terms >= p.Plans[i].Terms {
			return p.Plans[i].Method
		}
	}
	return Interleaved
}

// Above returns the next plan for more terms, after the plan for the given number of terms. If that
// plan is already the one for the most terms, Above returns it.
func (p *Profile) Above(terms int) Plan {
	above := p.Plans[0]
	for _, plan := range p.Plans {
		if terms >= plan.Terms {
			break
		}
		above = plan
	}
	return above
}
