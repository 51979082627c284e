//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind && !goexperiment.runtimesecret

package musig2

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// TestDepth checks that the secret steps of Sign and DeterministicSign use no more stack than
// package secret wipes. The verification after them needs more, of public values, so the test of
// package secret cannot measure the exported functions.
func TestDepth(t *testing.T) {
	key := koblitz.GenerateKey()
	private := (*keys.Private)(key)
	signer := private.Public().Affine()
	nonce := reference.Must(GenerateNonce(key, nil))
	aggregate := reference.Must(AggregateKeys(key.PublicKey(), koblitz.GenerateKey().PublicKey()))
	others := reference.Must(AggregateNonces(nonce.PublicNonce()))
	session := reference.Must(NewSession(aggregate, others, []byte("message")))
	var c, sig scalar.Scalar
	session.values.Factor(&c, &aggregate.signers.coefficients[0])
	cputest.Run(t, func(t *testing.T) {
		secrettest.CheckDepth(t, "Sign", func() (err error) {
			nonce, err = GenerateNonce(key, nil)
			return err
		}, func() error {
			return session.sign(&sig, nonce.state(), private, &c)
		})
		for _, random := range [][]byte{nil, make([]byte, 32)} {
			secrettest.CheckDepth(t, "DeterministicSign", func() error { return nil }, func() error {
				d := deterministic{private, aggregate, others, []byte("message"), random}
				_, err := newNonce(private, signer, d.derive)
				return err
			})
		}
	}, cputest.Portable, cputest.Registers(), cputest.AVX2, cputest.LanesAVX2, cputest.LanesAVXIFMA,
		cputest.AVX512F, cputest.LanesFMA, cputest.Lanes)
}
