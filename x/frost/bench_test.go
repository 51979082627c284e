package frost_test

import (
	"testing"

	"github.com/koblitz-go/koblitz/x/frost"
)

// hundred returns a round of 100 signers of 150, any 67 of whom can sign.
func hundred(b *testing.B) (*round, [][]byte) {
	p := newParty(b, 67, 150)
	var ids []uint32
	for id := range 100 {
		ids = append(ids, uint32(id))
	}
	r := newRound(b, p, "message", nil, ids...)
	return r, r.sign(b)
}

func BenchmarkVerifyPartials(b *testing.B) {
	r, partials := hundred(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := r.session.VerifyPartials(r.public, partials); err != nil {
			b.Fatal(err)
		}
	}
}

// One wrong partial signature of a hundred.
func BenchmarkBlame(b *testing.B) {
	r, partials := hundred(b)
	partials[50] = partials[51]
	for b.Loop() {
		if err := r.session.VerifyPartials(r.public, partials); err == nil {
			b.Fatal("no error")
		}
	}
}

func BenchmarkNewSigners(b *testing.B) {
	r, _ := hundred(b)
	keys, id := r.party.shares, r.ids
	_ = keys
	for b.Loop() {
		r.party.signers(b, id...)
	}
}

func BenchmarkSign(b *testing.B) {
	r, _ := hundred(b)
	for b.Loop() {
		b.StopTimer()
		nonce, err := frost.GenerateNonce(nil)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := r.session.Sign(nonce, 0, r.party.shares[0]); err != nil {
			b.Fatal(err)
		}
	}
}
