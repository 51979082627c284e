//go:build purego

package point

// AlignedLoads is false because AlignedEntries needs package unsafe.
const AlignedLoads = false

// AlignedEntries must not be called.
//
//ct:public takes the address of a table
func AlignedEntries(table string) (entries []Entry, skew uint) { return nil, 0 }
