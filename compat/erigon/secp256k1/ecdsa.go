package secp256k1

import (
	"errors"
	"math/big"
	"runtime"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// Errors of [Sign] and [RecoverPubkey]. No function returns ErrInvalidPubkey.
var (
	ErrInvalidMsgLen       = errors.New("invalid message length, need 32 bytes")
	ErrInvalidSignatureLen = errors.New("invalid signature length")
	ErrInvalidRecoveryID   = errors.New("invalid signature recovery id")
	ErrInvalidKey          = errors.New("invalid private key")
	ErrInvalidPubkey       = errors.New("invalid public key")
	ErrSignFailed          = errors.New("signing failed")
	ErrRecoverFailed       = errors.New("recovery failed")
)

// A Context stands for a context of libsecp256k1. It has no state, so any number of goroutines may
// use one.
type Context struct {
	_ byte // so that two contexts have two addresses
}

// DefaultContext is a context.
var DefaultContext = new(Context)

// NewContext returns a context.
func NewContext() *Context { return new(Context) }

// ContextForThread returns a context, for any number.
func ContextForThread(int) *Context { return new(Context) }

// NumOfContexts returns the number of CPUs.
func NumOfContexts() int { return runtime.NumCPU() }

// Sign returns the signature of a hash of 32 bytes by the private key: r and s of 32 bytes each,
// big-endian, and the recovery id. The nonce is that of RFC 6979, and s is low. The signature is
// not verified before it is returned. The running time does not depend on the key.
func Sign(msg []byte, seckey []byte) ([]byte, error) {
	if len(msg) != 32 {
		return nil, ErrInvalidMsgLen
	}
	if len(seckey) != 32 {
		return nil, ErrInvalidKey
	}
	key, err := koblitz.ParsePrivateKey(seckey)
	if err != nil {
		return nil, ErrInvalidKey
	}
	defer key.Zeroize()
	sig, err := ecdsa.SignRecoverable(key, msg, &ecdsa.SignOptions{Unchecked: true})
	if err != nil {
		return nil, ErrSignFailed
	}
	return sig, nil
}

// RecoverPubkey returns the public key under which sig, 65 bytes as [Sign] returns them, is a
// signature of a hash of 32 bytes. The key has 65 bytes: 0x04 and the coordinates, big-endian. A
// high s is accepted.
func RecoverPubkey(msg []byte, sig []byte) ([]byte, error) {
	return RecoverPubkeyWithContext(DefaultContext, msg, sig, nil)
}

// RecoverPubkeyWithContext appends the key of [RecoverPubkey] to pkbuf and returns the extended
// slice. It ignores the context. If there is an error, it writes nothing.
func RecoverPubkeyWithContext(_ *Context, msg []byte, sig []byte, pkbuf []byte) ([]byte, error) {
	if len(msg) != 32 {
		return nil, ErrInvalidMsgLen
	}
	if len(sig) != 65 {
		return nil, ErrInvalidSignatureLen
	}
	if sig[64] >= 4 {
		return nil, ErrInvalidRecoveryID
	}
	key, err := ecdsa.Recover(msg, sig)
	if err != nil {
		return nil, ErrRecoverFailed
	}
	if total := len(pkbuf) + 65; cap(pkbuf) < total {
		pkbuf = append(make([]byte, 0, total), pkbuf...)
	}
	return key.AppendUncompressedBytes(pkbuf), nil
}

// VerifySignature reports whether the signature, r and s of 32 bytes each, is one of the hash by
// the public key, with a low s. The key has 33 or 65 bytes; hybrid encodings are accepted.
func VerifySignature(pubkey, msg, signature []byte) bool {
	if len(msg) != 32 {
		return false
	}
	sig, err := ecdsa.ParseSignature(signature)
	if err != nil {
		return false
	}
	// A hybrid encoding (X9.62, section 4.3.6) is an uncompressed one with the parity of y in its
	// first byte.
	var buf [65]byte
	if len(pubkey) == len(buf) {
		copy(buf[:], pubkey)
		pubkey = buf[:]
		if buf[0] == 6|buf[64]&1 {
			buf[0] = 4
		}
	}
	key, err := koblitz.ParsePublicKey(pubkey)
	return err == nil && ecdsa.VerifyLowS(key, msg, sig)
}

// DecompressPubkey returns the coordinates of a public key of 33 bytes, or nil if there is no such
// key.
func DecompressPubkey(pubkey []byte) (x, y *big.Int) {
	if len(pubkey) != 33 {
		return nil, nil
	}
	key, err := koblitz.ParsePublicKey(pubkey)
	if err != nil {
		return nil, nil
	}
	return S256().Unmarshal(key.UncompressedBytes())
}

// CompressPubkey returns the public key with the coordinates x and y as 33 bytes. It panics if they
// are not those of a point.
func CompressPubkey(x, y *big.Int) []byte {
	key, err := koblitz.ParsePublicKey(S256().Marshal(x, y))
	if err != nil {
		panic("libsecp256k1 error")
	}
	return key.Bytes()
}
