package koblitz

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/hash"
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
	errFault       = errors.New("koblitz: tweak: a fault in the computation")
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

// TaprootTweak returns the private key that spends a taproot output by its key path
// (taproot_tweak_seckey of BIP-341). Its public key is that of
// k.XOnlyPublicKey().TaprootTweak(merkleRoot). merkleRoot is the 32 bytes of the Merkle root of the
// output's scripts, or empty if the output has no scripts. The time depends neither on k nor on
// merkleRoot.
//
// There is an error if merkleRoot has another length, if k holds no key, or, with negligible
// probability, if the tweak is not below n or the tweaked key is zero.
func (k *PrivateKey) TaprootTweak(merkleRoot []byte) (*PrivateKey, error) {
	p := (*keys.Private)(k).Public()
	if p == nil {
		return nil, ErrZeroKey
	}
	if err := checkMerkleRoot(merkleRoot); err != nil {
		return nil, err
	}
	var tweak [32]byte
	p.Affine().X.PutBytes(&tweak)
	secret.Do(func() { hash.TapTweak(&tweak, &tweak, merkleRoot) })
	tweaked, err := k.unblindedTweak(tweak[:], false, p.OddY())
	ct.Wipe(tweak[:]) // before blindedLike, which may move the stack
	return tweaked.blindedLike(k), err
}

// checkMerkleRoot returns an error if root has neither 0 nor 32 bytes.
func checkMerkleRoot(root []byte) error {
	if len(root) != 0 && len(root) != 32 {
		return fmt.Errorf("koblitz: taproot: Merkle root: %d bytes, want 0 or 32", len(root))
	}
	return nil
}

// tweak returns the key k·tweak if multiply is set. Otherwise it returns tweak - k if negate is 1,
// and k + tweak if negate is 0. The values of multiply and negate are public.
func (k *PrivateKey) tweak(tweak []byte, multiply bool, negate ct.Choice) (*PrivateKey, error) {
	result, err := k.unblindedTweak(tweak, multiply, negate)
	return result.blindedLike(k), err
}

// unblindedTweak does the work of tweak. Its result is not blinded, even if k is.
func (k *PrivateKey) unblindedTweak(
	tweak []byte, multiply bool, negate ct.Choice,
) (*PrivateKey, error) {
	var result *PrivateKey
	var err error
	secret.Do(func() {
		var d, t scalar.Scalar
		if err = setTweak(&t, tweak); err != nil {
			return
		}
		//ct:secret tweak[0] > 7
		live := k.load(&d)
		if multiply {
			d.Mul(&d, &t)
		} else {
			d.CondNeg(&d, negate)
			d.Add(&d, &t)
		}
		t.Wipe()
		switch {
		case !live:
			err = ErrZeroKey
		case d.IsZero().Reveal():
			err = errTweakedZero
		default:
			result = newPrivateKey(&d)
		}
		d.Wipe()
	})
	return result, err
}

// TweakAdd returns the key k + tweak·G, as in the derivation of child keys in BIP-32. The tweak is
// 32 bytes, big-endian, and may be secret: the time does not depend on it. The result is public.
//
// There is an error if the tweak is not below n, if the result is infinity, or if k holds no key.
func (k *PublicKey) TweakAdd(tweak []byte) (*PublicKey, error) {
	//ct:secret len(tweak) == 32 && tweak[31]&1 == 1
	return tweakPublic(k.affine(), tweak, false)
}

// TweakMul returns the key tweak·k. The tweak is 32 bytes, big-endian, and may be secret: the time
// does not depend on it. The result is public.
//
// There is an error if the tweak is zero or not below n, or if k holds no key. There is also an
// error after a fault of the machine that changed k: on another curve the result could reveal the
// tweak.
func (k *PublicKey) TweakMul(tweak []byte) (*PublicKey, error) {
	return tweakPublic(k.affine(), tweak, true)
}

// TweakAdd returns the point k + tweak·G. TaprootTweak computes a taproot output key this way, with
// a tweak that is a hash. The tweak is 32 bytes, big-endian, and may be secret: the time does not
// depend on it. The result is public.
//
// There is an error if the tweak is not below n, if the result is infinity, or if k holds no key.
func (k *XOnlyPublicKey) TweakAdd(tweak []byte) (*PublicKey, error) {
	return tweakPublic(k.affine(), tweak, false)
}

// tweakPublic returns the key tweak·a if multiply is set, and a + tweak·G otherwise. a is the point
// of a key, or nil. The result is public. It is computed in constant time, because the denominator
// of a Jacobian point depends on the tweak.
func tweakPublic(a *point.Affine, tweak []byte, multiply bool) (*PublicKey, error) {
	if a == nil {
		return nil, ErrZeroKey
	}
	k := new(PublicKey)
	var err error
	secret.DoDeep(func() {
		var t scalar.Scalar
		if err = setTweak(&t, tweak); err != nil {
			return
		}
		var r point.Jacobian
		if multiply {
			ecmult.ScalarMult(&r, &t, a)
		} else {
			ecmult.ScalarBaseMult(&r, &t)
			r.AddMixed(&r, a)
		}
		t.Wipe()
		var q point.Affine
		finite := q.SetJacobian(&r).Reveal()
		r.Wipe()
		q.Declassify() // the result
		switch {
		case multiply && finite && !q.IsOnCurve().Bool(): //ct:unrun no case makes a fault
			err = errFault
		case finite:
			(*keys.Public)(k).SetAffine(&q)
		case multiply:
			err = errTweakZero
		default:
			err = errInfinity
		}
	})
	if err != nil {
		return nil, err
	}
	return k, nil
}

// setTweak sets t to the number of the tweak, 32 bytes, big-endian. It returns an error if the
// length is wrong, or if the number is not below n.
func setTweak(t *scalar.Scalar, tweak []byte) error {
	if len(tweak) != 32 {
		return fmt.Errorf("koblitz: tweak: %d bytes, want 32", len(tweak))
	}
	if !t.SetBytes((*[32]byte)(tweak)).Reveal() {
		t.Wipe()
		return errTweakRange
	}
	return nil
}
