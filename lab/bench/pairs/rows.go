package main

// A Row is a row of the table of a comparison: a benchmark that exists in both trees.
type Row struct {
	Name    string
	Package string // folder below the repository's root or below lab/dropins

	// Bench is the argument of -test.bench and matches exactly one benchmark in each tree. For a
	// renamed benchmark it is oldName|newName.
	Bench string
	Size  int // elements in one operation; the table shows the time of one element

	// Least is the required ratio of the old tree's time to the new tree's. If it is 0, the row is
	// only reported.
	Least float64

	// Cgo says that the old tree is built with cgo. It counts only if the trees differ in replace
	// lines; all other builds of such trees disable cgo.
	Cgo bool
}

func benchmark(name, pkg, bench string, size int) Row {
	return Row{Name: name, Package: pkg, Bench: bench, Size: size}
}

// Rows holds the operations whose speed is compared with an older commit's. Their benchmarks do the
// same work in both trees, even if the API was renamed, and their preparations outside of the loop
// do not depend on the number of iterations.
var Rows = []Row{
	benchmark("ECDSA verify", "ecdsa", "^BenchmarkVerify$", 1),
	benchmark("BIP-340 verify", "schnorr", "^BenchmarkVerify$", 1),
	benchmark("ECDSA sign, checked", "ecdsa", "^BenchmarkSignChecked$", 1),
	benchmark("ECDSA sign, unchecked", "ecdsa", "^BenchmarkSign$", 1),
	benchmark("BIP-340 sign, checked", "schnorr", "^BenchmarkSign$", 1),
	benchmark("BIP-340 sign, unchecked", "schnorr", "^BenchmarkSignUnchecked$", 1),
	benchmark("ECDSA, exact rows, n = 8", "batch", "^BenchmarkExact$/^ecdsa$/^8$", 8),
	benchmark("ECDSA, exact rows, n = 64", "batch", "^BenchmarkExact$/^ecdsa$/^64$", 64),
	benchmark("ECDSA, exact rows, n = 1024", "batch", "^BenchmarkExact$/^ecdsa$/^1024$", 1024),
	benchmark("BIP-340, exact rows, n = 8", "batch", "^BenchmarkExact$/^schnorr$/^8$", 8),
	benchmark("BIP-340, exact rows, n = 64", "batch", "^BenchmarkExact$/^schnorr$/^64$", 64),
	benchmark("BIP-340, exact rows, n = 1024", "batch", "^BenchmarkExact$/^schnorr$/^1024$", 1024),
	benchmark("ECDSA, equation, n = 64", "batch", "^BenchmarkEquation$/^ecdsa$/^64$", 64),
	benchmark("ECDSA, equation, n = 1024", "batch", "^BenchmarkEquation$/^ecdsa$/^1024$", 1024),
	benchmark("BIP-340, equation, n = 64", "batch", "^BenchmarkEquation$/^schnorr$/^64$", 64),
	benchmark("BIP-340, equation, n = 1024", "batch", "^BenchmarkEquation$/^schnorr$/^1024$", 1024),
	benchmark("sum, n = 2", "msm", "^BenchmarkRandom$/^2$", 2),
	benchmark("sum, n = 64", "msm", "^BenchmarkRandom$/^64$", 64),
	benchmark("sum, n = 1024", "msm", "^BenchmarkRandom$/^1024$", 1024),
	benchmark("ECDSA, Queue", "batch", "^BenchmarkQueue$/^1000_callers$/^ecdsa$/^queue$", 1),
	benchmark("BIP-340, Queue", "batch", "^BenchmarkQueue$/^1000_callers$/^schnorr$/^queue$", 1),
}
