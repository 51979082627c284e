package koblitz

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/internal/ct"
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

// TweakAdd returns the key k + tweak mod n, as in the derivation of child keys in BIP-32. The tweak
// is 32 bytes, big-endian, and may be secret. The time depends neither on k nor on the tweak.
//
// There is an error if the tweak is not below n, if the sum is zero, or if k holds no key.
func (k *PrivateKey) TweakAdd(tweak []byte) (*PrivateKey, error) { return k.tweak(tweak, false, 0) }

// TweakMul returns the key k·tweak mod n. The tweak is 32 bytes, big-endian, and may be secret. The
// time depends neither on k nor on the tweak.
//
// There is an error if the tweak is zero or not below n, or if k holds no key.
func (k *PrivateKey) TweakMul(tweak []byte) (*PrivateKey, error) { return k.tweak(tweak, true, 0) }

// TweakAddXOnly returns the private key whose public key is k.XOnlyPublicKey().TweakAdd(tweak). If
// the public key of k has an odd y coordinate, TweakAddXOnly negates k before it adds the tweak.
// This is taproot_tweak_seckey of BIP-341, which gives the key that spends a taproot output. The
// tweak is 32 bytes, big-endian, and may be secret. The time depends neither on k nor on the tweak.
//
// There is an error if the tweak is not below n, if the sum is zero, or if k holds no key.
func (k *PrivateKey) TweakAddXOnly(tweak []byte) (*PrivateKey, error) {
	p := (*keys.Private)(k).Public()
	if p == nil {
		return nil, ErrZeroKey
	}
	return k.tweak(tweak, false, p.OddY())
}

// tweak returns the key k·tweak if multiply is set. Otherwise it returns tweak - k if negate is 1,
// and k + tweak if negate is 0. The values of multiply and negate are public.
func (k *PrivateKey) tweak(tweak []byte, multiply bool, negate ct.Choice) (*PrivateKey, error) {
	if err := checkTweak(tweak); err != nil {
		return nil, err
	}
	var result *PrivateKey
	var err error
	secret.Do(func() {
		var d, t scalar.Scalar
		if err = k.loadWithTweak(&d, &t, tweak); err != nil {
			return
		}
		if multiply {
			d.Mul(&d, &t)
		} else {
			d.CondNeg(&d, negate)
			d.Add(&d, &t)
		}
		result, err = tweaked(&d, &t)
	})
	return result, err
}

// TweakAdd returns the key k + tweak·G, as in the derivation of child keys in BIP-32. The tweak is
// 32 bytes, big-endian, and may be secret: the time does not depend on it. The result is public.
//
// There is an error if the tweak is not below n, if the result is infinity, or if k holds no key.
func (k *PublicKey) TweakAdd(tweak []byte) (*PublicKey, error) {
	//ct:leak len(tweak) == 32 && tweak[31]&1 == 1
	return tweakAdd(k.affine(), tweak)
}

// tweakAdd does the work of TweakAdd for the point a of a key. a is nil if there is no key.
func tweakAdd(a *point.Affine, tweak []byte) (*PublicKey, error) {
	if a == nil {
		return nil, ErrZeroKey
	}
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

// publish sets k to the key with the point r, in constant time. It overwrites r, because r's
// denominator depends on the tweak. It reports whether r is finite; if r is infinity, k keeps its
// value. The point, and whether it is finite, become public.
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

// TweakMul returns the key tweak·k. The tweak is 32 bytes, big-endian, and may be secret: the time
// does not depend on it. The result is public.
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

// TweakAdd returns the point k + tweak·G. If the tweak is hash_TapTweak(k ‖ root), this is
// taproot_tweak_pubkey of BIP-341: the output key is XOnlyPublicKey of the result, and the parity
// bit of a script path is 0 if the result HasEvenY, and 1 otherwise. The tweak is 32 bytes,
// big-endian, and may be secret: the time does not depend on it. The result is public.
//
// There is an error if the tweak is not below n, if the result is infinity, or if k holds no key.
func (k *XOnlyPublicKey) TweakAdd(tweak []byte) (*PublicKey, error) {
	return tweakAdd(k.affine(), tweak)
}

// loadWithTweak sets d to the secret number of k, and t to the tweak. If there is an error, both
// are zero.
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

// tweaked returns the private key with the number d, or an error if d is zero. It overwrites d and
// the tweak t.
func tweaked(d, t *scalar.Scalar) (*PrivateKey, error) {
	t.Wipe()
	if d.IsZero().Reveal() {
		return nil, errTweakedZero
	}
	return newPrivateKey(d), nil
}

// checkTweak returns an error if the tweak does not have 32 bytes.
func checkTweak(tweak []byte) error {
	if len(tweak) != 32 {
		return fmt.Errorf("koblitz: tweak: %d bytes, want 32", len(tweak))
	}
	return nil
}

// setTweak sets t to the number of the tweak, 32 bytes, big-endian. It returns an error if the
// number is not below n.
func setTweak(t *scalar.Scalar, tweak []byte) error {
	if !t.SetBytes((*[32]byte)(tweak)).Reveal() {
		t.Wipe()
		return errTweakRange
	}
	return nil
}
