package ethereum

import "golang.org/x/crypto/sha3"

// maxTogether is the maximum size in bytes of a message that is hashed together with others, and of
// an encoded transaction that is copied for that. Longer ones are rare and would take too much
// memory.
const maxTogether = 256 << 10

// keccak256 returns the Keccak-256 of the concatenated parts.
func keccak256(parts ...[]byte) (digest [32]byte) {
	k := sha3.NewLegacyKeccak256()
	for _, p := range parts {
		k.Write(p)
	}
	k.Sum(digest[:0])
	return digest
}

// laterOf schedules a hash: the next Run sets *dst to the Keccak-256 of the concatenated parts. A
// long message is hashed immediately.
func (x *expander) laterOf(dst *[32]byte, parts ...[]byte) {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	if size > maxTogether {
		*dst = keccak256(parts...)
		return
	}
	x.LaterOf(dst, parts...)
}
