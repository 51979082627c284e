package silentpay

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// noEncoding is an unexported alias, so that a struct that embeds it has no exported field for it.
type noEncoding = secret.NoEncoding

// A ScanKey is the private key b_scan, with which a receiver finds payments. The zero value holds
// no key. It prints as a fixed text and encoders get an error, as for a [koblitz.PrivateKey].
type ScanKey struct {
	key koblitz.PrivateKey

	noEncoding
}

// NewScanKey returns a scan key with the number of key, blinded if key is. It does not share key's
// secret: zeroizing one does not affect the other. The error is [koblitz.ErrZeroKey] if key holds
// no key. The time does not depend on the key.
func NewScanKey(key *koblitz.PrivateKey) (*ScanKey, error) {
	var k ScanKey
	if !copyKey(&k.key, key) {
		return nil, koblitz.ErrZeroKey
	}
	return &k, nil
}

// PublicKey returns B_scan, or nil if k holds no key. The time does not depend on the key.
func (k *ScanKey) PublicKey() *koblitz.PublicKey { return k.private().PublicKey() }

// IsZero reports whether k holds no key: it is nil, a zero value, or zeroized.
func (k *ScanKey) IsZero() bool { return k.private().IsZero() }

// Zeroize overwrites the secret of k and of all its copies, and so of receivers with this key.
// Afterwards k is as the zero value, and scanning returns errors.
func (k *ScanKey) Zeroize() { k.private().Zeroize() }

// private returns the key inside k, or nil if k is nil.
func (k *ScanKey) private() *koblitz.PrivateKey {
	if k == nil {
		return nil
	}
	return &k.key
}

// A SpendKey is the private key b_spend, with which a receiver spends outputs. The zero value holds
// no key. It prints as a fixed text and encoders get an error, as for a [koblitz.PrivateKey].
type SpendKey struct {
	key koblitz.PrivateKey

	noEncoding
}

// NewSpendKey returns a spend key with the number of key, blinded if key is. It does not share
// key's secret: zeroizing one does not affect the other. The error is [koblitz.ErrZeroKey] if key
// holds no key. The time does not depend on the key.
func NewSpendKey(key *koblitz.PrivateKey) (*SpendKey, error) {
	var k SpendKey
	if !copyKey(&k.key, key) {
		return nil, koblitz.ErrZeroKey
	}
	return &k, nil
}

// PublicKey returns B_spend, or nil if k holds no key. The time does not depend on the key.
func (k *SpendKey) PublicKey() *koblitz.PublicKey { return k.private().PublicKey() }

// IsZero reports whether k holds no key: it is nil, a zero value, or zeroized.
func (k *SpendKey) IsZero() bool { return k.private().IsZero() }

// Zeroize overwrites the secret of k and of all its copies. Afterwards k is as the zero value.
func (k *SpendKey) Zeroize() { k.private().Zeroize() }

// Tweak returns the private key d = b_spend + t mod n of an output (BIP-352, "Spending"). Package
// schnorr signs with d for the output's x-only key, and negates d if its public key has an odd y.
// The output key is used as it is, without a taproot tweak. d is blinded if k is. The time does not
// depend on k or t.
//
// The error is [koblitz.ErrZeroKey] if k or t holds no number. There is also an error, with
// negligible probability, if the sum is zero.
func (k *SpendKey) Tweak(t *PrivateTweak) (*koblitz.PrivateKey, error) {
	var sum koblitz.PrivateKey
	err := koblitz.ErrZeroKey
	secret.Do(func() {
		var d, tweak scalar.Scalar
		live := load(&d, k.private())
		live = load(&tweak, t.private()) && live
		if live {
			d.Add(&d, &tweak)
			err = setPrivate(&sum, &d)
		}
		d.Wipe()
		tweak.Wipe()
	})
	if err != nil {
		return nil, err
	}
	return blindedLike(&sum, k.private()), nil
}

// private returns the key inside k, or nil if k is nil.
func (k *SpendKey) private() *koblitz.PrivateKey {
	if k == nil {
		return nil
	}
	return &k.key
}

// A PrivateTweak is the number that [SpendKey.Tweak] adds to the spend key to spend an output: t_k,
// plus the tweak of the output's label if it has one. The zero value holds no number. It prints as
// a fixed text and encoders get an error: only Bytes returns its bytes.
type PrivateTweak struct {
	key koblitz.PrivateKey

	noEncoding
}

// ParsePrivateTweak returns the tweak that b encodes: 32 bytes, big-endian, a number in [1, n). If
// there is no error, the time does not depend on the number.
func ParsePrivateTweak(b []byte) (*PrivateTweak, error) {
	if len(b) != 32 {
		return nil, fmt.Errorf("silentpay: private tweak: %d bytes, want 32", len(b))
	}
	key, err := koblitz.ParsePrivateKey(b)
	if err != nil {
		return nil, errors.New("silentpay: private tweak: zero, or not below the group order n")
	}
	return &PrivateTweak{key: *key}, nil
}

// Bytes returns the 32 bytes of the tweak, big-endian, or nil if t holds no number. The caller
// should overwrite them after use. The time does not depend on the tweak.
func (t *PrivateTweak) Bytes() []byte { return t.private().Bytes() }

// IsZero reports whether t holds no number: it is nil, a zero value, or zeroized.
func (t *PrivateTweak) IsZero() bool { return t.private().IsZero() }

// Zeroize overwrites the number of t and of all its copies. Afterwards t is as the zero value.
func (t *PrivateTweak) Zeroize() { t.private().Zeroize() }

// private returns the number inside t, or nil if t is nil.
func (t *PrivateTweak) private() *koblitz.PrivateKey {
	if t == nil {
		return nil
	}
	return &t.key
}

// load sets d to the number of k, which may be nil, and reports whether k holds one.
func load(d *scalar.Scalar, k *koblitz.PrivateKey) bool { return (*keys.Private)(k).Load(d) }

// copyKey sets k to a key with the number of key and a secret of its own, and reports whether key
// holds a number.
func copyKey(k, key *koblitz.PrivateKey) (ok bool) {
	secret.Do(func() {
		var d scalar.Scalar
		if ok = load(&d, key); ok {
			*k = koblitz.PrivateKey(keys.New(&d))
		}
		d.Wipe()
	})
	if ok {
		*k = *blindedLike(k, key)
	}
	return ok
}

// blindedLike returns k, blinded with a new random number if other is blinded.
func blindedLike(k, other *koblitz.PrivateKey) *koblitz.PrivateKey {
	if (*keys.Private)(other).Blinding() == nil {
		return k
	}
	return k.Blinded()
}

// errZero is the error for a sum of secrets that is zero, which happens with negligible
// probability.
var errZero = errors.New("silentpay: the tweaked key is zero")

// setPrivate sets k to the number d, or returns an error if d is zero.
func setPrivate(k *koblitz.PrivateKey, d *scalar.Scalar) error {
	if d.IsZero().Reveal() {
		return errZero
	}
	//ct:secret d.IsOdd().Bool()
	*k = koblitz.PrivateKey(keys.New(d))
	return nil
}
