package engine

// SetScalar sets the scalar of which the multiple of G is asked for: 32 bytes, big-endian. It
// is malformed if it is not in [1, n). The time depends on it.
func (r Row) SetScalar(b *[32]byte) {
	r.reset(0)
	r.need(r.rows.a[r.i].SetNonzeroBytes(b).Bool())
}
