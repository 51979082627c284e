package hash

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/koblitz-go/koblitz/internal/ct"
)

// The prefix of each tag is in tags.go: the first block of a tagged hash.
//
//go:generate go run generate.go

// tagged sets digest to the tagged hash of the concatenated parts, for the tag with this prefix.
// digest may be one of the parts. tagged leaves copies of the parts on the stack.
func tagged(digest *[32]byte, prefix *[64]byte, parts ...[]byte) {
	h := sha256.New()
	h.Write(prefix[:])
	for _, part := range parts {
		h.Write(part)
	}
	h.Sum(digest[:0])
}

// MaskKey replaces the secret key d by d XOR hash_BIP0340/aux(a), from which BIP-340 derives the
// nonce. a is the auxiliary randomness.
func MaskKey(d, a *[32]byte) {
	var mask [32]byte
	tagged(&mask, &auxPrefix, a[:])
	//ct:secret mask[31]&1 == 1
	for i := range d {
		d[i] ^= mask[i]
	}
	ct.Wipe(mask[:])
}

// Nonce sets digest to hash_BIP0340/nonce(t ‖ p ‖ msg), where t is the masked
// secret key and p the x coordinate of the public key. digest may be t.
func Nonce(digest, t, p *[32]byte, msg []byte) {
	//ct:secret len(msg) == 64 && t[0] == 0
	tagged(digest, &noncePrefix, t[:], p[:], msg)
}

// Challenge sets digest to hash_BIP0340/challenge(r ‖ p ‖ msg), where r is the x coordinate of the
// nonce point and p that of the public key. All inputs are public.
func Challenge(digest, r, p *[32]byte, msg []byte) {
	tagged(digest, &challengePrefix, r[:], p[:], msg)
}

// ChallengeAndNonce sets challenge to the result of Challenge and nonce to the result of Nonce, for
// the same bytes of the message: it reads each byte once, although msg may change meanwhile.
func ChallengeAndNonce(challenge, nonce, r, t, p *[32]byte, msg []byte) {
	//ct:secret t[0]&1 == 1
	c, n := sha256.New(), sha256.New()
	c.Write(challengePrefix[:])
	c.Write(r[:])
	c.Write(p[:])
	n.Write(noncePrefix[:])
	n.Write(t[:])
	n.Write(p[:])
	var b [8 * sha256.BlockSize]byte
	for len(msg) > 0 {
		part := b[:copy(b[:], msg)]
		msg = msg[len(part):]
		c.Write(part)
		n.Write(part)
	}
	c.Sum(challenge[:0])
	n.Sum(nonce[:0])
}

// Ellswift sets digest to the shared secret of BIP-324. It is the tagged hash of the encoded keys
// of both parties, the initiator's first, and of x, the x coordinate of the shared point, which is
// secret. digest may be x.
func Ellswift(digest *[32]byte, initiator, responder *[64]byte, x *[32]byte) {
	tagged(digest, &ellswiftPrefix, initiator[:], responder[:], x[:])
}

// ChallengeInParts works like Challenge. Before it hashes each part of a long message, it calls
// next, and if next returns an error, it stops and returns the error. Between two parts the
// scheduler can let other goroutines run; it cannot interrupt the assembly that hashes a part.
//
//ct:public takes what a verifier knows
func ChallengeInParts(digest, r, p *[32]byte, msg []byte, next func() error) error {
	const size = 1 << 18
	h := sha256.New()
	h.Write(challengePrefix[:])
	h.Write(r[:])
	h.Write(p[:])
	for len(msg) > 0 {
		if err := next(); err != nil {
			return err
		}
		part := msg[:min(size, len(msg))]
		h.Write(part)
		msg = msg[len(part):]
	}
	h.Sum(digest[:0])
	return nil
}

// TapTweak sets digest to hash_TapTweak(p ‖ root) of BIP-341, where p is the x coordinate of the
// internal key, and root the Merkle root of the scripts or empty. digest may share memory with p
// and root.
func TapTweak(digest, p *[32]byte, root []byte) {
	//ct:secret p[0]&1 == 1
	tagged(digest, &tapTweakPrefix, p[:], root)
}

// Inputs sets digest to the input hash of BIP-352, of the smallest outpoint and the sum of the
// input keys, compressed.
//
//ct:public takes what a transaction contains
func Inputs(digest *[32]byte, outpoint *[36]byte, sum *[33]byte) {
	tagged(digest, &inputsPrefix, outpoint[:], sum[:])
}

// SharedSecret sets digest to t_k of BIP-352: the tagged hash of the shared secret, a compressed
// point, and the number k, 4 bytes, big-endian.
func SharedSecret(digest *[32]byte, shared *[33]byte, k uint32) {
	//ct:secret shared[32]&1 == 1
	var number [4]byte
	binary.BigEndian.PutUint32(number[:], k)
	tagged(digest, &sharedSecretPrefix, shared[:], number[:])
}

// Label sets digest to the tweak of label m of BIP-352: the tagged hash of the scan key, which is
// secret, and of m, 4 bytes, big-endian. digest may be key.
func Label(digest, key *[32]byte, m uint32) {
	//ct:secret key[31]&1 == 1
	var number [4]byte
	binary.BigEndian.PutUint32(number[:], m)
	tagged(digest, &labelPrefix, key[:], number[:])
}

// Tagged sets digest to the tagged hash of BIP-340 of the concatenated parts, with the given tag.
// digest may be one of the parts. It leaves copies of the parts on the stack.
func Tagged(digest *[32]byte, tag string, parts ...[]byte) {
	//ct:secret len(parts) > 0 && len(parts[0]) > 0 && parts[0][0]&1 == 1
	hashed := sha256.Sum256([]byte(tag))
	var prefix [64]byte
	copy(prefix[:32], hashed[:])
	copy(prefix[32:], hashed[:])
	tagged(digest, &prefix, parts...)
}

// AppendCompressed appends SHA256(point) to dst and returns the extended slice. point is a secret
// point in compressed encoding.
func AppendCompressed(dst []byte, point *[33]byte) []byte {
	h := sha256.New()
	h.Write(point[:])
	return h.Sum(dst)
}
