package musig2

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// These are the lengths of nonces in bytes.
const (
	PubNonceSize = 66
	SecNonceSize = 97
)

// ErrPubkeyInvalid is returned by GenNonces if it is called without [WithPublicKey].
var ErrPubkeyInvalid = errors.New("nonce generation requires a valid pubkey")

// Nonces holds a signer's nonces k1 and k2 for one signature.
type Nonces struct {
	// PubNonce holds the points k1·G and k2·G, compressed.
	PubNonce [PubNonceSize]byte
	// SecNonce holds k1 and k2, big-endian, and the signer's compressed public key. It must be used
	// only once.
	SecNonce [SecNonceSize]byte
}

// A NonceGenOption is an option of [GenNonces].
type NonceGenOption func(*nonceGenOpts)

// nonceGenOpts holds the values of the options of GenNonces.
type nonceGenOpts struct {
	randReader  io.Reader
	publicKey   []byte
	secretKey   *secp256k1.ModNScalar
	combinedKey []byte
	msg         []byte // the message, or nil if none was given
	auxInput    []byte
}

// systemRandom reads random bytes of the operating system.
type systemRandom struct{}

func (systemRandom) Read(b []byte) (int, error) { return rand.Read(b) }

// WithCustomRand sets the source of random bytes. GenNonces calls Read once, for 32 bytes.
func WithCustomRand(r io.Reader) NonceGenOption {
	return func(o *nonceGenOpts) { o.randReader = r }
}

// WithPublicKey sets the signer's public key, which is required.
func WithPublicKey(pubKey *secp256k1.PublicKey) NonceGenOption {
	return func(o *nonceGenOpts) { o.publicKey = pubKey.SerializeCompressed() }
}

// WithNonceSecretKeyAux mixes the signer's private key into the nonces.
func WithNonceSecretKeyAux(secKey *secp256k1.PrivateKey) NonceGenOption {
	return func(o *nonceGenOpts) { o.secretKey = &secKey.Key }
}

// WithNonceCombinedKeyAux mixes the aggregated key into the nonces.
func WithNonceCombinedKeyAux(combinedKey *secp256k1.PublicKey) NonceGenOption {
	return func(o *nonceGenOpts) { o.combinedKey = combinedKey.SerializeCompressed()[1:] }
}

// WithNonceMessageAux mixes the message into the nonces.
func WithNonceMessageAux(msg [32]byte) NonceGenOption {
	return func(o *nonceGenOpts) { o.msg = msg[:] }
}

// WithNonceAuxInput mixes any bytes into the nonces.
func WithNonceAuxInput(aux []byte) NonceGenOption {
	return func(o *nonceGenOpts) { o.auxInput = aux }
}

// GenNonces returns new nonces ("NonceGen" of BIP-327). It returns an error if the public key is
// missing, or if the source of random bytes fails. The running time depends only on the lengths of
// the input.
func GenNonces(options ...NonceGenOption) (*Nonces, error) {
	o := nonceGenOpts{randReader: systemRandom{}}
	for _, option := range options {
		option(&o)
	}
	if len(o.publicKey) != len(encoded{}) {
		return nil, ErrPubkeyInvalid
	}
	nonces := new(Nonces)
	b := make([]byte, 32) // on the heap, because the reader may keep a reference
	var err error
	secret.DoDeep(func() {
		if _, err = o.randReader.Read(b); err == nil {
			//ct:leak b[31]&1 == 1
			nonces.derive(&o, (*[32]byte)(b))
		}
		ct.Wipe(b)
	})
	if err != nil {
		return nil, err
	}
	return nonces, nil
}

// derive sets n to the nonces that the given random bytes determine. It leaves secrets on the
// stack.
func (n *Nonces) derive(o *nonceGenOpts, random *[32]byte) {
	//ct:leak o.secretKey == nil && random[31]&1 == 1
	var seed, k [32]byte
	seed = *random
	if o.secretKey != nil {
		hash.Tagged(&seed, string(NonceAuxTag), random[:])
		number(o.secretKey).PutBytes(&k)
		//ct:leak k[31]&1 == 1
		for i := range seed {
			seed[i] ^= k[i]
			//ct:leak seed[i]&1 == 1
		}
	}
	for i := range 2 {
		o.hash(&k, &seed, byte(i))
		//ct:leak k[31]&1 == 1
		var s scalar.Scalar
		s.SetBytes(&k)
		//ct:leak s.IsHigh().Bool()
		s.PutBytes((*[32]byte)(n.SecNonce[i*len(k):]))
		//ct:leak n.SecNonce[32*i]&1 == 1
		putMultiple((*encoded)(n.PubNonce[i*len(encoded{}):]), &s)
		s.Wipe()
	}
	copy(n.SecNonce[2*len(k):], o.publicKey)
	ct.Wipe(seed[:])
	ct.Wipe(k[:])
}

// putMultiple sets b to the compressed encoding of k·G. The point becomes public.
func putMultiple(b *encoded, k *scalar.Scalar) {
	var r point.Affine
	//ct:leak k.IsHigh().Bool()
	(*ecmult.Blinding)(nil).ScalarBaseMultAffine(&r, k)
	r.Declassify()
	copy(b[:], secp256k1.FromAffine(&r).SerializeCompressed())
}

// hash sets digest to the hash for the nonce with number i. seed holds the random bytes, masked by
// the private key if the options have one.
func (o *nonceGenOpts) hash(digest, seed *[32]byte, i byte) {
	//ct:leak i == 1 && seed[0] == 0
	var size [9]byte // 0, or 1 and the length of the message
	given := size[:1]
	if o.msg != nil {
		size[0] = 1
		binary.BigEndian.PutUint64(size[1:], uint64(len(o.msg)))
		given = size[:]
	}
	var auxSize [4]byte
	binary.BigEndian.PutUint32(auxSize[:], uint32(len(o.auxInput)))
	hash.Tagged(digest, string(NonceGenTag), seed[:],
		[]byte{byte(len(o.publicKey))}, o.publicKey, []byte{byte(len(o.combinedKey))}, o.combinedKey,
		given, o.msg, auxSize[:], o.auxInput, []byte{i})
	//ct:leak digest[31]&1 == 1
}
