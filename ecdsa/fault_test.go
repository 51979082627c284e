package ecdsa

import (
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// TestSignFindsFaults checks that a signature that does not verify under the signer's public key,
// as after a fault, is returned only if Unchecked is set.
func TestSignFindsFaults(t *testing.T) {
	hash, dst := make([]byte, 32), []byte("dst")
	for name, sign := range map[string]func(*koblitz.PrivateKey, *SignOptions) ([]byte, error){
		"Sign": func(k *koblitz.PrivateKey, o *SignOptions) ([]byte, error) {
			sig, err := Sign(k, hash, o)
			return append(dst, sig.Bytes()...), err
		},
		"AppendSign": func(k *koblitz.PrivateKey, o *SignOptions) ([]byte, error) {
			return AppendSign(dst, k, hash, o)
		},
		"SignRecoverable": func(k *koblitz.PrivateKey, o *SignOptions) ([]byte, error) {
			sig, err := SignRecoverable(k, hash, o)
			return append(dst, sig...), err
		},
		"AppendSignRecoverable": func(k *koblitz.PrivateKey, o *SignOptions) ([]byte, error) {
			return AppendSignRecoverable(dst, k, hash, o)
		},
	} {
		k, other := koblitz.GenerateKey(), koblitz.GenerateKey()
		if b, err := sign(k, nil); len(b) < 3+64 || err != nil {
			t.Errorf("%s = %x, %v", name, b, err)
		}
		(*keys.Private)(k).Public().SetAffine((*keys.Public)(other.PublicKey()).Affine())
		b, err := sign(k, &SignOptions{Entropy: []byte{1}})
		if string(b) != "dst" || err != errFault {
			t.Errorf("%s with a fault = %x, %v", name, b, err)
		}
		if b, err := sign(k, &SignOptions{Unchecked: true}); len(b) < 3+64 || err != nil {
			t.Errorf("%s, unchecked, with a fault = %x, %v", name, b, err)
		}
	}
}

// TestFaultInKey changes each bit of the private key, of the stored public key and of the blinding
// before signing. The result must be an error. TestFault of internal/dsa changes the values between
// the steps of signing.
func TestFaultInKey(t *testing.T) {
	private := koblitz.GenerateKey()
	public := *(*keys.Private)(private).Public().Affine()
	var d scalar.Scalar
	(*keys.Private)(private).Load(&d)
	sign := func(name string, bit int, k keys.Private) {
		t.Helper()
		key := koblitz.PrivateKey(k)
		if sig, err := Sign(&key, make([]byte, 32), nil); sig != nil || err != errFault {
			t.Fatalf("Sign with bit %d of the %s changed = %x, %v", bit, name, sig, err)
		}
	}
	right := keys.New(&d)
	unchanged := koblitz.PrivateKey(right.Blinded(
		ecmult.NewBlinding(new(scalar.Scalar).SetUint64(5))))
	if _, err := Sign(&unchanged, make([]byte, 32), nil); err != nil {
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

// flip changes a bit of *v, counted from its beginning.
func flip[T any](v *T, bit int) {
	unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))[bit/8] ^= 1 << (bit % 8)
}

// TestSignIsBlinded checks that signing with a blinded key uses the key's Blinding: with a wrong
// Blinding, every signature must be wrong.
func TestSignIsBlinded(t *testing.T) {
	unblinded := koblitz.GenerateKey()
	unblinded.PublicKey()
	b := ecmult.NewBlinding(new(scalar.Scalar).SetUint64(5))
	k := koblitz.PrivateKey((*keys.Private)(unblinded).Blinded(b))
	if _, err := Sign(&k, make([]byte, 32), nil); err != nil {
		t.Fatal(err)
	}
	*b = ecmult.Blinding{}
	if _, err := Sign(&k, make([]byte, 32), nil); err != errFault {
		t.Errorf("the blinding is not used: %v", err)
	}
}
