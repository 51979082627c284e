package koblitz

import (
	"crypto"
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

// A PrivateKey is a number in [1, n). The zero value holds no key.
//
// Copies of a PrivateKey share one secret: Zeroize of one copy zeroizes all. They also share the
// public key, which is computed once, when it is first needed.
//
// A PrivateKey prints as a fixed text, also as a field of other values, and encoders get an error:
// only Bytes returns its bytes. A struct that embeds a PrivateKey inherits these methods, so it
// prints as the same text and cannot be encoded; give the field a name to avoid that.
type PrivateKey keys.Private

// ErrZeroKey is the error of all functions and methods of this module that need a private or public
// key, if the key is nil, a zero value or zeroized. Functions that verify signatures return false
// instead.
var ErrZeroKey = errors.New("koblitz: the key is nil, a zero value or zeroized")

var errNotEncoded = errors.New("koblitz: a private key is encoded by Bytes alone")

// GenerateKey returns a new private key, uniform in [1, n), from crypto/rand. If the system has no
// randomness, crypto/rand ends the program.
func GenerateKey() *PrivateKey {
	var k *PrivateKey
	secret.Do(func() {
		var b [32]byte
		var d scalar.Scalar
		// A candidate is refused about once in 2¹²⁷ times. That reveals nothing about the
		// key, which is the next candidate.
		for found := false; !found; {
			rand.Read(b[:])
			found = d.SetNonzeroBytes(&b).Reveal()
		}
		ct.Wipe(b[:])
		k = newPrivateKey(&d)
	})
	return k
}

// ParsePrivateKey returns the private key that b encodes: 32 bytes, big-endian (SEC 1 version 2,
// section 2.3.6), a number in [1, n). If there is no error, the time does not depend on the number.
func ParsePrivateKey(b []byte) (*PrivateKey, error) {
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

// newPrivateKey returns the private key with the number d, and overwrites d.
func newPrivateKey(d *scalar.Scalar) *PrivateKey {
	//ct:secret d.IsHigh().Bool()
	k := PrivateKey(keys.New(d))
	d.Wipe()
	return &k
}

// Bytes returns the 32 bytes of the key, big-endian, or nil if k holds no key. The caller should
// overwrite them after use.
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
	if !ok { //ct:unrun when another goroutine wipes the key meanwhile
		return nil
	}
	return b
}

// PublicKey returns the public key k·G, or nil if k holds no key. The first call for a key computes
// the public key, in a time that does not depend on k.
func (k *PrivateKey) PublicKey() *PublicKey {
	//ct:secret !k.IsZero() && k.Bytes()[5]&1 == 1
	p := (*keys.Private)(k).Public()
	if p == nil {
		return nil
	}
	// Return a copy, so that assigning to the result does not change the key's public key.
	return newPublicKey(p.Affine())
}

// XOnlyPublicKey returns the x-only public key of BIP-340, or nil if k holds no key.
func (k *PrivateKey) XOnlyPublicKey() *XOnlyPublicKey {
	p := (*keys.Private)(k).Public()
	if p == nil {
		return nil
	}
	return newXOnlyPublicKey(p.Affine())
}

// IsZero reports whether k holds no key: it is nil, a zero value, or zeroized.
func (k *PrivateKey) IsZero() bool { return !(*keys.Private)(k).Live() }

// Equal reports whether other is a *PrivateKey with the same secret, in a time that does not depend
// on the secrets. It returns false if k or other holds no key.
func (k *PrivateKey) Equal(other crypto.PrivateKey) bool {
	o, _ := other.(*PrivateKey)
	equal := false
	secret.Do(func() {
		var a, b scalar.Scalar
		ok := k.load(&a)
		ok = o.load(&b) && ok
		equal = a.Equal(&b).Reveal() && ok
		a.Wipe()
		b.Wipe()
	})
	return equal
}

// Negate returns the key n - k, whose public key is the negative of k's, or nil if k holds no key.
// The result does not share k's secret: zeroizing one does not affect the other. The time does not
// depend on the key.
func (k *PrivateKey) Negate() *PrivateKey {
	var negative *PrivateKey
	secret.Do(func() {
		var d scalar.Scalar
		if k.load(&d) {
			d.Neg(&d)
			negative = newPrivateKey(&d)
		}
	})
	return negative.blindedLike(k)
}

// Blinded returns a key with the same secret that blinds its multiplications of the generator, in
// signing and in computing its public key: it computes k·G as (k - b)·G + b·G, with a random number
// b that Blinded chooses. This takes a little longer, and makes it much harder to relate power
// consumption or radiation to k. Blinded returns nil if k holds no key.
//
// The result shares k's secret: Zeroize of one zeroizes both. Keys that Negate and the methods that
// tweak derive from a blinded key are blinded too, each with a random number of its own.
func (k *PrivateKey) Blinded() *PrivateKey {
	if k.IsZero() {
		return nil
	}
	var blinded PrivateKey
	secret.DoDeep(func() {
		var b [32]byte
		rand.Read(b[:])
		var s scalar.Scalar
		s.SetBytes(&b) // the bias of s is about 2⁻¹²⁸, too little to help an attacker
		blinded = PrivateKey((*keys.Private)(k).Blinded(ecmult.NewBlinding(&s)))
		s.Wipe()
		ct.Wipe(b[:])
	})
	return &blinded
}

// blindedLike returns k, blinded if other is. k may be nil.
func (k *PrivateKey) blindedLike(other *PrivateKey) *PrivateKey {
	if (*keys.Private)(other).Blinding() == nil {
		return k
	}
	return k.Blinded()
}

// Zeroize overwrites the secret of k and of all its copies. Afterwards signing and key agreement
// return errors, and every other method behaves as on the zero value. Zeroize waits for operations
// that are reading the secret; operations that have read it will finish. The random number b of a
// blinded copy is not overwritten; alone it reveals nothing about the key. The package
// documentation says more.
func (k *PrivateKey) Zeroize() { (*keys.Private)(k).Wipe() }

func (k *PrivateKey) load(d *scalar.Scalar) bool { return (*keys.Private)(k).Load(d) }

// redacted is the text that package fmt prints for a private key.
const redacted = "koblitz.PrivateKey(redacted)"

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (PrivateKey) Format(f fmt.State, verb rune) { io.WriteString(f, redacted) }

// String returns the same fixed text as Format.
func (PrivateKey) String() string { return redacted }

// GoString returns the same fixed text as Format.
func (PrivateKey) GoString() string { return redacted }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (PrivateKey) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns an error, and so do the other methods that encoders call. Without these
// methods encoding/json would write {} and lose the key.
func (PrivateKey) MarshalText() ([]byte, error) { return nil, errNotEncoded }

// MarshalJSON returns an error, as MarshalText does.
func (PrivateKey) MarshalJSON() ([]byte, error) { return nil, errNotEncoded }

// MarshalBinary returns an error, as MarshalText does.
func (PrivateKey) MarshalBinary() ([]byte, error) { return nil, errNotEncoded }

// GobEncode returns an error, as MarshalText does.
func (PrivateKey) GobEncode() ([]byte, error) { return nil, errNotEncoded }
