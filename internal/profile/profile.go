// Package profile holds what was measured of each level of implementations: from how
// many rows on which way of computing is the faster one. Code asks for the profile of
// the level in force, once per call, and holds no such number of its own. `make
// profile` measures them again.
package profile

import "github.com/koblitz-go/koblitz/internal/cpu"

// A Profile is what one level does best.
type Profile struct {
	// Level is the name of the level, one of cpu.Implementations.
	Level string

	// Rows is from how many rows on eight lanes are faster than one row after
	// another, though some of them may be empty, and Lifts the same where nothing
	// but square roots is to be done. 0 means never.
	Rows, Lifts int

	// Divisions is from how many rows on scalars are divided in lanes: with fewer,
	// the lanes that are combined at the end cost more than they save. Pairs is from
	// how many pairs on points are added in lanes. 0 means never.
	Divisions, Pairs int

	// Challenges is from how many challenges of BIP-340 on sixteen hashes at a time are
	// faster than one after another, though some of the sixteen are not wanted.
	Challenges int

	// RowsPerWorker is how many rows of a call make another worker worth its start,
	// EquationPerWorker how many rows of an equation, and TermsPerWorker how many
	// terms of a sum.
	RowsPerWorker, EquationPerWorker, TermsPerWorker int

	// BlockRows is how many rows a worker takes at a time: with more, the inversions
	// that they share are no cheaper to speak of, a worker's memory grows, and so does
	// the time between two looks at the context. LiftRows is how many points of an
	// equation a worker lifts at a time. CallRows is the most rows of a call that are
	// parsed for one equation: with more it is hardly cheaper, and memory grows.
	BlockRows, LiftRows, CallRows int

	// What one worker does in an equation while the others wait, in percent of what it
	// takes to verify one row without it: SerialPerRow for every row, to find equal
	// points and to add up the scalars of each, and SerialPerWorker for every worker,
	// whose part of the sum has to be added to those of others (Horner's rule).
	SerialPerRow, SerialPerWorker int64

	// QueueSchnorr and QueueECDSA are how many signatures a queue verifies at a time:
	// enough for lanes, for a shared inversion, or for one equation to be worth it,
	// and no more, because all wait for the last. QueueEquations says whether a queue
	// tries equations.
	QueueSchnorr, QueueECDSA int
	QueueEquations           bool

	// Prices holds what equations cost, for the most rows first; it ends with a price
	// of 0, which stands for more than the verification of each row.
	Prices [16]Price

	// Plans holds how sums are computed, for the most terms first; it ends with the
	// plan for 0 terms.
	Plans [20]Plan

	Sums Sums
}

// A Price says what an equation for at least Rows rows costs a row, in percent of
// what it costs to verify each of the same rows.
type Price struct {
	Rows    int
	Percent int64
}

// A Plan says how a sum of at least Terms terms is computed: by Interleaved, InLanes or InPairs,
// or with buckets for digits in Method windows.
type Plan struct{ Terms, Method int }

// The methods that have no buckets for digits: Straus with wNAF in one chain, in lanes, and
// with additions in pairs.
const (
	Interleaved = 0
	InLanes     = -1
	InPairs     = -2
)

// Current returns the profile of the level in force. Only benchmarks that measure what
// another number would do write to it.
func Current() *Profile {
	switch {
	case cpu.Has(cpu.Lanes):
		return &lanes
	case cpu.Has(cpu.BMI2 | cpu.ADX):
		return &adx
	case cpu.Has(cpu.A64):
		return &a64
	case cpu.Has(cpu.RV64):
		return &rv64
	}
	return &portable
}

// Price returns what an equation for a number of rows costs a row, as in Price, or 0 if it
// does not pay.
func (p *Profile) Price(rows int) int64 {
	for i := range p.Prices {
		if rows >= p.Prices[i].Rows {
			return p.Prices[i].Percent
		}
	}
	return 0
}

// Plan returns how a sum of a number of terms is computed, as in Plan.
func (p *Profile) Plan(terms int) int {
	for i := range p.Plans {
		if terms >= p.Plans[i].Terms {
			return p.Plans[i].Method
		}
	}
	return Interleaved
}

// Above returns the plan for more terms that follows that for a number of terms, or that plan
// itself if there is none for more.
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
