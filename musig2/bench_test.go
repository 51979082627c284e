package musig2

import "testing"

func BenchmarkAggregateKeys(b *testing.B) {
	for _, n := range []int{3, 1000} {
		p := newParty(min(n, 100), nil, nil)
		for len(p.public) < n {
			p.public = append(p.public, privateKey(len(p.public)).PublicKey())
		}
		b.Run(map[int]string{3: "3", 1000: "1000"}[n], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must(AggregateKeys(p.public...))
			}
		})
	}
}

// BenchmarkRound measures one signer's part of a session of three signers whose aggregate key and
// aggregate nonce are known.
func BenchmarkRound(b *testing.B) {
	p := newParty(3, make([]byte, 32), nil)
	b.ReportAllocs()
	for b.Loop() {
		nonce := must(GenerateNonce(p.private[0], nil))
		must(must(NewSession(p.key, p.sum, p.msg)).Sign(nonce, p.private[0]))
	}
}

func BenchmarkGenerateNonce(b *testing.B) {
	key := privateKey(0)
	b.ReportAllocs()
	for b.Loop() {
		must(GenerateNonce(key, nil))
	}
}

func BenchmarkNewSession(b *testing.B) {
	p := newParty(3, make([]byte, 32), nil)
	for b.Loop() {
		must(NewSession(p.key, p.sum, p.msg))
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
	for name, n := range map[string]int{"3": 3, "4": 4, "100": 100} {
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
