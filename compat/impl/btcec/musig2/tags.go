package musig2

// These are tags of the hashes of BIP-327, for programs to read. A change of them has no effect.
//
//layers:allow the interface of the replaced module has variables
var (
	// KeyAggTagList is the tag of the hash of all keys.
	KeyAggTagList = []byte("KeyAgg list")
	// KeyAggTagCoeff is the tag of the hash for a key's coefficient in the aggregated key.
	KeyAggTagCoeff = []byte("KeyAgg coefficient")
	// NonceAuxTag is the tag of the hash that masks the private key in nonce generation.
	NonceAuxTag = []byte("MuSig/aux")
	// NonceGenTag is the tag of the hash for a secret nonce.
	NonceGenTag = []byte("MuSig/nonce")
	// NonceBlindTag is the tag of the hash for b, the coefficient of each signer's second nonce.
	NonceBlindTag = []byte("MuSig/noncecoef")
	// ChallengeHashTag is the tag of the hash for the challenge of BIP-340.
	ChallengeHashTag = []byte("BIP0340/challenge")
)
