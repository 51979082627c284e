//go:build !amd64 || purego

package hash

// challenges does what [Challenges] does, or returns false if the CPU has no
// vectors for it.
func challenges(out *[Sixteen][32]byte, r, p, msg *Rows) bool { return false }
