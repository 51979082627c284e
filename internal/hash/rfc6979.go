package hash

import "crypto/sha256"

// A Nonces yields the nonces of RFC 6979, section 3.2, with HMAC-SHA-256: a
// sequence of 32-byte strings that is determined by a private key and a hash
// and looks random to whoever does not know the key.
//
// The caller takes the first one that is a usable nonce, that is in [1, n), and
// wipes the state when done.
type Nonces struct {
	k, v [32]byte
	more bool // a string has been yielded already
}

// Pieces are bytes that come in pieces: piece i has n of them, and only the last
// piece has less than 32. nil stands for none.
//
// They are a function because printers that go through unexported fields by
// reflection, as fmt does, show what a slice or a pointer leads to, and open no
// function. It returns an array because what a function returns by reference is
// taken to escape to the heap.
type Pieces func(i int) (piece [32]byte, n int)

// PiecesOf returns the bytes of b, which it does not copy.
func PiecesOf(b []byte) Pieces {
	return func(i int) (piece [32]byte, n int) {
		n = copy(piece[:], b[min(i*len(piece), len(b)):])
		return piece, n
	}
}

// Init seeds the sequence with the private key (int2octets(x)), the hash
// reduced mod n (bits2octets(h1)), both big-endian, and the additional data of
// section 3.6, which may be empty.
func (s *Nonces) Init(key, hash *[32]byte, extra Pieces) {
	*s = Nonces{}
	for i := range s.v {
		s.v[i] = 0x01
	}
	s.update(0x00, key[:], hash[:], extra) // steps d and e
	s.update(0x01, key[:], hash[:], extra) // steps f and g
}

// Next sets out to the next string of the sequence (step h). One string is a
// whole candidate, because a hash is as long as the group order.
func (s *Nonces) Next(out *[32]byte) {
	if s.more {
		s.update(0x00, nil, nil, nil)
	}
	s.more = true
	s.mac(&s.v, s.v[:], nil, nil, nil, nil)
	*out = s.v
}

// Wipe zeroes the state, from which every nonce of the sequence and with it the
// private key could be found.
//
//go:noinline
func (s *Nonces) Wipe() { *s = Nonces{} }

// update sets K = HMAC_K(V ‖ sep ‖ a ‖ b ‖ c) and V = HMAC_K(V).
func (s *Nonces) update(sep byte, a, b []byte, c Pieces) {
	s.mac(&s.k, s.v[:], separators[sep:sep+1], a, b, c)
	s.mac(&s.v, s.v[:], nil, nil, nil, nil)
}

// mac sets out to HMAC-SHA-256 (RFC 2104) of the concatenated parts under K.
// out may be K or V themselves.
func (s *Nonces) mac(out *[32]byte, a, b, c, d []byte, e Pieces) {
	var pad [64]byte
	for i := range pad {
		pad[i] = 0x36
	}
	for i, x := range s.k {
		pad[i] ^= x
	}
	h := sha256.New()
	h.Write(pad[:])
	h.Write(a)
	h.Write(b)
	h.Write(c)
	h.Write(d)
	var inner [32]byte // pieces, and then the inner hash
	for i, n := 0, len(inner); e != nil && n == len(inner); i++ {
		inner, n = e(i)
		h.Write(inner[:n])
	}
	h.Sum(inner[:0])

	for i := range pad {
		pad[i] ^= 0x36 ^ 0x5c
	}
	h.Reset()
	h.Write(pad[:])
	h.Write(inner[:])
	h.Sum(out[:0])
}

var separators = [2]byte{0x00, 0x01}
