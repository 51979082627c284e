package schnorr

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// TestSignFindsFaults checks that a signature that does not verify under the signer's public key,
// as after a fault, is returned only if Unchecked is set.
func TestSignFindsFaults(t *testing.T) {
	k, other := koblitz.GenerateKey(), koblitz.GenerateKey()
	(*keys.Private)(k).Public().SetAffine((*keys.Public)(other.PublicKey()).Affine())
	if sig, err := Sign(k, nil, nil); sig != nil || err != errFault {
		t.Errorf("Sign with a fault = %x, %v", sig, err)
	}
	if sig, err := AppendSign(nil, k, nil, nil); sig != nil || err != errFault {
		t.Errorf("AppendSign with a fault = %x, %v", sig, err)
	}
	sig, err := Sign(k, nil, &SignOptions{Unchecked: true})
	if err != nil || Verify(k.XOnlyPublicKey(), nil, sig) {
		t.Errorf("Sign, unchecked, with a fault = %x, %v", sig, err)
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
