package ethereum

import "golang.org/x/crypto/sha3"

// maxTogether is the most bytes of a message that is hashed with others, and of an encoded
// transaction that is copied: longer ones are rare, and would take too much memory.
const maxTogether = 256 << 10

// keccak256 returns the Keccak-256 of parts, one after the other.
func keccak256(parts ...[]byte) (digest [32]byte) {
	k := sha3.NewLegacyKeccak256()
	for _, p := range parts {
		k.Write(p)
	}
	k.Sum(digest[:0])
	return digest
}

// laterOf has Run set *to to the Keccak-256 of parts, one after the other. It hashes a long message
// at once.
func (x *expander) laterOf(to *[32]byte, parts ...[]byte) {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	if size > maxTogether {
		*to = keccak256(parts...)
		return
	}
	x.LaterOf(to, parts...)
}
