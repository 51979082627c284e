package adaptor

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
)

// TestFault changes each value of a new signature and each argument before the signature is
// verified. All values that signing computes enter into these: a fault in a key, a nonce, R or a
// challenge makes them contradict each other.
func TestFault(t *testing.T) {
	key, encryption := koblitz.GenerateKey(), koblitz.GenerateKey().PublicKey()
	other := koblitz.GenerateKey()
	flip := func(s *group.Scalar) { s.Add(s, new(group.Scalar).SetUint64(1)) }

	type schnorr struct {
		a               Schnorr
		key, encryption *koblitz.PublicKey
		message         []byte
	}
	for i, fault := range []func(*schnorr){
		nil,
		func(s *schnorr) { flip(&s.a.s) },
		func(s *schnorr) { s.a.s.Negate(&s.a.s) },
		func(s *schnorr) { s.a.r = other.PublicKey() },
		func(s *schnorr) { s.a.r = s.a.r.Negate() },
		func(s *schnorr) { s.key = other.PublicKey() },
		func(s *schnorr) { s.encryption = other.PublicKey() },
		func(s *schnorr) { s.encryption = s.encryption.Negate() },
		func(s *schnorr) { s.message = []byte("Message") },
	} {
		a, err := SignSchnorr(key, encryption, []byte("message"))
		if err != nil {
			t.Fatal(err)
		}
		s := &schnorr{*a, key.PublicKey(), encryption, []byte("message")}
		if fault != nil {
			fault(s)
		}
		if s.a.Verify(s.key.XOnlyPublicKey(), s.encryption, s.message) != (fault == nil) {
			t.Errorf("BIP-340, fault %d: valid %t", i, fault != nil)
		}
	}

	type ecdsa struct {
		a               ECDSA
		key, encryption *koblitz.PublicKey
		hash            [32]byte
		k               group.Scalar
	}
	for i, fault := range []func(*ecdsa){
		nil,
		func(s *ecdsa) { flip(&s.a.s) },
		func(s *ecdsa) { s.a.s.Negate(&s.a.s) },
		func(s *ecdsa) { s.a.s = group.Scalar{} },
		func(s *ecdsa) { s.a.r = other.PublicKey() },
		func(s *ecdsa) { s.a.r = s.a.r.Negate() },
		func(s *ecdsa) { s.a.a = other.PublicKey() },
		func(s *ecdsa) { s.a.a = s.a.a.Negate() },
		func(s *ecdsa) { s.key = other.PublicKey() },
		func(s *ecdsa) { s.key = s.key.Negate() },
		func(s *ecdsa) { s.encryption = other.PublicKey() },
		func(s *ecdsa) { s.hash[0] ^= 1 },
		func(s *ecdsa) { flip(&s.k) },
	} {
		a, err := SignECDSA(key, encryption, make([]byte, 32))
		if err != nil {
			t.Fatal(err)
		}
		s := &ecdsa{a: *a, key: key.PublicKey(), encryption: encryption}
		s.k.SetPrivateKey(key)
		s.k.Mul(&s.k, a.number()) // k = (m + r·x)/s, with m = 0
		s.k.Mul(&s.k, new(group.Scalar).Invert(&a.s))
		if fault != nil {
			fault(s)
		}
		if err := s.a.proof.prove(&s.k, s.a.a, s.encryption, s.a.r); err != nil {
			t.Fatal(err)
		}
		if s.a.Verify(s.key, s.encryption, s.hash[:]) != (fault == nil) {
			t.Errorf("ECDSA, fault %d: valid %t", i, fault != nil)
		}
	}
}

// TestFaultOfProof changes each value of a new proof before it is verified.
func TestFaultOfProof(t *testing.T) {
	k, a := group.RandomScalar(), group.RandomScalar()
	encryption := koblitz.GenerateKey().PublicKey()
	public := func(s *group.Scalar) *koblitz.PublicKey {
		p, err := new(group.Point).ScalarBaseMult(s).PublicKey()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	multiple := func(s *group.Scalar) *koblitz.PublicKey {
		p, err := times(s, encryption)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	const none = 8
	for fault := range none + 1 {
		points := []*koblitz.PublicKey{public(k), encryption, multiple(k), public(a), multiple(a)}
		if fault < len(points) {
			points[fault] = points[fault].Negate()
		}
		var p proof
		p.b.Set(challenge(points...))
		if fault == 5 { // the response is for another challenge
			p.b.Add(&p.b, k)
		}
		p.c.Add(a, p.c.Mul(&p.b, k))
		switch fault {
		case 6:
			p.b.Add(&p.b, k)
		case 7:
			p.c.Add(&p.c, k)
		}
		valid := p.verify(points[0], points[1], points[2])
		if valid != (fault == none) {
			t.Errorf("fault %d: valid %t", fault, valid)
		}
	}
}
