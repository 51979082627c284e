package vartime

import (
	_ "embed" // for the tables

	"github.com/koblitz-go/koblitz/internal/vartime/wnaf"
)

// This file holds the two tables of G that are embedded in the binary.

// BaseWindow is the window of GeneratorTable.
const BaseWindow = 15

// baseData holds g.bin, which gen.go writes. A test computes the table again.
//
//go:generate go run gen.go -window 15 -stride 129 -o g.bin
//go:embed g.bin
var baseData string

// GeneratorTable returns a table of G with one subtable for all positions. Its digits are wide, so
// there are few of them, but a sum takes one doubling for each position. The table is for sums a·G
// + b·P, which need these doublings for b·P anyway.
func GeneratorTable() SplitTable { return SplitTable{baseData, BaseWindow, wnaf.Positions} }

// The window and the stride of the split wNAF table of G, chosen by measuring a·G + b·P with the
// largest tables of keys. A window of 12 doubles the table and makes the sum 3 % faster; a window
// of 10 makes it 2 % slower. A larger stride would add doublings.
const (
	splitBaseWindow = 11
	splitBaseStride = 10
)

// splitData holds split.bin, which gen.go writes. A test computes the table again.
//
//go:generate go run gen.go -window 11 -stride 10 -o split.bin
//go:embed split.bin
var splitData string

// GeneratorSplitTable returns the split wNAF table of G.
func GeneratorSplitTable() SplitTable {
	return SplitTable{splitData, splitBaseWindow, splitBaseStride}
}
