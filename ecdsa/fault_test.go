package ecdsa

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A signature that does not belong to the key's public key, as after a fault,
// does not get out of the checked functions.
func TestSignCheckedFindsFaults(t *testing.T) {
	hash, dst := make([]byte, 32), []byte("dst")
	for name, sign := range map[string]func(*koblitz.PrivateKey) ([]byte, error){
		"SignChecked": func(k *koblitz.PrivateKey) ([]byte, error) {
			sig, err := SignChecked(k, hash)
			return append(dst, sig.Bytes()...), err
		},
		"AppendSignChecked": func(k *koblitz.PrivateKey) ([]byte, error) { return AppendSignChecked(dst, k, hash) },
		"SignRecoverableChecked": func(k *koblitz.PrivateKey) ([]byte, error) {
			sig, err := SignRecoverableChecked(k, hash)
			return append(dst, sig...), err
		},
		"AppendSignRecoverableChecked": func(k *koblitz.PrivateKey) ([]byte, error) {
			return AppendSignRecoverableChecked(dst, k, hash)
		},
	} {
		k, other := koblitz.GenerateKey(), koblitz.GenerateKey()
		if b, err := sign(k); len(b) < 3+64 || err != nil {
			t.Errorf("%s = %x, %v", name, b, err)
		}
		(*keys.Private)(k).Public().SetAffine((*keys.Public)(other.PublicKey()).Affine())
		if b, err := sign(k); string(b) != "dst" || err != errFault {
			t.Errorf("%s with a fault = %x, %v", name, b, err)
		}
	}
}

// A blinded key signs through its blinding: with one that is broken no
// signature comes out right.
func TestSignIsBlinded(t *testing.T) {
	unblinded := koblitz.GenerateKey()
	unblinded.PublicKey()
	b := ecmult.NewBlinding(new(scalar.Scalar).SetUint64(5))
	k := koblitz.PrivateKey((*keys.Private)(unblinded).Blinded(b))
	if _, err := SignChecked(&k, make([]byte, 32)); err != nil {
		t.Fatal(err)
	}
	b.Wipe()
	if _, err := SignChecked(&k, make([]byte, 32)); err != errFault {
		t.Errorf("the blinding is not used: %v", err)
	}
}
