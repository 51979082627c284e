package musig2

import "testing"

func done[T any](_ T, err error) bool { return err == nil }

// Benchmark measures the steps of sessions, and the cost that dishonest signers cause.
func Benchmark(b *testing.B) {
	p, four, many := newParty(3, make([]byte, 32), nil), newParty(4, nil, nil), newParty(100, nil, nil)
	three, fours, valid := p.sign(), four.sign(), many.sign()
	one := append([]*PartialSignature{valid[1]}, valid[1:]...)
	all := append(valid[1:], valid[0])
	for name, f := range map[string]func() bool{
		"AggregateKeys of 3": func() bool { return done(AggregateKeys(p.public...)) },
		"GenerateNonce":      func() bool { return done(GenerateNonce(p.private[0], nil)) },
		"NewSession":         func() bool { return done(NewSession(p.key, p.sum, p.msg)) },
		"VerifyPartial":      func() bool { return p.session.VerifyPartial(1, three[1], p.nonces[1]) },
		"VerifyAll of 3":     func() bool { return p.session.VerifyAll(three, p.nonces) == nil },
		"VerifyAll of 4":     func() bool { return four.session.VerifyAll(fours, four.nonces) == nil },
		"VerifyAll, 1 of 100 wrong": func() bool {
			return many.session.VerifyAll(one, many.nonces) != nil
		},
		"VerifyAll, all of 100 wrong": func() bool {
			return many.session.VerifyAll(all, many.nonces) != nil
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !f() {
					b.Fatal("another result")
				}
			}
		})
	}
}
