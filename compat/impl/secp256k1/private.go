package secp256k1

import (
	"crypto/rand"
	"io"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// PrivKeyBytesLen is the length of an encoded private key in bytes.
const PrivKeyBytesLen = 32

// A PrivateKey is a scalar in [1, n). The zero value is not a valid key, but functions do not
// refuse it: they compute with the scalar 0.
type PrivateKey struct {
	Key ModNScalar
}

// NewPrivateKey returns the private key with the given scalar.
func NewPrivateKey(key *ModNScalar) *PrivateKey {
	//ct:secret key.IsOdd()
	k := new(PrivateKey)
	secret.DoLeaf(func() { k.Key = *key })
	return k
}

// PrivKeyFromBytes returns the private key with the number in the first 32 bytes of privKeyBytes,
// big-endian. A number of n or more is reduced modulo n, and 0 is accepted.
func PrivKeyFromBytes(privKeyBytes []byte) *PrivateKey {
	key := new(PrivateKey)
	key.Key.SetByteSlice(privKeyBytes)
	//ct:secret key.Key.IsOdd()
	return key
}

// GeneratePrivateKey calls GeneratePrivateKeyFromRand with crypto/rand.Reader, which does not fail
// unless the program has replaced that variable.
func GeneratePrivateKey() (*PrivateKey, error) { return GeneratePrivateKeyFromRand(rand.Reader) }

// GeneratePrivateKeyFromRand reads 32 bytes at a time from rand until they are a number in [1, n),
// and returns the private key with that number. It returns the error of rand.
func GeneratePrivateKeyFromRand(rand io.Reader) (*PrivateKey, error) {
	key := new(PrivateKey)
	b := make([]byte, PrivKeyBytesLen) // on the heap, because rand may keep a reference
	var err error
	secret.DoDeep(func() {
		for found := false; !found && err == nil; {
			if _, err = io.ReadFull(rand, b); err == nil {
				//ct:secret b[31]&1 == 1
				found = key.Key.scalar().SetNonzeroBytes((*[32]byte)(b)).Reveal()
			}
		}
		ct.Wipe(b)
	})
	if err != nil {
		return nil, err
	}
	return key, nil
}

// PubKey returns the public key, p times G. The running time does not depend on the private key.
func (p *PrivateKey) PubKey() *PublicKey {
	key := new(PublicKey)
	secret.DoDeep(func() {
		var a point.Affine
		//ct:secret p.Key.IsOverHalfOrder()
		(*ecmult.Blinding)(nil).ScalarBaseMultAffine(&a, p.Key.scalar())
		a.Declassify()
		key.x, key.y = FieldVal(a.X), FieldVal(a.Y)
	})
	key.x.Normalize()
	key.y.Normalize()
	return key
}

// Zero overwrites the key with 0.
func (p *PrivateKey) Zero() { p.Key.Zero() }

// Serialize returns the key as 32 bytes, big-endian.
func (p PrivateKey) Serialize() []byte {
	b := make([]byte, PrivKeyBytesLen)
	p.Key.PutBytesUnchecked(b)
	return b
}
