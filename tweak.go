package koblitz

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

var (
	errTweakRange  = errors.New("koblitz: tweak: not below the group order n")
	errTweakZero   = errors.New("koblitz: tweak: zero")
	errTweakedZero = errors.New("koblitz: tweak: the tweaked private key is zero")
	errInfinity    = errors.New("koblitz: tweak: the tweaked public key is infinity")
)

// TweakAdd returns the key k + tweak mod n, as in the derivation of child keys
// in BIP-32. The tweak is 32 bytes, big-endian, and may be secret; its time
// depends on neither.
//
// There is an error if the tweak is not below n, if the sum is zero, or if k
// holds no key.
func (k *PrivateKey) TweakAdd(tweak []byte) (*PrivateKey, error) {
	if err := checkTweak(tweak); err != nil {
		return nil, err
	}
	var sum *PrivateKey
	var err error
	secret.Do(func() {
		var d, t scalar.Scalar
		if err = k.loadWithTweak(&d, &t, tweak); err == nil {
			d.Add(&d, &t)
			sum, err = tweaked(&d, &t)
		}
	})
	return sum, err
}

// TweakMul returns the key k·tweak mod n. The tweak is 32 bytes, big-endian,
// and may be secret; its time depends on neither.
//
// There is an error if the tweak is zero or not below n, or if k holds no key.
func (k *PrivateKey) TweakMul(tweak []byte) (*PrivateKey, error) {
	if err := checkTweak(tweak); err != nil {
		return nil, err
	}
	var product *PrivateKey
	var err error
	secret.Do(func() {
		var d, t scalar.Scalar
		if err = k.loadWithTweak(&d, &t, tweak); err == nil {
			d.Mul(&d, &t)
			product, err = tweaked(&d, &t)
		}
	})
	return product, err
}

// TweakAddXOnly returns the private key of k.XOnlyPublicKey().TweakAdd(tweak):
// if the public key of k has an odd y coordinate, k is negated before the
// tweak is added. This is taproot_tweak_seckey of BIP-341, and the key with
// which a taproot output is spent. The tweak is 32 bytes, big-endian, and may
// be secret; its time depends on neither.
//
// There is an error if the tweak is not below n, if the sum is zero, or if k
// holds no key.
func (k *PrivateKey) TweakAddXOnly(tweak []byte) (*PrivateKey, error) {
	p := (*keys.Private)(k).Public()
	if p == nil {
		return nil, ErrZeroKey
	}
	if err := checkTweak(tweak); err != nil {
		return nil, err
	}
	var sum *PrivateKey
	var err error
	secret.Do(func() {
		var d, t scalar.Scalar
		if err = k.loadWithTweak(&d, &t, tweak); err == nil {
			d.CondNeg(&d, p.OddY())
			d.Add(&d, &t)
			sum, err = tweaked(&d, &t)
		}
	})
	return sum, err
}

// TweakAdd returns the key k + tweak·G, as in the derivation of child keys in
// BIP-32. The tweak is 32 bytes, big-endian. Its time does not depend on the
// tweak, which may be secret, until the result, which is not, is there.
//
// There is an error if the tweak is not below n, if the result is infinity, or
// if k holds no key.
func (k *PublicKey) TweakAdd(tweak []byte) (*PublicKey, error) {
	//ct:leak len(tweak) == 32 && tweak[31]&1 == 1
	a := k.affine()
	if a == nil {
		return nil, ErrZeroKey
	}
	return tweakAdd(a, tweak)
}

func tweakAdd(a *point.Affine, tweak []byte) (*PublicKey, error) {
	if err := checkTweak(tweak); err != nil {
		return nil, err
	}
	k := new(PublicKey)
	var err error
	secret.Do(func() {
		var t scalar.Scalar
		if err = setTweak(&t, tweak); err != nil {
			return
		}
		var r point.Jacobian
		ecmult.ScalarBaseMult(&r, &t)
		r.AddMixed(&r, a)
		t.Wipe()
		if !k.publish(&r) {
			err = errInfinity
		}
	})
	if err != nil {
		return nil, err
	}
	return k, nil
}

// publish makes k the key of the point r, in constant time, and wipes r, whose denominator
// tells about the tweak. It reports whether r is finite; k stays as it was if not. That,
// and what point r is, become public.
func (k *PublicKey) publish(r *point.Jacobian) bool {
	var a point.Affine
	finite := a.SetJacobian(r).Reveal()
	r.Wipe()
	a.Declassify()
	if finite {
		(*keys.Public)(k).SetAffine(&a)
	}
	return finite
}

// TweakMul returns the key tweak·k. The tweak is 32 bytes, big-endian. Its time
// does not depend on the tweak, which may be secret.
//
// There is an error if the tweak is zero or not below n, or if k holds no key.
func (k *PublicKey) TweakMul(tweak []byte) (*PublicKey, error) {
	a := k.affine()
	if a == nil {
		return nil, ErrZeroKey
	}
	if err := checkTweak(tweak); err != nil {
		return nil, err
	}
	product := new(PublicKey)
	var err error
	secret.DoDeep(func() {
		var t scalar.Scalar
		if err = setTweak(&t, tweak); err != nil {
			return
		}
		var r point.Jacobian
		ecmult.ScalarMult(&r, &t, a)
		t.Wipe()
		if !product.publish(&r) {
			err = errTweakZero
		}
	})
	if err != nil {
		return nil, err
	}
	return product, nil
}

// TweakAdd returns the point k + tweak·G, the output key of taproot_tweak_pubkey
// in BIP-341, where the tweak is hash_TapTweak(k ‖ root): the output is the
// result's XOnly, and the parity bit that a script path shows is 1 unless the
// result HasEvenY. The tweak is 32 bytes, big-endian. Its time does not depend
// on the tweak, which may be secret, until the result, which is not, is there.
//
// There is an error if the tweak is not below n, if the result is infinity, or
// if k holds no key.
func (k *XOnlyPublicKey) TweakAdd(tweak []byte) (*PublicKey, error) {
	a := k.affine()
	if a == nil {
		return nil, ErrZeroKey
	}
	return tweakAdd(a, tweak)
}

// loadWithTweak sets d to the secret and t to the tweak; both are zero if there
// is an error.
func (k *PrivateKey) loadWithTweak(d, t *scalar.Scalar, tweak []byte) error {
	//ct:leak len(tweak) == 32 && tweak[0] > 7
	if err := setTweak(t, tweak); err != nil {
		return err
	}
	if !k.load(d) {
		t.Wipe()
		return ErrZeroKey
	}
	return nil
}

// tweaked returns the key d and wipes d and the tweak t.
func tweaked(d, t *scalar.Scalar) (*PrivateKey, error) {
	t.Wipe()
	if d.IsZero().Reveal() {
		return nil, errTweakedZero
	}
	return newPrivateKey(d), nil
}

// checkTweak returns an error unless the tweak has 32 bytes.
func checkTweak(tweak []byte) error {
	if len(tweak) != 32 {
		return fmt.Errorf("koblitz: tweak: %d bytes, want 32", len(tweak))
	}
	return nil
}

// setTweak sets t to the big-endian tweak, 32 bytes, which must be below n.
func setTweak(t *scalar.Scalar, tweak []byte) error {
	if !t.SetBytes((*[32]byte)(tweak)).Reveal() {
		t.Wipe()
		return errTweakRange
	}
	return nil
}
