// Package pairs compares the speed of two trees of this repository: it builds the benchmarks of
// both trees and runs them alternately, in pairs of one run in each tree.
package pairs

import (
	"fmt"
	"regexp"
)

// A Row is a row of the table of a comparison: a benchmark that exists in both trees.
type Row struct {
	Name    string
	Package string // folder below the repository's root, or the import path in another module

	// Bench is the argument of -test.bench and matches exactly one benchmark in each tree. For a
	// renamed benchmark it is oldName|newName. If it is empty, the row measures all tests of the
	// package.
	Bench string
	Size  int // elements in one operation; the table shows the time of one element
}

// Rows holds the operations whose speed Compare measures. Their benchmarks do the same work in both
// trees, even if the API was renamed, and their preparations outside of the loop do not depend on
// the number of iterations.
var Rows = []Row{
	{"ECDSA verify", "ecdsa", "^BenchmarkVerify$", 1},
	{"BIP-340 verify", "schnorr", "^BenchmarkVerify$", 1},
	{"ECDSA sign, checked", "ecdsa", "^BenchmarkSignChecked$", 1},
	{"ECDSA sign, unchecked", "ecdsa", "^BenchmarkSign$", 1},
	{"BIP-340 sign, checked", "schnorr", "^BenchmarkSign$", 1},
	{"BIP-340 sign, unchecked", "schnorr", "^BenchmarkSignUnchecked$", 1},
	{"ECDSA, exact rows, n = 8", "batch", "^BenchmarkExact$/^ecdsa$/^8$", 8},
	{"ECDSA, exact rows, n = 64", "batch", "^BenchmarkExact$/^ecdsa$/^64$", 64},
	{"ECDSA, exact rows, n = 1024", "batch", "^BenchmarkExact$/^ecdsa$/^1024$", 1024},
	{"BIP-340, exact rows, n = 8", "batch", "^BenchmarkExact$/^schnorr$/^8$", 8},
	{"BIP-340, exact rows, n = 64", "batch", "^BenchmarkExact$/^schnorr$/^64$", 64},
	{"BIP-340, exact rows, n = 1024", "batch", "^BenchmarkExact$/^schnorr$/^1024$", 1024},
	{"ECDSA, equation, n = 64", "batch", "^BenchmarkEquation$/^ecdsa$/^64$", 64},
	{"ECDSA, equation, n = 1024", "batch", "^BenchmarkEquation$/^ecdsa$/^1024$", 1024},
	{"BIP-340, equation, n = 64", "batch", "^BenchmarkEquation$/^schnorr$/^64$", 64},
	{"BIP-340, equation, n = 1024", "batch", "^BenchmarkEquation$/^schnorr$/^1024$", 1024},
	{"sum, n = 2", "msm", "^BenchmarkRandom$/^2$", 2},
	{"sum, n = 64", "msm", "^BenchmarkRandom$/^64$", 64},
	{"sum, n = 1024", "msm", "^BenchmarkRandom$/^1024$", 1024},
	{"ECDSA, Queue", "batch", "^BenchmarkQueue$/^1000_callers$/^ecdsa$/^queue$", 1},
	{"BIP-340, Queue", "batch", "^BenchmarkQueue$/^1000_callers$/^schnorr$/^queue$", 1},
}

func (r Row) name() string { return r.Name }

// Select returns the rows with names that match a regular expression, or an error if none does.
func Select[T interface{ name() string }](rows []T, expression string) (some []T, err error) {
	r, err := regexp.Compile(expression)
	if err != nil {
		return nil, err
	}
	for _, x := range rows {
		if r.MatchString(x.name()) {
			some = append(some, x)
		}
	}
	if len(some) == 0 {
		return nil, fmt.Errorf("no row matches %q; the first is %q", expression, rows[0].name())
	}
	return some, nil
}
