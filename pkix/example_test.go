package pkix_test

import (
	"crypto/sha256"
	"fmt"

	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/pkix"
)

// The key was made by openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1.
func Example() {
	file := []byte(`-----BEGIN PRIVATE KEY-----
MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgAQIDBAUGBwgJCgsMDQ4P
EBESExQVFhcYGRobHB0eHyChRANCAASEv3ViJiu9aUAIV0jzvmr6Uq4xcVUYHs4x
tmNRzP+ksIzEPWOyhZ1Gn+4V8xye21MkJm5v0EB+hzgtYPxFEazY
-----END PRIVATE KEY-----
`)
	key, err := pkix.ParsePrivateKeyPEM(file)
	clear(file)
	if err != nil {
		panic(err)
	}
	hash := sha256.Sum256([]byte("the message"))
	sig, err := ecdsa.Sign(key, hash[:], nil)
	if err != nil {
		panic(err)
	}
	// openssl dgst -sha256 -verify FILE -signature FILE takes this key and sig.DER().
	public, err := pkix.MarshalPublicKeyPEM(key.PublicKey())
	if err != nil {
		panic(err)
	}
	fmt.Print(ecdsa.Verify(key.PublicKey(), hash[:], sig), "\n", string(public))
	// Output:
	// true
	// -----BEGIN PUBLIC KEY-----
	// MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEhL91YiYrvWlACFdI875q+lKuMXFVGB7O
	// MbZjUcz/pLCMxD1jsoWdRp/uFfMcnttTJCZub9BAfoc4LWD8RRGs2A==
	// -----END PUBLIC KEY-----
}
