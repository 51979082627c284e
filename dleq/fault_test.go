package dleq

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// TestFault flips bits of the stored values between any two steps of a proof. There must be an
// error, or the proof of a run without a fault.
func TestFault(t *testing.T) {
	key, b := koblitz.GenerateKey(), koblitz.GenerateKey().PublicKey()
	aux, ones := make([]byte, 32), bytes.Repeat([]byte{1}, 32)
	for _, o := range []*Options{
		{Aux: aux, Message: ones}, {Aux: aux, G: koblitz.GenerateKey().PublicKey()},
	} {
		statement, want, err := Prove(key, b, o)
		if err != nil {
			t.Fatal(err)
		}
		g := new(point.Affine)
		if err := generator(g, o.G); err != nil {
			t.Fatal(err)
		}
		secrettest.Faults(t, func() secrettest.Computation {
			p := prover{
				key: (*keys.Private)(key), o: o, message: bytes.Clone(o.Message),
				B: *(*keys.Public)(b).Affine(), G: *g,
			}
			return secrettest.Computation{
				Steps: secrettest.Steps(
					p.load,
					func() bool { p.mult(&p.A, &p.C, &p.a); return true },
					p.derive,
					func() bool { p.mult(&p.R1, &p.R2, &p.k); return true },
					func() bool { p.respond(); return true },
					p.agrees,
					func() bool {
						s := *statement
						s.A, s.C, s.Message = new(koblitz.PublicKey), new(koblitz.PublicKey), p.message
						(*keys.Public)(s.A).SetAffine(&p.A)
						(*keys.Public)(s.C).SetAffine(&p.C)
						return Verify(&s, p.proof[:]) == nil
					},
				),
				Bits: func(int) (all secrettest.Bits) {
					for _, number := range []*scalar.Scalar{&p.a, &p.k} {
						all.AddEvery(37, "a or k", number)
					}
					for _, q := range []*point.Affine{&p.A, &p.B, &p.C, &p.G, &p.R1, &p.R2} {
						all.AddEvery(37, "point", q)
					}
					all.AddEvery(37, "r", &p.r)
					all.AddEvery(37, "message", p.message)
					all.AddEvery(37, "proof", &p.proof)
					return all
				},
				Right: func(int) bool { return bytes.Equal(p.proof[:], want) },
			}
		})
	}
}

// TestFaultInKey checks that a proof that does not verify, because the stored number of the key has
// changed during the call, is not returned.
func TestFaultInKey(t *testing.T) {
	key, other := koblitz.GenerateKey(), koblitz.GenerateKey()
	p := prover{
		key: (*keys.Private)(key), o: &Options{Aux: make([]byte, 32)},
		B: *(*keys.Public)(other.PublicKey()).Affine(),
	}
	p.G.SetGenerator()
	p.load()
	p.mult(&p.A, &p.C, &p.a)
	p.derive()
	right := p.agrees()
	p.key = (*keys.Private)(other)
	if !right || p.agrees() {
		t.Error("agrees does not compare the keys")
	}
}
