package hash

import (
	"crypto/sha256"
	"encoding/binary"
)

// Nonces yields the nonces of RFC 6979, section 3.2, with HMAC-SHA-256: a sequence of 32-byte
// strings that a private key and a hash determine, and that looks random without the key.
//
// The caller uses the first string that is in [1, n), and wipes the state afterwards.
type Nonces struct {
	k, v [32]byte
	last [32]byte // v before the last string was computed
	more bool     // a string has already been returned
}

// The layout of the input of HMAC(K, V ‖ separator ‖ key ‖ hash): the block of K xored with the
// pad, then V, the separator, the key and the hash. The extra data of section 3.6 follow.
const (
	atV         = 64
	atSeparator = atV + 32
	atKey       = atSeparator + 1
	atHash      = atKey + 32
	seedSize    = atHash + 32
	maxExtra    = 64
)

// Init seeds the sequence with the private key (int2octets(x)), the hash reduced mod n
// (bits2octets(h1)), both big-endian, and the additional data of section 3.6, which may be empty.
//
// Additional data of up to maxExtra bytes are read once. Longer data are read twice. If they change
// in between, the sequence is another one, which still belongs to the key and the hash alone.
func (s *Nonces) Init(key, hash *[32]byte, extra []byte) {
	*s = Nonces{}
	for i := range s.v {
		s.v[i] = 0x01
	}
	var b [seedSize + maxExtra]byte
	*(*[32]byte)(b[atKey:]) = *key
	*(*[32]byte)(b[atHash:]) = *hash
	size := seedSize
	if len(extra) <= maxExtra {
		size += copy(b[seedSize:], extra)
		extra = nil
	}
	for separator := range byte(2) { // separator 0 is steps d and e, separator 1 steps f and g
		b[atSeparator] = separator
		s.update(b[:size], extra)
	}
}

// Next sets candidate to the next string of the sequence (step h). A SHA-256 hash is as long as the
// group order, so one string is a complete candidate for the nonce.
func (s *Nonces) Next(candidate *[32]byte) {
	//ct:secret s.v[0]&1 == 1
	if s.more {
		var b [atKey]byte // ends with the separator, 0x00
		s.update(b[:], nil)
	}
	s.more = true
	s.last = s.v
	s.step()
	*candidate = s.v
}

// Again sets candidate to the string of the last call of Next, which it computes again.
func (s *Nonces) Again(candidate *[32]byte) {
	s.v = s.last
	s.step()
	//ct:secret s.v[0]&1 == 1
	*candidate = s.v
}

// Wipe zeroes the state, from which every nonce of the sequence, and so the private key, could be
// computed.
//
//go:noinline
func (s *Nonces) Wipe() { *s = Nonces{} }

// update sets K = HMAC_K(V ‖ b[atSeparator:] ‖ extra) and V = HMAC_K(V), with HMAC-SHA-256 (RFC
// 2104). It fills in the first atSeparator bytes of b.
//
// The hashes get their input in few calls of Write, because a block that comes in parts is copied
// first. The inner and the outer hash share one variable in each function, because a hash that is
// passed to another function escapes to the heap.
func (s *Nonces) update(b []byte, extra []byte) {
	padKey((*[64]byte)(b), &s.k, 0x36)
	*(*[32]byte)(b[atV:]) = s.v
	h := sha256.New()
	h.Write(b)
	h.Write(extra)
	var outer [64 + 32]byte
	padKey((*[64]byte)(outer[:]), &s.k, 0x5c)
	h.Sum(outer[64:64])
	h.Reset()
	h.Write(outer[:])
	h.Sum(s.k[:0])
	s.step()
}

// step sets V = HMAC_K(V).
func (s *Nonces) step() {
	var b [atSeparator]byte // the input of the inner hash, then of the outer hash
	padKey((*[64]byte)(b[:]), &s.k, 0x36)
	*(*[32]byte)(b[atV:]) = s.v
	h := sha256.New()
	h.Write(b[:])
	padKey((*[64]byte)(b[:]), &s.k, 0x5c)
	h.Sum(b[atV:atV])
	h.Reset()
	h.Write(b[:])
	h.Sum(s.v[:0])
}

// padKey sets b to the first block of an HMAC hash: the key k followed by zeros, each byte xored
// with x.
func padKey(b *[64]byte, k *[32]byte, x byte) {
	word, order := uint64(x)*0x0101010101010101, binary.NativeEndian
	for i := 0; i < 32; i += 8 {
		order.PutUint64(b[i:], order.Uint64(k[i:])^word)
	}
	for i := 32; i < 64; i += 8 {
		order.PutUint64(b[i:], word)
	}
}
