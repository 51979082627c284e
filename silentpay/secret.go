package silentpay

import (
	"errors"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// KMax is K_max of BIP-352: the largest number of outputs of one transaction for one scan key. A
// sender must not make more of them, and a receiver does not look for more.
const KMax = 2323

// The BIP has a sender or receiver fail if a hash is no number in [1, n), or a sum is infinity.
// Both happen about once in 2^128 times.
var (
	errTweak    = errors.New("silentpay: t_k is zero, or not below the group order n")
	errLabel    = errors.New("silentpay: the tweak of a label is zero, or not below the group order n")
	errInfinity = errors.New("silentpay: an output or a labeled spend key is infinity")
)

var errFault = errors.New("silentpay: a fault in the computation")

// A sharedSecret is the compressed point ecdh_shared_secret of a sender and a receiver. Values are
// created by newSharedSecret and wiped after use.
type sharedSecret [33]byte

// newSharedSecret returns zeros on the heap. On the stack, the shared secret would be copied when
// the stack grows, and the old stack is not wiped.
//
//go:noinline
func newSharedSecret() *sharedSecret { return new(sharedSecret) }

// set sets s to the product of a private key and p. The error is [koblitz.ErrZeroKey] if there is
// no key, and errFault after a fault that changed the key or p: the product could reveal the key,
// most easily if it is on another curve.
func (s *sharedSecret) set(key *keys.Private, p *point.Affine) (err error) {
	secret.DoDeep(func() {
		var k scalar.Scalar
		if !key.Load(&k) { //ct:unrun when another goroutine wipes the key meanwhile
			err = koblitz.ErrZeroKey
			return
		}
		var r point.Jacobian
		ecmult.ScalarMult(&r, &k, p)
		var a point.Affine
		a.SetJacobian(&r) // r is finite: 0 < k < n, and n is prime
		r.Wipe()
		*s = compress(&a)
		//ct:secret s[32]&1 == 1
		if !a.IsOnCurve().Reveal() || !key.Unchanged(&k) { //ct:unrun no case makes a fault
			s.wipe()
			err = errFault
		}
		k.Wipe()
		a.Wipe()
	})
	return err
}

// tweak sets t to t_k. It returns an error, with negligible probability, if the hash is not the
// encoding of a number in [1, n). It leaves secrets on the stack.
func (s *sharedSecret) tweak(t *scalar.Scalar, k uint32) error {
	var digest [32]byte
	hash.SharedSecret(&digest, (*[33]byte)(s), k)
	ok := t.SetNonzeroBytes(&digest).Reveal()
	ct.Wipe(digest[:])
	if !ok { //ct:unrun for about one of 2^128 tweaks
		t.Wipe()
		return errTweak
	}
	return nil
}

// output sets p to base + t_k·G, which becomes public: a transaction may contain it.
func (s *sharedSecret) output(p, base *point.Affine, k uint32) (err error) {
	secret.DoDeep(func() {
		var t scalar.Scalar
		if err = s.tweak(&t, k); err != nil { //ct:unrun for about one of 2^128 tweaks
			return
		}
		err = addBaseMult(p, base, &t)
		t.Wipe()
	})
	return err
}

// wipe overwrites s with zeros.
func (s *sharedSecret) wipe() { ct.Wipe(s[:]) }

// addBaseMult sets p to base + t·G, which becomes public. It returns an error if the sum is
// infinity. It leaves secrets on the stack.
func addBaseMult(p, base *point.Affine, t *scalar.Scalar) error {
	//ct:secret t.IsOdd().Bool()
	var r point.Jacobian
	ecmult.ScalarBaseMult(&r, t)
	r.AddMixed(&r, base)
	finite := p.SetJacobian(&r).Reveal()
	r.Wipe()
	p.Declassify()
	if !finite { //ct:unrun for about one of 2^256 tweaks
		return errInfinity
	}
	return nil
}

// baseMult sets p to t·G, which becomes public. t is not zero. It leaves secrets on the stack.
func baseMult(p *point.Affine, t *scalar.Scalar) {
	var r point.Jacobian
	ecmult.ScalarBaseMult(&r, t)
	p.SetJacobian(&r)
	r.Wipe()
	p.Declassify()
}

// labelTweak sets t to hash_BIP0352/Label(ser256(b_scan) ‖ ser32(m)), where scan is b_scan. It
// leaves secrets on the stack.
func labelTweak(t, scan *scalar.Scalar, m uint32) error {
	var b [32]byte
	scan.PutBytes(&b)
	hash.Label(&b, &b, m)
	//ct:secret b[0]&1 == 1
	ok := t.SetNonzeroBytes(&b).Reveal()
	ct.Wipe(b[:])
	if !ok { //ct:unrun for about one of 2^128 labels
		t.Wipe()
		return errLabel
	}
	return nil
}
