package musig2

import (
	"crypto/rand"
	"errors"
	"io"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/musig"
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

// WithCustomRand sets the source of random bytes. GenNonces reads 32 bytes with [io.ReadFull].
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
		if _, err = io.ReadFull(o.randReader, b); err == nil {
			//ct:secret b[31]&1 == 1
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
	//ct:secret o.secretKey == nil && random[31]&1 == 1
	in := musig.NonceInput{
		PublicKey: o.publicKey, AggregateKey: o.combinedKey, HasMessage: o.msg != nil,
		Message: o.msg, Extra: o.auxInput,
	}
	if o.secretKey != nil {
		in.PrivateKey = number(o.secretKey)
	}
	var k musig.SecretPair
	k.Derive(&in, random)
	var public musig.Nonce
	k.Publish(&public, nil)
	n.PubNonce = public.Bytes()
	for i := range k {
		k[i].PutBytes((*[32]byte)(n.SecNonce[32*i:]))
		//ct:secret n.SecNonce[32*i]&1 == 1
	}
	k.Wipe()
	copy(n.SecNonce[64:], o.publicKey)
}
