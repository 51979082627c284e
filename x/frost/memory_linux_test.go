//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind

package frost

import (
	"crypto/rand"
	"errors"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

func TestMain(m *testing.M) { secrettest.Main(m, operations) }

// TestNothingIsLeft checks that the functions that handle secrets leave none of them in memory, if
// the caller wipes the results.
func TestNothingIsLeft(t *testing.T) { secrettest.CheckMemory(t, operations) }

var operations = []secrettest.Operation{
	{Name: "Deal", Run: func(record func([]byte)) error {
		shares, _, err := dealt(record)
		wipe(shares...)
		return err
	}},
	{Name: "Commitment.Check", Run: func(record func([]byte)) error {
		shares, c, err := dealt(record)
		if err != nil {
			return err
		}
		defer wipe(shares...)
		return errors.Join(c.Check(0, shares[0]), c.Check(2, shares[2]))
	}},
	{Name: "GenerateNonce", Run: func(record func([]byte)) error {
		return withSigners(record, func(_ *Signers, share *koblitz.PrivateKey) error {
			n, err := generated(record, share)
			n.Zeroize()
			return err
		})
	}},
	{Name: "GenerateNonceRFC9591", Run: func(record func([]byte)) error {
		return withSigners(record, func(_ *Signers, share *koblitz.PrivateKey) error {
			n, err := generatedRFC9591(record, share)
			n.Zeroize()
			return err
		})
	}},
	{Name: "Session.Sign", Run: func(record func([]byte)) error {
		return withSigners(record, func(s *Signers, share *koblitz.PrivateKey) error {
			n, err := generated(record, share)
			if err != nil {
				return err
			}
			sum, err := AggregateNonces([]*PublicNonce{n.Public(), n.Public()})
			if err != nil {
				return err
			}
			session, err := NewSession(s, sum, nil, []byte("message"))
			return signed(record, session, err, n, share)
		})
	}},
	{Name: "Session.Sign of RFC 9591", Run: func(record func([]byte)) error {
		return withSigners(record, func(s *Signers, share *koblitz.PrivateKey) error {
			n, err := generatedRFC9591(record, share)
			if err != nil {
				return err
			}
			session, err := NewSessionRFC9591(s, []*PublicNonce{n.Public(), n.Public()}, nil)
			return signed(record, session, err, n, share)
		})
	}},
	{Name: "SignDeterministically", Run: deterministically(nil)},
	{Name: "SignDeterministically with randomness", Run: deterministically(make([]byte, 32))},
	{Name: "KeyGen", Run: func(record func([]byte)) error {
		return generation(record, true)
	}},
	{Name: "KeyGen.Zeroize", Run: func(record func([]byte)) error {
		return generation(record, false)
	}},
	{Name: "Repair", Run: func(record func([]byte)) error {
		shares, c, err := dealt(record)
		if err != nil {
			return err
		}
		defer wipe(shares...)
		helpers := []uint32{0, 2}
		r, err := NewRepair(c, 3, 1, helpers)
		if err != nil {
			return err
		}
		var sums []*RepairPart
		var columns [2][]*RepairPart
		for _, id := range helpers {
			parts, err := r.Parts(id, shares[id])
			if err != nil {
				return err
			}
			for j, p := range parts {
				record(p.secret.Bytes())
				columns[j] = append(columns[j], p)
				defer p.Zeroize()
			}
		}
		for j, parts := range columns {
			sum, err := r.AddParts(helpers[j], parts)
			if err != nil {
				return err
			}
			defer sum.Zeroize()
			encoded := sum.Bytes()
			sent, err := ParseRepairPart(encoded)
			if err != nil {
				return err
			}
			defer sent.Zeroize()
			record(encoded[32:])
			sums = append(sums, sent)
		}
		share, err := r.Share(sums)
		wipe(share)
		return err
	}},
	{Name: "leak: a coefficient", Run: func(record func([]byte)) error {
		kept = newPolynomial(group.RandomScalar(), 2)
		record(kept[1].Bytes())
		return nil
	}},
	{Name: "leak: a nonce that is not used", Run: func(record func([]byte)) error {
		_, err := generated(record, nil)
		return err
	}},
}

var kept polynomial // of a leak

func wipe(keys ...*koblitz.PrivateKey) {
	for _, k := range keys {
		k.Zeroize()
	}
}

// dealt deals a new key to three participants, two of whom can sign. It records the key, the shares
// and the coefficient.
func dealt(record func([]byte)) ([]*koblitz.PrivateKey, *Commitment, error) {
	key := koblitz.GenerateKey()
	defer key.Zeroize()
	shares, c, err := Deal(key, 2, 3)
	if err != nil {
		return nil, nil, err
	}
	record(key.Bytes())
	var a, b group.Scalar
	defer a.Zeroize()
	defer b.Zeroize()
	a.SetPrivateKey(shares[0])
	b.SetPrivateKey(shares[1])
	record(b.Sub(&b, &a).Bytes())
	for _, share := range shares {
		record(share.Bytes())
	}
	return shares, c, nil
}

// withSigners calls f with the first two of three participants, and the secret share of the first.
func withSigners(
	record func([]byte), f func(s *Signers, share *koblitz.PrivateKey) error,
) error {
	shares, c, err := dealt(record)
	if err != nil {
		return err
	}
	defer wipe(shares...)
	key, err := c.PublicKey()
	if err != nil {
		return err
	}
	public := []*koblitz.PublicKey{shares[0].PublicKey(), shares[1].PublicKey()}
	s, err := NewSigners(2, 3, []uint32{0, 1}, public, key)
	if err != nil {
		return err
	}
	return f(s, shares[0])
}

// generated returns a nonce, and records the randomness, the masked share, the extra input and both
// numbers.
func generated(record func([]byte), share *koblitz.PrivateKey) (*SecretNonce, error) {
	random := new([32]byte)
	rand.Read(random[:])
	masked := new([32]byte)
	*masked = *random
	record(append([]byte(nil), random[:]...))
	if share != nil {
		if err := mask(masked, share); err != nil {
			return nil, err
		}
	}
	record(masked[:])
	extra := make([]byte, 32)
	defer clear(extra)
	rand.Read(extra)
	record(append([]byte(nil), extra...))
	n, err := generateNonce(random, &NonceOptions{
		Share: share, Message: NewInput([]byte("message")), Extra: NewInput(extra),
	})
	if err == nil {
		recordPair(record, n.pair.Load())
	}
	return n, err
}

// generatedRFC9591 returns a nonce of RFC 9591, and records the randomness and both numbers.
func generatedRFC9591(record func([]byte), share *koblitz.PrivateKey) (*SecretNonce, error) {
	random := new([2][32]byte)
	for i := range random {
		rand.Read(random[i][:])
		record(append([]byte(nil), random[i][:]...))
	}
	n, err := generateNonceRFC9591(random, share)
	if err == nil {
		recordPair(record, n.pair.Load())
	}
	return n, err
}

func recordPair(record func([]byte), k *noncePair) {
	record(k[0].Bytes())
	record(k[1].Bytes())
}

// signed signs as participant 0, and records the terms of the partial signature.
func signed(
	record func([]byte), s *Session, err error, n *SecretNonce, share *koblitz.PrivateKey,
) error {
	if err != nil {
		return err
	}
	recordTerms(record, s, n.pair.Load(), share)
	_, err = s.Sign(n, 0, share)
	return err
}

func recordTerms(record func([]byte), s *Session, k *noncePair, share *koblitz.PrivateKey) {
	var x group.Scalar
	defer x.Zeroize()
	record(x.Mul(&s.binding[0], &k[1]).Bytes())
	record(x.Add(&x, &k[0]).Bytes())
	x.SetPrivateKey(share)
	record(x.Mul(&x, s.factor(0)).Bytes())
}

// deterministically returns an operation that signs as participant 0 with the nonce that the
// arguments determine.
func deterministically(random []byte) func(record func([]byte)) error {
	return func(record func([]byte)) error {
		return withSigners(record, func(s *Signers, share *koblitz.PrivateKey) error {
			secret := new([32]byte)
			if err := deterministicSecret(secret, share, random); err != nil {
				return err
			}
			record(secret[:])
			n, err := GenerateNonce(nil)
			if err != nil {
				return err
			}
			n.Zeroize()
			others, err := AggregateNonces([]*PublicNonce{n.Public()})
			if err != nil {
				return err
			}
			var own *PublicNonce
			var partial []byte
			own, partial, err = SignDeterministically(s, others, nil, []byte("message"), 0, share, random)
			if err != nil {
				return err
			}
			// ±(k₁ + b·k₂) follows from the partial signature.
			sum, err := AggregateNonces([]*PublicNonce{own, n.Public()})
			if err != nil {
				return err
			}
			session, err := NewSession(s, sum, nil, []byte("message"))
			if err != nil {
				return err
			}
			var x, z group.Scalar
			defer x.Zeroize()
			x.SetPrivateKey(share)
			x.Mul(&x, session.factor(0))
			record(x.Bytes())
			if _, err := z.SetBytes(partial); err != nil {
				return err
			}
			record(x.Sub(&z, &x).Bytes())
			return nil
		})
	}
}

// generation generates a key of two participants, and records all coefficients, nonces and shares.
func generation(record func([]byte), finish bool) error {
	var participants [2]*KeyGen
	contributions := make([]*Contribution, 2)
	for id := range participants {
		k, err := StartKeyGen(uint32(id), 2, 2, nil)
		if err != nil {
			return err
		}
		defer k.Zeroize()
		c := k.Contribution()
		participants[id], contributions[id] = k, c
		for _, a := range k.polynomial() {
			record(a.Bytes())
		}
		var nonce group.Scalar // z − c·a₀
		nonce.Mul(k.polynomial()[0], c.challenge(uint32(id), nil))
		record(nonce.Bytes())
		record(nonce.Sub(&c.z, &nonce).Bytes())
		nonce.Zeroize()
	}
	if !finish {
		return nil
	}
	var received [2][]*koblitz.PrivateKey
	for _, k := range participants {
		shares, err := k.Shares(contributions)
		if err != nil {
			return err
		}
		defer wipe(shares...)
		for id, share := range shares {
			record(share.Bytes())
			received[id] = append(received[id], share)
		}
	}
	for id, k := range participants {
		result, err := k.Finish(received[id])
		if err != nil {
			return err
		}
		record(result.Share.Bytes())
		wipe(result.Share)
	}
	return nil
}
