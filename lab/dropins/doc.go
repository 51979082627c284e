// Package dropins measures how much faster existing software is with the drop-ins. Every folder has
// benchmarks for the operations of one library, and tests that print their results. The sources are
// the same with and without the replace lines; only the go.mod differs.
//
//	make bench-compat                        # from the repository's root: both, in turns
//	GOWORK=off go test -run Results -v ./... # here: the results without the replace lines
//
// The program in lab/bench/dropins builds the folders both ways, compares the results and measures.
package dropins
