package dleq

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
)

// TestFault changes bits of the stored values between any two steps of a proof, as a fault of the
// machine would. The result must be an error, or the proof of a run without a fault.
func TestFault(t *testing.T) {
	key, b := koblitz.GenerateKey(), koblitz.GenerateKey().PublicKey()
	k := (*keys.Private)(key)
	aux, ones := make([]byte, 32), bytes.Repeat([]byte{1}, 32)
	for _, o := range []*Options{
		{Aux: aux, Message: ones}, {Aux: aux, G: koblitz.GenerateKey().PublicKey()},
	} {
		statement, want, err := Prove(key, b, o)
		if err != nil {
			t.Fatal(err)
		}
		g := *(*keys.Public)(b).Affine()
		if o.G == nil {
			g.SetGenerator()
		} else {
			g = *(*keys.Public)(o.G).Affine()
		}
		type values struct {
			prover
			message [32]byte
		}
		size := len(o.Message)
		steps := []func(p *values) bool{
			func(p *values) bool { return p.load(k, o) },
			func(p *values) bool { p.state(k, o); return true },
			func(p *values) bool { return p.derive(&p.k, p.message[:size]) },
			func(p *values) bool { p.commit(k, o); return true },
			func(p *values) bool { p.challenge(p.message[:size]); return true },
			func(p *values) bool { p.respond(); return true },
			func(p *values) bool { return p.agrees(k, p.message[:size], o) },
			func(p *values) bool {
				s := *statement
				s.A, s.C, s.Message = new(koblitz.PublicKey), new(koblitz.PublicKey), p.message[:size]
				(*keys.Public)(s.A).SetAffine(&p.A)
				(*keys.Public)(s.C).SetAffine(&p.C)
				return Verify(&s, p.proof[:]) == nil
			},
		}
		good := 0
		for fault := range len(steps) { // the step before which a bit changes
			for bit := fault; bit < 8*int(unsafe.Sizeof(values{})); bit += 23 {
				p := values{prover: prover{B: *(*keys.Public)(b).Affine(), G: g}}
				copy(p.message[:], o.Message)
				ok := true
				for i := 0; i < len(steps) && ok; i++ {
					if i == fault {
						m := unsafe.Slice((*byte)(unsafe.Pointer(&p)), unsafe.Sizeof(p))
						m[bit/8] ^= 1 << (bit % 8)
					}
					ok = steps[i](&p)
				}
				if !ok {
					continue
				}
				good++
				if !bytes.Equal(p.proof[:], want) {
					t.Fatalf("step %d, bit %d: another valid proof", fault, bit)
				}
			}
		}
		if good == 0 {
			t.Error("every change gives an error")
		}
	}
}

// TestFaultInKey checks that a proof that does not verify, because the stored number of the key has
// changed during the call, is not returned.
func TestFaultInKey(t *testing.T) {
	key, other := koblitz.GenerateKey(), koblitz.GenerateKey()
	o := &Options{Aux: make([]byte, 32)}
	p := prover{B: *(*keys.Public)(other.PublicKey()).Affine()}
	p.G.SetGenerator()
	p.load((*keys.Private)(key), o)
	p.state((*keys.Private)(key), o)
	p.derive(&p.k, nil)
	if !p.agrees((*keys.Private)(key), nil, o) || p.agrees((*keys.Private)(other), nil, o) {
		t.Error("agrees does not compare the keys")
	}
}
