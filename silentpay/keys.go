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
	key keys.Private

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
func (k *ScanKey) PublicKey() *koblitz.PublicKey { return publicKey(k.private()) }

// IsZero reports whether k holds no key: it is nil, a zero value, or zeroized.
func (k *ScanKey) IsZero() bool { return !k.private().Live() }

// Zeroize overwrites the secret of k and of all its copies, and so of receivers with this key.
// Afterwards k is as the zero value, and scanning returns errors.
func (k *ScanKey) Zeroize() { k.private().Wipe() }

// private returns the key inside k, or nil if k is nil.
func (k *ScanKey) private() *keys.Private {
	if k == nil {
		return nil
	}
	return &k.key
}

// A SpendKey is the private key b_spend, with which a receiver spends outputs. The zero value holds
// no key. It prints as a fixed text and encoders get an error, as for a [koblitz.PrivateKey].
type SpendKey struct {
	key keys.Private

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
func (k *SpendKey) PublicKey() *koblitz.PublicKey { return publicKey(k.private()) }

// IsZero reports whether k holds no key: it is nil, a zero value, or zeroized.
func (k *SpendKey) IsZero() bool { return !k.private().Live() }

// Zeroize overwrites the secret of k and of all its copies. Afterwards k is as the zero value.
func (k *SpendKey) Zeroize() { k.private().Wipe() }

// Tweak returns the private key d = b_spend + t mod n of an output (BIP-352, "Spending"). Package
// schnorr signs with d for the output's x-only key, and negates d if its public key has an odd y.
// The output key is used as it is, without a taproot tweak. d is blinded if k is. The time does not
// depend on k or t.
//
// The error is [koblitz.ErrZeroKey] if k or t holds no number. There is also an error, with
// negligible probability, if the sum is zero.
func (k *SpendKey) Tweak(t *PrivateTweak) (*koblitz.PrivateKey, error) {
	var sum keys.Private
	err := koblitz.ErrZeroKey
	secret.Do(func() {
		var d, tweak scalar.Scalar
		live := k.private().Load(&d)
		live = t.private().Load(&tweak) && live
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
	sum = blindedLike(&sum, k.private())
	return (*koblitz.PrivateKey)(&sum), nil
}

// private returns the key inside k, or nil if k is nil.
func (k *SpendKey) private() *keys.Private {
	if k == nil {
		return nil
	}
	return &k.key
}

// A PrivateTweak is the number that [SpendKey.Tweak] adds to the spend key to spend an output: t_k,
// plus the tweak of the output's label if it has one. The zero value holds no number. It prints as
// a fixed text and encoders get an error: only Bytes returns its bytes.
type PrivateTweak struct {
	key keys.Private

	noEncoding
}

// ParsePrivateTweak returns the tweak that b encodes: 32 bytes, big-endian, a number in [1, n). If
// there is no error, the time does not depend on the number.
func ParsePrivateTweak(b []byte) (*PrivateTweak, error) {
	if len(b) != 32 {
		return nil, fmt.Errorf("silentpay: private tweak: %d bytes, want 32", len(b))
	}
	t := new(PrivateTweak)
	ok := false
	secret.Do(func() {
		var d scalar.Scalar
		if ok = d.SetNonzeroBytes((*[32]byte)(b)).Reveal(); ok {
			t.key = keys.New(&d)
		}
		d.Wipe()
	})
	if !ok {
		return nil, errors.New("silentpay: private tweak: zero, or not below the group order n")
	}
	return t, nil
}

// Bytes returns the 32 bytes of the tweak, big-endian, or nil if t holds no number. The caller
// should overwrite them after use. The time does not depend on the tweak.
func (t *PrivateTweak) Bytes() []byte {
	var out []byte
	secret.Do(func() {
		var d scalar.Scalar
		if t.private().Load(&d) {
			out = make([]byte, 32)
			d.PutBytes((*[32]byte)(out))
		}
		d.Wipe()
	})
	return out
}

// IsZero reports whether t holds no number: it is nil, a zero value, or zeroized.
func (t *PrivateTweak) IsZero() bool { return !t.private().Live() }

// Zeroize overwrites the number of t and of all its copies. Afterwards t is as the zero value.
func (t *PrivateTweak) Zeroize() { t.private().Wipe() }

// private returns the number inside t, or nil if t is nil.
func (t *PrivateTweak) private() *keys.Private {
	if t == nil {
		return nil
	}
	return &t.key
}

// copyKey sets k to a key with the number of key and a secret of its own, and reports whether key
// holds a number.
func copyKey(k *keys.Private, key *koblitz.PrivateKey) (ok bool) {
	secret.Do(func() {
		var d scalar.Scalar
		if ok = (*keys.Private)(key).Load(&d); ok {
			*k = keys.New(&d)
		}
		d.Wipe()
	})
	*k = blindedLike(k, (*keys.Private)(key))
	return ok
}

// blindedLike returns k, blinded with a new random number if other is blinded. k may be the zero
// value.
func blindedLike(k, other *keys.Private) keys.Private {
	if other.Blinding() == nil || !k.Live() {
		return *k
	}
	return keys.Private(*(*koblitz.PrivateKey)(k).Blinded())
}

// errZero is the error for a sum of secrets that is zero, which happens with negligible
// probability.
var errZero = errors.New("silentpay: the tweaked key is zero")

// setPrivate sets k to the number d, or returns an error if d is zero.
func setPrivate(k *keys.Private, d *scalar.Scalar) error {
	if d.IsZero().Reveal() {
		return errZero
	}
	//ct:secret d.IsOdd().Bool()
	*k = keys.New(d)
	return nil
}

// publicKey returns a copy of the public key of k, or nil if k holds no key.
func publicKey(k *keys.Private) *koblitz.PublicKey {
	p := k.Public()
	if p == nil {
		return nil
	}
	public := koblitz.PublicKey(*p)
	return &public
}
