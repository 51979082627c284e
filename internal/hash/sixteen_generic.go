//go:build !amd64 || purego

package hash

// challenges does what [Challenges] does, or returns false if the CPU has no
// vectors for it.
func challenges(out *[Sixteen][32]byte, r, p, msg *Rows) bool { return false }

// expand does what [Expand] does, or returns false if the CPU has no vectors
// for it.
func expand(out *[Sixteen][32]byte, seed *[32]byte, counter uint64) bool { return false }

// wide is sixteen hashes that get rows of a [Transcript].
type wide struct{ single }

// sum sets out to the digests. rows is how many rows each has got.
func (w *wide) sum(out *[Sixteen][32]byte, rows uint64) { w.single.sum(out) }
