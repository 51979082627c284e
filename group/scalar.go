package group

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// ScalarSize is the size of an encoded scalar in bytes.
const ScalarSize = 32

// A Scalar is a number modulo n. The zero value is 0. Compare scalars with Equal;
// == does not compile.
//
// A Scalar may be secret. It prints as a fixed text under fmt and log/slog, and encoders get an
// error: only Bytes returns its value. A struct that embeds a Scalar inherits these methods and
// does the same; give the field a name to avoid that.
//
// In two cases fmt calls no method of a Scalar and prints its limbs. One is a Scalar in an
// unexported field of another type. The other is a verb that fmt reports as wrong, in the form
// %!s(…): for the Scalar, such as %w and %p, or for a pointer inside another value that leads to
// it, such as %s. Also, a traceback may show words of a Scalar that is passed by value.
//
// So pass pointers, and let unexported fields hold pointers: %v, %+v, %#v, %d and %x print a
// *Scalar there as an address. No printer shows what a function returns. To be safe from all of
// them, hold a func() *Scalar, or a [koblitz.PrivateKey], which holds its secret in such a
// function.
type Scalar keys.GroupScalar

func (s *Scalar) value() *scalar.Scalar { return (*keys.GroupScalar)(s).Value() }

// RandomScalar returns a uniform nonzero scalar from crypto/rand. If the system has
// no randomness, crypto/rand ends the program.
func RandomScalar() *Scalar {
	s := new(Scalar)
	secret.Do(func() {
		var b [32]byte
		for found := false; !found; {
			rand.Read(b[:])
			found = s.value().SetNonzeroBytes(&b).Reveal()
		}
		ct.Wipe(b[:])
	})
	return s
}

// Set sets s = a, and returns s.
func (s *Scalar) Set(a *Scalar) *Scalar {
	//ct:secret a.value().IsOdd().Bool()
	secret.DoLeaf(func() { s.value().Set(a.value()) })
	return s
}

// SetUint64 sets s = x, and returns s.
func (s *Scalar) SetUint64(x uint64) *Scalar {
	//ct:secret x&1 == 1
	s.value().SetUint64(x)
	return s
}

// SetBytes sets s to the number that b encodes: 32 bytes, big-endian, below n. It returns s. If
// there is an error, s keeps its value.
func (s *Scalar) SetBytes(b []byte) (*Scalar, error) {
	if len(b) != ScalarSize {
		return nil, fmt.Errorf("group: scalar: %d bytes, want 32", len(b))
	}
	inRange := false
	secret.Do(func() {
		var v scalar.Scalar
		if inRange = v.SetBytes((*[32]byte)(b)).Reveal(); inRange {
			s.value().Set(&v)
		}
		v.Wipe()
	})
	if !inRange {
		return nil, errors.New("group: scalar: not below the group order n")
	}
	return s, nil
}

// SetBytesReduced sets s to the big-endian number b of 32 bytes modulo n, and returns s. BIP-340
// reads its challenge in this way, and ECDSA the hash of a message. If the length is wrong, there
// is an error, and s keeps its value.
//
// To parse an encoded scalar, use SetBytes, which refuses numbers of n or more.
func (s *Scalar) SetBytesReduced(b []byte) (*Scalar, error) {
	if len(b) != ScalarSize {
		return nil, fmt.Errorf("group: scalar: %d bytes, want 32", len(b))
	}
	secret.Do(func() { s.value().SetBytes((*[32]byte)(b)) })
	return s, nil
}

// SetUniformBytes sets s to the big-endian number b modulo n, and returns s. b has 48 to 64 bytes.
// If they are uniform, s is uniform with a bias of at most 2⁻¹²⁸. Protocols hash to scalars in this
// way (RFC 9380, section 5.2).
func (s *Scalar) SetUniformBytes(b []byte) (*Scalar, error) {
	if len(b) < 48 || len(b) > 64 {
		return nil, fmt.Errorf("group: uniform scalar: %d bytes, want 48 to 64", len(b))
	}
	secret.Do(func() {
		var wide [64]byte
		copy(wide[64-len(b):], b)
		s.value().SetWideBytes(&wide)
		ct.Wipe(wide[:])
	})
	return s, nil
}

// Bytes returns the 32 bytes of s, big-endian.
func (s *Scalar) Bytes() []byte { return s.AppendBytes(make([]byte, 0, ScalarSize)) }

// AppendBytes appends the 32 bytes of Bytes to dst and returns the extended slice.
func (s *Scalar) AppendBytes(dst []byte) []byte {
	dst = slices.Grow(dst, ScalarSize)
	secret.DoLeaf(func() {
		n := len(dst)
		dst = dst[:n+ScalarSize]
		s.value().PutBytes((*[32]byte)(dst[n:]))
	})
	return dst
}

// Add sets s = a + b, and returns s.
func (s *Scalar) Add(a, b *Scalar) *Scalar {
	secret.DoLeaf(func() { s.value().Add(a.value(), b.value()) })
	return s
}

// Sub sets s = a − b, and returns s.
func (s *Scalar) Sub(a, b *Scalar) *Scalar {
	secret.DoLeaf(func() { s.value().Sub(a.value(), b.value()) })
	return s
}

// Negate sets s = −a, and returns s.
func (s *Scalar) Negate(a *Scalar) *Scalar {
	secret.DoLeaf(func() { s.value().Neg(a.value()) })
	return s
}

// Mul sets s = a·b, and returns s.
func (s *Scalar) Mul(a, b *Scalar) *Scalar {
	//ct:unrun-portable for CPUs with two carry chains, which the other build has
	if scalar.MulInRegisters() {
		s.value().Mul(a.value(), b.value())
	} else {
		secret.Do(func() { s.value().Mul(a.value(), b.value()) })
	}
	return s
}

// Invert sets s = 1/a, and returns s. The inverse of 0 is 0.
func (s *Scalar) Invert(a *Scalar) *Scalar {
	//ct:secret a.value().IsHigh().Bool()
	secret.Do(func() { s.value().Invert(a.value()) })
	return s
}

// Equal reports whether s and a are the same number. It returns false if a is nil.
func (s *Scalar) Equal(a *Scalar) bool {
	if a == nil {
		return false
	}
	equal := false
	secret.DoLeaf(func() { equal = s.value().Equal(a.value()).Reveal() })
	return equal
}

// IsZero reports whether s is 0.
func (s *Scalar) IsZero() bool {
	zero := false
	secret.DoLeaf(func() { zero = s.value().IsZero().Reveal() })
	return zero
}

// SetPrivateKey sets s to the number of the private key k, and returns s. It returns an error if k
// holds no key.
func (s *Scalar) SetPrivateKey(k *koblitz.PrivateKey) (*Scalar, error) {
	ok := false
	secret.Do(func() {
		var d scalar.Scalar
		if ok = (*keys.Private)(k).Load(&d); ok {
			s.value().Set(&d)
		}
		d.Wipe()
	})
	if !ok {
		return nil, koblitz.ErrZeroKey
	}
	return s, nil
}

// PrivateKey returns s as a private key, or an error if s is 0.
func (s *Scalar) PrivateKey() (*koblitz.PrivateKey, error) {
	if s.IsZero() {
		return nil, errors.New("group: 0 is no private key")
	}
	var k koblitz.PrivateKey
	secret.Do(func() { k = koblitz.PrivateKey(keys.New(s.value())) })
	return &k, nil
}

// Zeroize overwrites s with 0. It does not overwrite copies of s.
func (s *Scalar) Zeroize() { s.value().Wipe() }
