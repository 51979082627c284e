package musig2

import "crypto/sha256"

// The tags of the hashes of BIP-327. They may be read, and not changed.
var (
	// KeyAggTagList is of the hash of all keys.
	KeyAggTagList = []byte("KeyAgg list")
	// KeyAggTagCoeff is of a key's coefficient in the aggregated key.
	KeyAggTagCoeff = []byte("KeyAgg coefficient")
	// NonceAuxTag is of the mask of a private key that goes into a nonce.
	NonceAuxTag = []byte("MuSig/aux")
	// NonceGenTag is of a secret nonce.
	NonceGenTag = []byte("MuSig/nonce")
	// NonceBlindTag is of b, the coefficient of every signer's second nonce.
	NonceBlindTag = []byte("MuSig/noncecoef")
	// ChallengeHashTag is of the challenge of BIP-340.
	ChallengeHashTag = []byte("BIP0340/challenge")
)

// tapTweakTag is the tag of the hash that tweaks an internal key (BIP-341).
const tapTweakTag = "TapTweak"

// tagged sets out to the tagged hash of the parts (BIP-340, "Design"). It leaves copies of
// them on the stack. out may be one of them.
func tagged(out *[32]byte, tag []byte, parts ...[]byte) {
	prefix := sha256.Sum256(tag)
	h := sha256.New()
	h.Write(prefix[:])
	h.Write(prefix[:])
	for _, part := range parts {
		h.Write(part)
	}
	h.Sum(out[:0])
}
