package hash

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// RowSize is the length in bytes of a row of a [Transcript].
const RowSize = 128

// A Transcript hashes any number of rows to one digest, a seed for [Expand]. It must contain only
// public data. The zero value is empty and ready to use.
//
// Row i belongs to lane i mod 16. Let n = 16·m + rest be the number of rows, let lane_j be the
// SHA-256 of the first m rows of lane j, and let || be concatenation. The digest is the tagged hash
// of BIP-340, with the tag "koblitz/batch", of
//
//	n, 64 bits big-endian || lane_0 || … || lane_15 || the rest of the rows
//
// If m is 0, the lanes are left out. n determines the position of every field, so two transcripts
// with the same digest would be a collision of SHA-256.
type Transcript struct {
	n     uint64
	rows  [Sixteen * RowSize]byte
	lanes wide
}

// Next returns the memory of the next row. The caller must fill it before the next call of any
// method. Until then it holds the contents of an earlier row.
func (t *Transcript) Next() *[RowSize]byte {
	if t.n > 0 && t.n%Sixteen == 0 {
		t.lanes.absorb(&t.rows)
	}
	t.n++
	return (*[RowSize]byte)(t.rows[(t.n-1)%Sixteen*RowSize:])
}

// Sum sets *out to the digest. The transcript must not be used afterwards.
func (t *Transcript) Sum(out *[32]byte) {
	rest := t.n % Sixteen
	if t.n > 0 && rest == 0 {
		t.lanes.absorb(&t.rows)
	}
	tag := sha256.Sum256([]byte("koblitz/batch"))
	h := sha256.New()
	h.Write(tag[:])
	h.Write(tag[:])
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], t.n)
	h.Write(n[:])
	if t.n >= Sixteen {
		var digests [Sixteen][32]byte
		t.lanes.sum(&digests, t.n/Sixteen)
		for j := range digests {
			h.Write(digests[j][:])
		}
	}
	for j := range int(rest) {
		h.Write(t.rows[j*RowSize:][:RowSize])
	}
	h.Sum(out[:0])
}

// Join sets *out to the digest of n rows that were hashed in parts: the tagged hash with the tag
// "koblitz/batch/parts" of
//
//	n, 64 bits big-endian || digests[0] || digests[1] || …
//
// n must determine the number of rows in each part.
func Join(out *[32]byte, n uint64, digests [][32]byte) {
	//ct:secret digests[0][0]&1 == 1
	tag := sha256.Sum256([]byte("koblitz/batch/parts"))
	h := sha256.New()
	h.Write(tag[:])
	h.Write(tag[:])
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], n)
	h.Write(number[:])
	for i := range digests {
		h.Write(digests[i][:])
	}
	h.Sum(out[:0])
}

// single computes the lanes of a transcript as separate hashes, without vectors.
type single [Sixteen]hash.Hash

func (s *single) absorb(rows *[Sixteen * RowSize]byte) {
	for j := range s {
		if s[j] == nil {
			s[j] = sha256.New()
		}
		s[j].Write(rows[j*RowSize:][:RowSize])
	}
}

func (s *single) sum(out *[Sixteen][32]byte) {
	for j := range s {
		s[j].Sum(out[j][:0])
	}
}
