package peers

import (
	"bytes"
	"math/big"
	"testing"

	btcec "github.com/btcsuite/btcd/btcec/v2/ecdsa"
	peer "github.com/decred/dcrd/dcrec/secp256k1/v4"
	peerecdsa "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"github.com/koblitz-go/koblitz/ecdsa"
)

func peerScalar(x *big.Int) *peer.ModNScalar {
	var s peer.ModNScalar
	s.SetByteSlice(b32(x))
	return &s
}

// compact converts sig65, which is r ‖ s ‖ id, to dcrec's format with the id first.
func compact(sig65 []byte) []byte {
	return append([]byte{27 + sig65[64]}, sig65[:64]...)
}

// TestSign checks that this library and dcrec make the same deterministic signatures and recovery
// ids, for hashes of all lengths. Two cases differ. If the hash as a number is n or more, dcrec's
// nonce is different, because dcrec leaves out the reduction of RFC 6979, section 2.3.4; the test
// then reduces the hash for dcrec. If the hash has less than 20 bytes, this library refuses it and
// dcrec does not; the test then signs the 32-byte hash with the same number.
func TestSign(t *testing.T) {
	s := newSource(4)
	reduced, short := 0, 0
	for i := range 1500 {
		k := newPair(t, s.scalar())
		hash := b32(s.number())
		if i%3 == 1 {
			hash = s.bytes(s.IntN(70))
		}
		got, err := ecdsa.SignRecoverable(k.ours, hash, nil)
		if len(hash) < 20 {
			short++
			if got != nil || err == nil {
				t.Errorf("key %x, hash %x: %x, %v", k.d, hash, got, err)
			}
			got, err = ecdsa.SignRecoverable(k.ours, b32(new(big.Int).SetBytes(hash)), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		sig, err := ecdsa.ParseSignature(got[:64])
		if err != nil || !sig.IsLowS() {
			t.Errorf("key %x, hash %x: %x: %v", k.d, hash, got, err)
			continue
		}
		if z := new(big.Int).SetBytes(hash[:min(len(hash), 32)]); z.Cmp(n) >= 0 {
			reduced++
			z.Sub(z, n)
			again, err := ecdsa.SignRecoverable(k.ours, b32(z), nil)
			if err != nil || !bytes.Equal(again, got) {
				t.Errorf("key %x, hash %x: %x, and reduced %x, %v", k.d, hash, got, again, err)
			}
			hash = b32(z)
		}
		if want := peerecdsa.SignCompact(k.peer, hash, false); !bytes.Equal(compact(got), want) {
			t.Errorf("key %x, hash %x: %x, dcrec %x", k.d, hash, compact(got), want)
		}
		if want := btcec.Sign(k.peer, hash).Serialize(); !bytes.Equal(sig.DER(), want) {
			t.Errorf("key %x, hash %x: %x, btcec %x", k.d, hash, sig.DER(), want)
		}
	}
	if reduced == 0 || short < 50 {
		t.Errorf("%d hashes were n or more, and %d were short", reduced, short)
	}
}

// hostile returns a private key d, a hash z and a signature (r, sv) for which u1·G + u2·Q, the
// point that verification computes, is a sum of related points. It chooses u1 and u2 and computes
// the other values from them.
func (s *source) hostile() (d, z, r, sv *big.Int) {
	d = s.scalar()
	u2 := s.scalar()
	u1 := s.scalar()
	switch s.IntN(8) {
	case 0: // the sum is infinity
		u1 = mod(new(big.Int).Neg(new(big.Int).Mul(u2, d)))
	case 1: // u1·G = u2·Q: a doubling
		u1 = mod(new(big.Int).Mul(u2, d))
	case 2: // u1·G = λ·u2·Q
		u1 = mod(new(big.Int).Mul(new(big.Int).Mul(u2, d), lambda))
	case 3: // u1·G = -λ²·u2·Q
		u1 = new(big.Int).Mul(new(big.Int).Mul(u2, d), new(big.Int).Mul(lambda, lambda))
		u1 = mod(u1.Neg(u1))
	case 4: // u1 = 0: the hash is zero
		u1 = new(big.Int)
	case 5: // the key is ±G or a small multiple
		d = big.NewInt(1 + int64(s.IntN(4)))
		if s.IntN(2) == 1 {
			d.Sub(n, d)
		}
	case 6: // both scalars are small
		u1, u2 = big.NewInt(int64(s.IntN(20))), big.NewInt(1+int64(s.IntN(20)))
	}
	k := mod(new(big.Int).Add(u1, new(big.Int).Mul(u2, d)))
	if k.Sign() == 0 {
		r = s.scalar()
	} else {
		x := peer.PrivKeyFromBytes(b32(k)).PubKey().SerializeCompressed()[1:]
		r = mod(new(big.Int).SetBytes(x))
	}
	sv = mod(new(big.Int).Mul(r, new(big.Int).ModInverse(u2, n)))
	z = mod(new(big.Int).Mul(u1, sv))
	return d, z, r, sv
}

// TestVerify checks that this library and its peers give the same verdicts on signatures that are
// valid, hostile, or changed.
func TestVerify(t *testing.T) {
	s := newSource(5)
	valid, invalid := 0, 0
	for i := range 2500 {
		d, z, r, sv := s.hostile()
		switch i % 5 {
		case 1:
			sv = new(big.Int).Sub(n, sv)
		case 2:
			r = s.scalar()
		case 3:
			bit := s.IntN(256)
			z = new(big.Int).SetBit(z, bit, z.Bit(bit)^1)
		case 4:
			sv = s.scalar()
		}
		key := newPair(t, d)
		hash := b32(z)
		sig, err := ecdsa.ParseSignature(append(b32(r), b32(sv)...))
		if err != nil {
			t.Fatalf("r %x, s %x: %v", r, sv, err)
		}
		got := ecdsa.Verify(key.ours.PublicKey(), hash, sig)
		want := peerecdsa.NewSignature(peerScalar(r), peerScalar(sv)).Verify(hash, key.peer.PubKey())
		if got != want {
			t.Errorf("key %x, hash %x, r %x, s %x: %v, dcrec %v", d, z, r, sv, got, want)
		}
		wantLow := got && sv.Cmp(new(big.Int).Rsh(n, 1)) <= 0
		if low := ecdsa.VerifyLowS(key.ours.PublicKey(), hash, sig); low != wantLow {
			t.Errorf("key %x, hash %x, r %x, s %x: VerifyLowS is %v", d, z, r, sv, low)
		}
		if got {
			valid++
		} else {
			invalid++
		}
	}
	if valid < 500 || invalid < 500 {
		t.Errorf("%d valid, %d invalid", valid, invalid)
	}
}

// TestRecover checks that this library and the peers recover the same keys for every recovery id,
// including values of r for which r + n is below p. Honest signatures practically never have such
// an r.
func TestRecover(t *testing.T) {
	s := newSource(6)
	gap := new(big.Int).Sub(p, n)
	recovered, overflowed, refused := 0, 0, 0
	for i := range 2500 {
		r, sv, hash := s.scalar(), s.scalar(), b32(s.number())
		switch i % 5 {
		case 1: // r + n is below p, and half of these x have a point
			r = new(big.Int).Mod(new(big.Int).SetBytes(s.bytes(32)), gap)
			r.Add(r, big.NewInt(1))
		case 2: // the key is infinity: s·R = z·G
			k, z := s.scalar(), s.scalar()
			x := peer.PrivKeyFromBytes(b32(k)).PubKey().SerializeCompressed()
			r = mod(new(big.Int).SetBytes(x[1:]))
			sv = mod(new(big.Int).Mul(z, new(big.Int).ModInverse(k, n)))
			hash = b32(z)
		case 3: // any numbers, in range or not
			r, sv = s.number(), s.number()
		case 4: // r + n is close to p
			r = new(big.Int).Add(gap, big.NewInt(int64(s.IntN(100)-95)))
		}
		for id := byte(0); id < 4; id++ {
			sig := append(append(b32(r), b32(sv)...), id)
			ours, err := ecdsa.Recover(hash, sig)
			theirs, _, peerErr := peerecdsa.RecoverCompact(compact(sig), hash)
			if (err == nil) != (peerErr == nil) {
				t.Errorf("hash %x, signature %x: %v, dcrec %v", hash, sig, err, peerErr)
				continue
			}
			if err != nil {
				refused++
				continue
			}
			recovered++
			if id >= 2 {
				overflowed++
			}
			if !samePublic(ours, theirs) {
				t.Errorf("hash %x, signature %x: %x, dcrec %x",
					hash, sig, ours.Bytes(), theirs.SerializeCompressed())
			}
			// A signature always verifies under the key recovered from it.
			parsed, err := ecdsa.ParseSignature(sig[:64])
			if err != nil || !ecdsa.Verify(ours, hash, parsed) {
				t.Errorf("hash %x, signature %x: does not verify under %x: %v", hash, sig, ours.Bytes(), err)
			}
			if !peerecdsa.NewSignature(peerScalar(r), peerScalar(sv)).Verify(hash, theirs) {
				t.Errorf("hash %x, signature %x: does not verify with dcrec", hash, sig)
			}
		}
	}
	if recovered < 2000 || overflowed < 500 || refused < 2000 {
		t.Errorf("%d recovered, %d of them with r + n, %d refused", recovered, overflowed, refused)
	}
}
