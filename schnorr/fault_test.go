package schnorr

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// TestFault flips bits of the stored values between any two steps of signing. There must be an
// error, or the signature of a signing without a fault: the same key, message and auxiliary
// randomness with two nonces, or one nonce with two challenges, can reveal the key.
func TestFault(t *testing.T) {
	key := koblitz.GenerateKey()
	k := (*keys.Private)(key)
	pub, o := k.Public(), &SignOptions{Aux: make([]byte, 32)}
	for _, size := range []int{32, 1000} {
		msg := make([]byte, size)
		want, err := Sign(key, msg, o)
		if err != nil {
			t.Fatal(err)
		}
		secrettest.Faults(t, func() secrettest.Computation {
			var s signing
			return secrettest.Computation{
				Steps: secrettest.Steps(
					func() bool { return s.load(k, pub, o.Aux) },
					func() bool { return s.nonce(msg, o.Aux) },
					func() bool { s.multiply(nil); return true },
					func() bool { return s.respond(msg, o.Aux, true) },
					func() bool { return check(pub, msg, &s.sig) },
				),
				Bits: func(int) (all secrettest.Bits) {
					all.AddEvery(5, "signing", &s)
					return all
				},
				Right: func(int) bool { return s.sig == [64]byte(want) },
			}
		})
	}
}

// flip changes a bit of *v, counted from its beginning.
func flip[T any](v *T, bit int) {
	unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))[bit/8] ^= 1 << (bit % 8)
}

// TestFaultInKey changes each bit of the private key, of the stored public key and of the blinding
// before signing. A signature that does not verify under the public key is returned only if
// Unchecked is set.
func TestFaultInKey(t *testing.T) {
	private := koblitz.GenerateKey()
	public := *(*keys.Private)(private).Public().Affine()
	var d scalar.Scalar
	(*keys.Private)(private).Load(&d)
	sign := func(name string, bit int, k keys.Private) {
		t.Helper()
		key := koblitz.PrivateKey(k)
		o := &SignOptions{Aux: make([]byte, 32)}
		if sig, err := Sign(&key, nil, o); sig != nil || err != errFault {
			t.Fatalf("Sign with bit %d of the %s changed = %x, %v", bit, name, sig, err)
		}
		if sig, err := AppendSign(nil, &key, nil, o); sig != nil || err != errFault {
			t.Fatalf("AppendSign with bit %d of the %s changed = %x, %v", bit, name, sig, err)
		}
		o.Unchecked = true
		if sig, err := Sign(&key, nil, o); len(sig) != 64 || err != nil {
			t.Fatalf("Sign, unchecked, with bit %d of the %s changed = %x, %v", bit, name, sig, err)
		}
	}
	right := keys.New(&d)
	unchanged := koblitz.PrivateKey(right.Blinded(
		ecmult.NewBlinding(new(scalar.Scalar).SetUint64(5))))
	if _, err := Sign(&unchanged, nil, &SignOptions{Aux: make([]byte, 32)}); err != nil {
		t.Fatal(err)
	}
	for bit := range 256 {
		faulty := d
		flip(&faulty, bit)
		k := keys.New(&faulty)
		k.Public().SetAffine(&public)
		sign("private key", bit, k)
	}
	for bit := range 8 * int(unsafe.Sizeof(public)) {
		k := keys.New(&d)
		faulty := public
		flip(&faulty, bit)
		*k.Public().Affine() = faulty
		sign("public key", bit, k)
	}
	for bit := range 8 * int(unsafe.Sizeof(ecmult.Blinding{})) {
		b := ecmult.NewBlinding(new(scalar.Scalar).SetUint64(5))
		flip(b, bit)
		k := keys.New(&d)
		k.Public()
		sign("blinding", bit, k.Blinded(b))
	}
}

// TestSignIsBlinded checks that signing with a blinded key uses the key's Blinding: with a wrong
// Blinding, every signature must be wrong.
func TestSignIsBlinded(t *testing.T) {
	unblinded := koblitz.GenerateKey()
	unblinded.PublicKey()
	b := ecmult.NewBlinding(new(scalar.Scalar).SetUint64(5))
	k := koblitz.PrivateKey((*keys.Private)(unblinded).Blinded(b))
	if _, err := Sign(&k, nil, nil); err != nil {
		t.Fatal(err)
	}
	*b = ecmult.Blinding{}
	if _, err := Sign(&k, nil, nil); err != errFault {
		t.Errorf("the blinding is not used: %v", err)
	}
}

// TestChangingMessage signs messages that change when they are read a second time. There must be an
// error, or the signature of the first content.
func TestChangingMessage(t *testing.T) {
	key := koblitz.GenerateKey()
	for _, unchecked := range []bool{false, true} {
		o := &SignOptions{Aux: make([]byte, 32), Unchecked: unchecked}
		for _, n := range []int{1, 32, 1000} {
			first, second := make([]byte, n), make([]byte, n)
			second[n-1] = 1
			want, err := Sign(key, first, o)
			if err != nil {
				t.Fatal(err)
			}
			changing.Each(t, first, second, func(b []byte) {
				sig, err := Sign(key, b, o)
				if err == nil && !bytes.Equal(sig, want) || err != nil && err != errFault {
					t.Errorf("%d bytes, unchecked %v: %x, %v", n, unchecked, sig, err)
				}
			})
		}
	}
}
