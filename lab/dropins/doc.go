// Package dropins measures how much faster existing software is with the drop-ins. Every folder has
// benchmarks for the operations of one library, and a test that prints the hashes of their results.
// The sources are the same with and without the replace lines; only go.mod differs.
//
//	make bench-compat                        # from the repository's root: both builds, in turns
//	GOWORK=off go test -run Results -v ./... # here: the results without the replace lines
//
// The program in lab/bench/pairs builds the folders both ways, compares the results and measures
// the times.
package dropins
