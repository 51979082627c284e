package frost

import (
	"slices"

	"github.com/koblitz-go/koblitz/group"
)

// contextString is the prefix of all domain separation tags of the ciphersuite FROST(secp256k1,
// SHA-256) (RFC 9591, section 6.5).
const contextString = "FROST-secp256k1-SHA256-v1"

// hashToScalar returns the hash of the concatenated parts with the tag contextString ‖ tag (H1, H2
// and H3 of RFC 9591, section 6.5). Parts may be secret.
func hashToScalar(tag string, parts ...[]byte) *group.Scalar {
	msg := slices.Concat(parts...)
	s := new(group.Scalar)
	s.HashToScalar(msg, []byte(contextString+tag)) // the only error is an empty tag
	clear(msg)
	return s
}
