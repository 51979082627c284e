//go:build purego

package point

// AlignedLoads is false because AlignedEntries needs package unsafe.
const AlignedLoads = false

// AlignedEntries must not be called.
//
//ct:unrun for CPUs that cannot load words from any address
func AlignedEntries(table string) (entries []Entry, skew uint) { return nil, 0 }
