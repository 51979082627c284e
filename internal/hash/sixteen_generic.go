//go:build !amd64 || purego

package hash

// challenges is [Challenges] with vectors. It returns false, and computes nothing, if
// the CPU has none of 512 bits.
func challenges(out *[Sixteen][32]byte, r, p, msg *Rows) bool { return false }

// expand is [Expand] with vectors. It returns false, and computes nothing, if the CPU
// has none of 512 bits.
func expand(out *[Sixteen][32]byte, seed *[32]byte, counter uint64) bool { return false }

// wide is the sixteen lanes of a [Transcript].
type wide struct{ single }

// sum sets out to the digests. rows is the number of rows that each lane was given.
func (w *wide) sum(out *[Sixteen][32]byte, rows uint64) { w.single.sum(out) }
