package musig2

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

func BenchmarkAggregateKeys(b *testing.B) {
	p := newParty(3, nil, nil)
	b.ReportAllocs()
	for b.Loop() {
		reference.Must(AggregateKeys(p.public...))
	}
}

func BenchmarkGenerateNonce(b *testing.B) {
	key := privateKey(0)
	b.ReportAllocs()
	for b.Loop() {
		reference.Must(GenerateNonce(key, nil))
	}
}

func BenchmarkNewSession(b *testing.B) {
	p := newParty(3, make([]byte, 32), nil)
	for b.Loop() {
		reference.Must(NewSession(p.key, p.sum, p.msg))
	}
}

func BenchmarkVerifyPartial(b *testing.B) {
	p := newParty(3, make([]byte, 32), nil)
	sigs := p.sign()
	for b.Loop() {
		if !p.session.VerifyPartial(1, sigs[1], p.nonces[1]) {
			b.Fatal("not valid")
		}
	}
}

func BenchmarkVerifyAll(b *testing.B) {
	for name, n := range map[string]int{"3": 3, "4": 4} {
		p := newParty(n, make([]byte, 32), nil)
		sigs := p.sign()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := p.session.VerifyAll(sigs, p.nonces); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkVerifyAllInvalid measures the cost that dishonest signers cause.
func BenchmarkVerifyAllInvalid(b *testing.B) {
	p := newParty(100, make([]byte, 32), nil)
	valid := p.sign()
	one := append([]*PartialSignature{valid[1]}, valid[1:]...)
	all := append(valid[1:], valid[0])
	for name, sigs := range map[string][]*PartialSignature{"one": one, "all": all} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if p.session.VerifyAll(sigs, p.nonces) == nil {
					b.Fatal("valid")
				}
			}
		})
	}
}
