package musig

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A NonceInput holds the arguments of NonceGen other than the random bytes.
type NonceInput struct {
	PrivateKey   *scalar.Scalar // or nil
	PublicKey    []byte         // compressed
	AggregateKey []byte         // 32 bytes, or empty
	HasMessage   bool
	Message      []byte
	Extra        []byte
}

// A SecretPair holds the numbers k1 and k2 of a secret nonce.
type SecretPair [2]scalar.Scalar

// Wipe overwrites k.
func (k *SecretPair) Wipe() {
	//ct:secret k[0].IsHigh().Bool()
	k[0].Wipe()
	k[1].Wipe()
}

// Derive sets k to the secret nonce that the input and the random bytes determine (NonceGen). The
// time depends only on the lengths of the input. Derive leaves secrets on the stack.
func (k *SecretPair) Derive(in *NonceInput, random *[32]byte) {
	//ct:secret in.PrivateKey == nil && random[31]&1 == 1
	seed := *random
	MaskKey(&seed, in.PrivateKey)
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(in.Message)))
	message := []byte{0}
	if in.HasMessage {
		message = append([]byte{1}, length[:]...)
	}
	var extra [4]byte
	binary.BigEndian.PutUint32(extra[:], uint32(len(in.Extra)))
	k.Hash("MuSig/nonce", seed[:],
		[]byte{byte(len(in.PublicKey))}, in.PublicKey,
		[]byte{byte(len(in.AggregateKey))}, in.AggregateKey,
		message, in.Message, extra[:], in.Extra)
	ct.Wipe(seed[:])
}

// Hash sets k1 and k2 to the tagged hashes of the concatenated parts followed by the byte 0, or 1.
// It reads each byte of the parts once: if their memory changes meanwhile, k1 and k2 are still
// hashes of the same bytes. Hash leaves secrets on the stack.
func (k *SecretPair) Hash(tag string, parts ...[]byte) {
	sum := sha256.Sum256([]byte(tag))
	h1, h2 := sha256.New(), sha256.New()
	for range 2 {
		h1.Write(sum[:])
		h2.Write(sum[:])
	}
	var block [512]byte
	for _, part := range parts {
		for len(part) > 0 {
			n := copy(block[:], part)
			h1.Write(block[:n])
			h2.Write(block[:n])
			part = part[n:]
		}
	}
	h1.Write([]byte{0})
	h2.Write([]byte{1})
	var digest [32]byte
	k[0].SetBytes((*[32]byte)(h1.Sum(digest[:0])))
	//ct:secret digest[31]&1 == 1
	k[1].SetBytes((*[32]byte)(h2.Sum(digest[:0])))
	ct.Wipe(digest[:])
	ct.Wipe(block[:])
}

// MaskKey sets seed, random bytes, to the private key d masked with their hash. If d is nil,
// MaskKey leaves them as they are. It leaves secrets on the stack.
func MaskKey(seed *[32]byte, d *scalar.Scalar) {
	if d == nil {
		return
	}
	var key [32]byte
	d.PutBytes(&key)
	hash.Tagged(seed, "MuSig/aux", seed[:])
	for i := range seed {
		seed[i] ^= key[i]
		//ct:secret seed[i]&1 == 1
	}
	ct.Wipe(key[:])
}

// Publish sets n to the public nonce of k, which becomes public. The blinding may be nil. Publish
// leaves secrets on the stack, so callers run it inside secret.DoDeep.
func (k *SecretPair) Publish(n *Nonce, blinding *ecmult.Blinding) {
	//ct:secret k[1].IsHigh().Bool()
	for i := range k {
		var a point.Affine
		blinding.ScalarBaseMultAffine(&a, &k[i])
		a.Declassify()
		n[i] = a
	}
}
