package schnorr

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
)

// A signature that does not belong to the key's public key, as after a fault,
// does not get out of Sign; SignUnchecked is what its name says.
func TestSignFindsFaults(t *testing.T) {
	k, other := koblitz.GenerateKey(), koblitz.GenerateKey()
	(*keys.Private)(k).Public().SetAffine((*keys.Public)(other.PublicKey()).Affine())
	if sig, err := Sign(k, nil, nil); sig != nil || err != errFault {
		t.Errorf("Sign with a fault = %x, %v", sig, err)
	}
	if sig, err := AppendSign(nil, k, nil, nil); sig != nil || err != errFault {
		t.Errorf("AppendSign with a fault = %x, %v", sig, err)
	}
	if sig, err := SignUnchecked(k, nil, nil); err != nil || Verify(k.XOnlyPublicKey(), nil, sig) {
		t.Errorf("SignUnchecked with a fault = %x, %v", sig, err)
	}
}
