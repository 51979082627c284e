// Package dropins is about what existing software gains by the drop-ins. Every folder has the
// operations of one library as benchmarks, and their results as tests. The sources are the same
// with and without the replace lines: what differs is the go.mod that they are built with.
//
//	make bench-compat                        # from the repository's root: both, in turns
//	GOWORK=off go test -run Results -v ./... # here: the results without the replace lines
//
// The program in lab/bench/dropins builds the folders both ways, compares the results and measures.
package dropins
