package hash

import "encoding/binary"

// FirstNonces sets out[j] to the first string of the sequence that [Nonces] yields for keys[j] and
// hashes[j] without additional data, for j < n ≤ Sixteen. The other results have no meaning. It
// uses more stack than secret.Do wipes; call it under secret.DoDeep.
func FirstNonces(out, keys, hashes *[Sixteen][32]byte, n int) {
	//ct:secret keys[0][31]&1 == 1
	_ = out[:n]
	if n > 0 && haveLanes() { //ct:unrun-portable for AVX-512, which the other build has
		firstNonces(out, keys, hashes, n)
		return
	}
	var s Nonces
	for j := range n {
		s.Init(&keys[j], &hashes[j], nil)
		s.Next(&out[j])
	}
	s.Wipe()
}

// firstNonces implements [FirstNonces] with kernels. The comments name the steps of RFC 6979,
// section 3.2.
//
//ct:unrun-portable for AVX-512, which the other build has
func firstNonces(out, keys, hashes *[Sixteen][32]byte, n int) {
	var k, v [Sixteen][32]byte // steps b and c
	for j := range v {
		for i := range v[j] {
			v[j][i] = 0x01
		}
	}
	m := macs{n: n}
	m.setKeys(&k)
	for separator := range byte(2) { // separator 0 is steps d and e, separator 1 steps f and g
		var first, second [Sixteen][64]byte // V ‖ separator ‖ key ‖ hash, and the padding
		for j := range first {
			*(*[32]byte)(first[j][:]) = v[j]
			first[j][32] = separator
			copy(first[j][33:], keys[j][:31])
			second[j] = [64]byte{0: keys[j][31], 33: 0x80}
			copy(second[j][1:], hashes[j][:])
			binary.BigEndian.PutUint16(second[j][62:], 8*(64+97))
		}
		m.sum(&k, &first, &second)
		m.setKeys(&k)
		m.next(&v)
	}
	m.next(&v) // step h
	*out = v
}

// macs computes HMAC-SHA-256 (RFC 2104) with sixteen keys, one in each lane.
type macs struct {
	n            int                // number of lanes in use
	inner, outer [8][Sixteen]uint32 // the hashes' states after the block of the key and the pad
	blocks       [Sixteen][64]byte
}

// setKeys sets the keys.
//
//ct:unrun-portable for AVX-512, which the other build has
func (m *macs) setKeys(k *[Sixteen][32]byte) {
	m.begin(&m.inner, k, 0x36)
	m.begin(&m.outer, k, 0x5c)
}

// begin sets state to the states of hashes after the block of the key, each byte xored with x.
//
//ct:unrun-portable for AVX-512, which the other build has
func (m *macs) begin(state *[8][Sixteen]uint32, k *[Sixteen][32]byte, x byte) {
	for j := range m.blocks {
		padKey(&m.blocks[j], &k[j], x)
	}
	*state = everywhere(initialState())
	compressEach(state, &m.blocks, m.n)
}

// next replaces every v[j] by its HMAC.
//
//ct:unrun-portable for AVX-512, which the other build has
func (m *macs) next(v *[Sixteen][32]byte) {
	pad(&m.blocks, v)
	m.sum(v, &m.blocks)
}

// sum sets every out[j] to the HMAC of the bytes in block j of all the given groups of blocks. The
// last block ends with the padding.
//
//ct:unrun-portable for AVX-512, which the other build has
func (m *macs) sum(out *[Sixteen][32]byte, blocks ...*[Sixteen][64]byte) {
	state := m.inner
	for _, b := range blocks {
		compressEach(&state, b, m.n)
	}
	put(out[:], &state)
	pad(&m.blocks, out)
	state = m.outer
	compressEach(&state, &m.blocks, m.n)
	put(out[:], &state)
}
