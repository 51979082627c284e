package hash

import (
	"crypto/subtle"
	"encoding/binary"
)

// NonceLanes derives the nonces of up to sixteen signatures at a time. The caller sets the inputs
// of a method, and wipes everything after the last call. The values are in a struct and not in
// variables, because they would need more stack than secret.DoDeep wipes.
//
// The last step is computed twice. A fault that changes a nonce then makes it differ from its copy.
// A nonce that is nearly the right one would give the key away beside the right signature.
type NonceLanes struct {
	Nonces, Copies [Sixteen][32]byte // the results

	Keys, Hashes [Sixteen][32]byte // for RFC6979

	Rows [Sixteen * RowSize]byte // for BIP340
	Aux  [Sixteen][32]byte

	k, v         [Sixteen][32]byte  // K and V of RFC 6979; v also holds the masks of BIP-340
	inner, outer [8][Sixteen]uint32 // the states of HMAC's hashes after the block of the key
	blocks       [Sixteen][64]byte
}

// RFC6979 sets Nonces[j] and Copies[j] to the first string of the sequence that type [Nonces]
// yields for Keys[j] and Hashes[j] without additional data, for j < n ≤ Sixteen, and the other
// results to zeros.
func (m *NonceLanes) RFC6979(n int) {
	//ct:secret m.Keys[0][31]&1 == 1
	m.clear(n)
	if n > 0 && haveLanes() { //ct:unrun-portable for AVX-512, which the other build has
		m.rfc6979(n)
		return
	}
	var s Nonces
	for j := range n {
		s.Init(&m.Keys[j], &m.Hashes[j], nil)
		s.Next(&m.Nonces[j])
		s.Again(&m.Copies[j])
	}
	s.Wipe()
}

// BIP340 sets Nonces[j] and Copies[j] to the [Nonce] of row j, for j < n ≤ Sixteen, after [MaskKey]
// with the auxiliary randomness Aux[j], and the other results to zeros. A row holds the secret key,
// which is masked in place, the public key and the message, 32 bytes each, as in [Challenges].
func (m *NonceLanes) BIP340(n int) {
	//ct:secret m.Rows[31]&1 == 1
	m.clear(n)
	if n > 0 && haveLanes() { //ct:unrun-portable for AVX-512, which the other build has
		m.bip340(n)
		return
	}
	for j := range n {
		row := m.Rows[j*RowSize:]
		key := (*[32]byte)(row)
		MaskKey(key, &m.Aux[j])
		for _, out := range []*[32]byte{&m.Nonces[j], &m.Copies[j]} {
			Nonce(out, key, (*[32]byte)(row[32:]), row[64:96])
		}
	}
}

// clear clears the results. It panics unless n ≤ Sixteen.
func (m *NonceLanes) clear(n int) {
	_ = m.Nonces[:n]
	clear(m.Nonces[:])
	clear(m.Copies[:])
}

// Wipe zeroes everything.
//
//go:noinline
func (m *NonceLanes) Wipe() { *m = NonceLanes{} }

// bip340 implements BIP340 with kernels. The masks are hashes of two blocks: the tag's hash, twice,
// and the auxiliary randomness.
//
//ct:unrun-portable for AVX-512, which the other build has
func (m *NonceLanes) bip340(n int) {
	m.pad(&m.Aux)
	state := everywhere(auxState())
	compressEach(&state, &m.blocks, n)
	put(m.v[:n], &state)
	for j := range n {
		key := m.Rows[j*RowSize:][:32]
		subtle.XORBytes(key, key, m.v[j][:])
	}
	taggedRows(&m.Nonces, &m.Rows, nonceState(), n)
	taggedRows(&m.Copies, &m.Rows, nonceState(), n)
}

// rfc6979 implements RFC6979 with kernels. The comments name the steps of RFC 6979, section 3.2.
//
//ct:unrun-portable for AVX-512, which the other build has
func (m *NonceLanes) rfc6979(n int) {
	for j := range m.v { // step b
		for i := range m.v[j] {
			m.v[j][i] = 0x01
		}
	}
	// Step c: K is zero.
	m.inner, m.outer = everywhere(innerState()), everywhere(outerState())
	for separator := range byte(2) { // separator 0 is steps d and e, separator 1 steps f and g
		state := m.inner
		for j := range m.blocks { // V ‖ separator ‖ the first 31 bytes of the key
			copy(m.blocks[j][:32], m.v[j][:])
			m.blocks[j][32] = separator
			copy(m.blocks[j][33:], m.Keys[j][:])
		}
		compressEach(&state, &m.blocks, n)
		for j := range m.blocks { // the last byte ‖ hash ‖ padding
			m.blocks[j] = [64]byte{0: m.Keys[j][31], 33: 0x80}
			copy(m.blocks[j][1:], m.Hashes[j][:])
			binary.BigEndian.PutUint16(m.blocks[j][62:], 8*(64+97))
		}
		m.finish(&m.k, &state, n)
		m.begin(&m.inner, 0x36, n)
		m.begin(&m.outer, 0x5c, n)
		m.mac(&m.v, n)
	}
	m.mac(&m.Nonces, n) // step h
	m.mac(&m.Copies, n)
}

// begin sets state to the states of hashes after the block of the keys m.k, each byte xored with x.
//
//ct:unrun-portable for AVX-512, which the other build has
func (m *NonceLanes) begin(state *[8][Sixteen]uint32, x byte, n int) {
	for j := range m.blocks {
		padKey(&m.blocks[j], &m.k[j], x)
	}
	*state = everywhere(initialState())
	compressEach(state, &m.blocks, n)
}

// mac sets out[j] to HMAC_K(V), for j < n.
//
//ct:unrun-portable for AVX-512, which the other build has
func (m *NonceLanes) mac(out *[Sixteen][32]byte, n int) {
	m.pad(&m.v)
	state := m.inner
	m.finish(out, &state, n)
}

// finish sets out[j], for j < n, to the results of HMAC, where state holds the states of the inner
// hashes before the last blocks, which are in m.blocks.
//
//ct:unrun-portable for AVX-512, which the other build has
func (m *NonceLanes) finish(out *[Sixteen][32]byte, state *[8][Sixteen]uint32, n int) {
	compressEach(state, &m.blocks, n)
	put(out[:n], state)
	m.pad(out)
	*state = m.outer
	compressEach(state, &m.blocks, n)
	put(out[:n], state)
}

// pad sets every block to v[j] and the padding of a message that consists of one block before it
// and v[j].
//
//ct:unrun-portable for AVX-512, which the other build has
func (m *NonceLanes) pad(v *[Sixteen][32]byte) {
	for j := range m.blocks {
		m.blocks[j] = [64]byte{32: 0x80, 62: 8 * (64 + 32) >> 8}
		copy(m.blocks[j][:], v[j][:])
	}
}
