package frost

import (
	"crypto/sha256"

	"github.com/koblitz-go/koblitz/group"
)

// contextString is the prefix of all domain separation tags of the ciphersuite FROST(secp256k1,
// SHA-256) (RFC 9591, section 6.5).
const contextString = "FROST-secp256k1-SHA256-v1"

// hashToScalar returns hash_to_field(input, 1) of RFC 9380, section 5.2, with the expansion
// expand_message_xmd by SHA-256, the domain separation tag contextString ‖ tag, and L = 48. The
// lengths of all inputs are public.
func hashToScalar(tag string, input ...[]byte) *group.Scalar {
	const size = 48 // L
	dst := append([]byte(contextString+tag), byte(len(contextString+tag)))
	h := sha256.New()
	h.Write(make([]byte, sha256.BlockSize)) // Z_pad
	for _, b := range input {
		h.Write(b)
	}
	h.Write([]byte{0, size, 0})
	h.Write(dst)
	var first, second, mixed [sha256.Size]byte
	h.Sum(first[:0])

	uniform := make([]byte, 0, 2*sha256.Size)
	for i := range 2 { // b₁ and b₂
		for k := range mixed {
			mixed[k] = first[k] ^ second[k]
		}
		h.Reset()
		h.Write(mixed[:])
		h.Write([]byte{byte(i + 1)})
		h.Write(dst)
		h.Sum(second[:0])
		uniform = append(uniform, second[:]...)
	}
	s := new(group.Scalar)
	s.SetUniformBytes(uniform[:size]) // the only error is another length
	h.Reset()
	for _, b := range [][]byte{first[:], second[:], mixed[:], uniform} {
		clear(b)
	}
	return s
}
