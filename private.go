package koblitz

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// A PrivateKey is a number in [1, n). The zero value is no key.
//
// Copies of a PrivateKey share one secret: Zeroize of one of them is Zeroize
// of all, and the public key is computed once, when it is first needed.
//
// A PrivateKey prints as a fixed text, whatever it is a part of, and encoders
// get an error: the only way to its bytes is Bytes. A struct that embeds one
// takes these methods over and does the same: name the field.
type PrivateKey keys.Private

var (
	errNoPrivateKey = errors.New("koblitz: private key is a zero value or has been zeroized")
	errNoPublicKey  = errors.New("koblitz: public key is a zero value")
	errNotEncoded   = errors.New("koblitz: a private key has no encoding but that of Bytes")
)

// GenerateKey returns a new private key, uniform in [1, n), from crypto/rand,
// which ends the program if the system has no randomness to give.
func GenerateKey() *PrivateKey {
	var k *PrivateKey
	secret.Do(func() {
		var b [32]byte
		var d scalar.Scalar
		for {
			rand.Read(b[:])
			// That a candidate was refused, about once in 2¹²⁷ times, tells
			// nothing about the one that is taken.
			if d.SetNonzeroBytes(&b).Reveal() {
				break
			}
		}
		ct.Wipe(b[:])
		k = newPrivateKey(&d)
	})
	return k
}

// NewPrivateKey returns the private key that b encodes: 32 bytes, big-endian
// (SEC 1 version 2, section 2.3.6), a value in [1, n). Its time does not depend
// on the value, unless it is refused.
func NewPrivateKey(b []byte) (*PrivateKey, error) {
	if len(b) != 32 {
		return nil, fmt.Errorf("koblitz: private key: %d bytes, want 32", len(b))
	}
	var k *PrivateKey
	secret.Do(func() {
		var d scalar.Scalar
		if d.SetNonzeroBytes((*[32]byte)(b)).Reveal() {
			k = newPrivateKey(&d)
		}
		d.Wipe()
	})
	if k == nil {
		return nil, errors.New("koblitz: private key: zero, or not below the group order n")
	}
	return k, nil
}

// newPrivateKey returns the key d, and wipes d.
func newPrivateKey(d *scalar.Scalar) *PrivateKey {
	k := PrivateKey(keys.New(d))
	d.Wipe()
	return &k
}

// Bytes returns the 32 bytes of the key, big-endian, or nil if there is no key.
// The caller should overwrite them after use.
func (k *PrivateKey) Bytes() []byte {
	if k.IsZero() {
		return nil
	}
	b := make([]byte, 32)
	ok := false
	secret.Do(func() {
		var d scalar.Scalar
		if ok = k.load(&d); ok {
			d.PutBytes((*[32]byte)(b))
		}
		d.Wipe()
	})
	if !ok {
		return nil
	}
	return b
}

// PublicKey returns the public key k·G, or nil if there is no key. Its first
// call on a key computes it in a time that does not depend on the key.
func (k *PrivateKey) PublicKey() *PublicKey {
	p := (*keys.Private)(k).Public()
	if p == nil {
		return nil
	}
	// A copy: the key's own must not change if the caller assigns to this one.
	return newPublicKey(p.Affine())
}

// XOnlyPublicKey returns the x-only public key of BIP-340, or nil if there is
// no key.
func (k *PrivateKey) XOnlyPublicKey() *XOnlyPublicKey {
	p := (*keys.Private)(k).Public()
	if p == nil {
		return nil
	}
	return newXOnlyPublicKey(p.Affine())
}

// IsZero reports whether k holds no key: it is nil, a zero value, or zeroized.
func (k *PrivateKey) IsZero() bool { return !(*keys.Private)(k).Live() }

// Equal reports whether k and other are the same key, in a time that does not
// depend on either. It is false if one of them holds no key.
func (k *PrivateKey) Equal(other *PrivateKey) bool {
	equal := false
	secret.Do(func() {
		var a, b scalar.Scalar
		ok := k.load(&a)
		ok = other.load(&b) && ok
		equal = a.Equal(&b).Reveal() && ok
		a.Wipe()
		b.Wipe()
	})
	return equal
}

// Negate returns the key n - k, whose public key is the negative of k's, or nil
// if there is no key. The result is a key of its own: zeroizing one leaves the
// other. Its time does not depend on the key.
func (k *PrivateKey) Negate() *PrivateKey {
	var negative *PrivateKey
	secret.Do(func() {
		var d scalar.Scalar
		if k.load(&d) {
			d.Neg(&d)
			negative = newPrivateKey(&d)
		}
	})
	return negative
}

// Blinded returns a key with the same secret whose multiplications of the
// generator, in signing and in computing its public key, are blinded: k·G is
// computed as (k - b)·G + b·G for a random b that is drawn here. That takes a
// little longer, and makes what an observer of power or radiation learns about
// k hard to use. It returns nil if there is no key.
//
// The result shares k's secret: Zeroize of one is Zeroize of both.
func (k *PrivateKey) Blinded() *PrivateKey {
	if k.IsZero() {
		return nil
	}
	var blinded PrivateKey
	secret.Do(func() {
		var b [32]byte
		rand.Read(b[:])
		var s scalar.Scalar
		s.SetBytes(&b) // biased by about 2⁻¹²⁸, which is of no use here
		blinded = PrivateKey((*keys.Private)(k).Blinded(ecmult.NewBlinding(&s)))
		s.Wipe()
		ct.Wipe(b[:])
	})
	return &blinded
}

// Zeroize overwrites the secret of k and of all its copies. After it, signing
// and key agreement return errors, and every other method answers as for the
// zero value. It waits for operations that are just reading the secret; those
// that have read it will finish. The random number that a blinded copy blinds
// with stays; by itself it tells nothing about the key. The package documentation
// says more.
func (k *PrivateKey) Zeroize() { (*keys.Private)(k).Wipe() }

func (k *PrivateKey) load(d *scalar.Scalar) bool { return (*keys.Private)(k).Load(d) }

// redacted is all that a private key shows of itself.
const redacted = "koblitz.PrivateKey(redacted)"

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (PrivateKey) Format(f fmt.State, verb rune) { io.WriteString(f, redacted) }

// String returns a fixed text.
func (PrivateKey) String() string { return redacted }

// GoString returns a fixed text.
func (PrivateKey) GoString() string { return redacted }

// LogValue implements slog.LogValuer with a fixed text.
func (PrivateKey) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns an error, and so do the other methods that encoders ask
// for: without them, encoding/json would write {} and lose the key.
func (PrivateKey) MarshalText() ([]byte, error) { return nil, errNotEncoded }

// MarshalJSON returns an error, as MarshalText does.
func (PrivateKey) MarshalJSON() ([]byte, error) { return nil, errNotEncoded }

// MarshalBinary returns an error, as MarshalText does.
func (PrivateKey) MarshalBinary() ([]byte, error) { return nil, errNotEncoded }

// GobEncode returns an error, as MarshalText does.
func (PrivateKey) GobEncode() ([]byte, error) { return nil, errNotEncoded }
