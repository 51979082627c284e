package schnorr

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/reference"
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
		want := reference.Must(Sign(key, msg, o))
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

// TestFaultInKey checks that signing returns an error after each fault in the key, unless Unchecked
// is set.
func TestFaultInKey(t *testing.T) {
	for name, sign := range map[string]func(
		key *koblitz.PrivateKey, msg []byte, o *SignOptions,
	) ([]byte, error){
		"Sign": Sign,
		"sign": func(key *koblitz.PrivateKey, msg []byte, o *SignOptions) ([]byte, error) {
			var sig [64]byte
			err := sign(&sig, key, msg, o)
			if sig == [64]byte{} {
				return nil, err
			}
			return sig[:], err
		},
	} {
		secrettest.KeyFaults(t, errFault, func(k *keys.Private) error {
			key, o := (*koblitz.PrivateKey)(k), &SignOptions{Aux: make([]byte, 32), Unchecked: true}
			if sig, err := sign(key, nil, o); len(sig) != 64 || err != nil {
				t.Fatalf("%s, unchecked: %x, %v", name, sig, err)
			}
			o.Unchecked = false
			sig, err := sign(key, nil, o)
			if (sig == nil) == (err == nil) {
				t.Fatalf("%s: %x, %v", name, sig, err)
			}
			return err
		})
	}
}
