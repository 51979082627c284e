package ecdsa

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A signature that does not belong to the key's public key, as after a fault,
// does not get out if Checked is among the options.
func TestCheckedFindsFaults(t *testing.T) {
	hash, dst := make([]byte, 32), []byte("dst")
	for name, sign := range map[string]func(*koblitz.PrivateKey, ...SignOption) ([]byte, error){
		"Sign": func(k *koblitz.PrivateKey, opts ...SignOption) ([]byte, error) {
			sig, err := Sign(k, hash, opts...)
			return append(dst, sig.Bytes()...), err
		},
		"AppendSign": func(k *koblitz.PrivateKey, opts ...SignOption) ([]byte, error) {
			return AppendSign(dst, k, hash, opts...)
		},
		"SignRecoverable": func(k *koblitz.PrivateKey, opts ...SignOption) ([]byte, error) {
			sig, err := SignRecoverable(k, hash, opts...)
			return append(dst, sig...), err
		},
		"AppendSignRecoverable": func(k *koblitz.PrivateKey, opts ...SignOption) ([]byte, error) {
			return AppendSignRecoverable(dst, k, hash, opts...)
		},
	} {
		k, other := koblitz.GenerateKey(), koblitz.GenerateKey()
		if b, err := sign(k, Checked()); len(b) < 3+64 || err != nil {
			t.Errorf("%s = %x, %v", name, b, err)
		}
		(*keys.Private)(k).Public().SetAffine((*keys.Public)(other.PublicKey()).Affine())
		b, err := sign(k, WithEntropy([]byte{1}), Checked(), CheckedOption{})
		if string(b) != "dst" || err != errFault {
			t.Errorf("%s with a fault = %x, %v", name, b, err)
		}
		if b, err := sign(k, WithEntropy([]byte{1}), CheckedOption{}); len(b) < 3+64 || err != nil {
			t.Errorf("%s, not checked, with a fault = %x, %v", name, b, err)
		}
	}
}

// A blinded key signs through its blinding: with a broken one no signature
// comes out right.
func TestSignIsBlinded(t *testing.T) {
	unblinded := koblitz.GenerateKey()
	unblinded.PublicKey()
	b := ecmult.NewBlinding(new(scalar.Scalar).SetUint64(5))
	k := koblitz.PrivateKey((*keys.Private)(unblinded).Blinded(b))
	if _, err := Sign(&k, make([]byte, 32), Checked()); err != nil {
		t.Fatal(err)
	}
	b.Wipe()
	if _, err := Sign(&k, make([]byte, 32), Checked()); err != errFault {
		t.Errorf("the blinding is not used: %v", err)
	}
}
