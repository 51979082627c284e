package schnorr

import (
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// TaggedHash returns the tagged hash of BIP-340, section "Design", of the concatenated parts:
// SHA-256(SHA-256(tag) ‖ SHA-256(tag) ‖ parts). A protocol that hashes its messages with a tag of
// its own makes signatures that are worth nothing in another protocol. The parts may be secret. The
// time depends only on the tag and on the lengths of the parts.
func TaggedHash(tag string, parts ...[]byte) (digest [32]byte) {
	secret.Do(func() { hash.Tagged(&digest, tag, parts...) })
	return digest
}
