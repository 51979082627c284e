package peers

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	peer "github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestPrivateKeys checks that this library and dcrec compute the same public keys and tweaked keys
// from edge cases and random private keys.
func TestPrivateKeys(t *testing.T) {
	s := newSource(1)
	var scalars []*big.Int
	for _, x := range reference.EdgeInts() {
		if x = new(big.Int).Mod(x, n); x.Sign() != 0 {
			scalars = append(scalars, x, new(big.Int).Sub(n, x))
		}
	}
	for len(scalars) < 1000 {
		scalars = append(scalars, s.scalar())
	}
	infinite := 0
	for _, d := range scalars {
		k := newPair(t, d)
		if !samePublic(k.ours.PublicKey(), k.peer.PubKey()) {
			t.Errorf("%x·G: %x, dcrec %x",
				d, k.ours.PublicKey().Bytes(), k.peer.PubKey().SerializeCompressed())
		}
		if !bytes.Equal(k.ours.XOnlyPublicKey().Bytes(), schnorr.SerializePubKey(k.peer.PubKey())) {
			t.Errorf("%x·G: x-only %x", d, k.ours.XOnlyPublicKey().Bytes())
		}

		tweak := s.scalar()
		if s.IntN(8) == 0 {
			tweak = new(big.Int).Sub(n, d)
		}
		sum := mod(new(big.Int).Add(d, tweak))
		private, err1 := k.ours.TweakAdd(b32(tweak))
		public, err2 := k.ours.PublicKey().TweakAdd(b32(tweak))
		if sum.Sign() == 0 {
			infinite++
			if err1 == nil || err2 == nil {
				t.Errorf("%x + %x: %v, %v", d, tweak, err1, err2)
			}
		} else {
			want := newPair(t, sum)
			if err1 != nil || err2 != nil ||
				!private.Equal(want.ours) || !samePublic(public, want.peer.PubKey()) {
				t.Errorf("%x + %x: %x, %v; %x, %v", d, tweak, private.Bytes(), err1, public.Bytes(), err2)
			}
		}

		want := newPair(t, mod(new(big.Int).Mul(d, tweak)))
		private, err1 = k.ours.TweakMul(b32(tweak))
		public, err2 = k.ours.PublicKey().TweakMul(b32(tweak))
		if err1 != nil || err2 != nil ||
			!private.Equal(want.ours) || !samePublic(public, want.peer.PubKey()) {
			t.Errorf("%x · %x: %x, %v; %x, %v", d, tweak, private.Bytes(), err1, public.Bytes(), err2)
		}
		var negative peer.ModNScalar
		negative.Set(&k.peer.Key).Negate()
		if nb := negative.Bytes(); !bytes.Equal(k.ours.Negate().Bytes(), nb[:]) {
			t.Errorf("-%x: %x, dcrec %x", d, k.ours.Negate().Bytes(), nb)
		}
	}
	if infinite == 0 {
		t.Error("no test with a sum of zero")
	}
}

// TestPublicKeyEncodings checks that this library and dcrec parse valid, invalid and random
// encodings alike. The only difference allowed is that dcrec accepts hybrid encodings and this
// library does not.
func TestPublicKeyEncodings(t *testing.T) {
	s := newSource(2)
	accepted, hybrid, refused := 0, 0, 0
	check := func(b []byte) {
		ours, err := koblitz.ParsePublicKey(b)
		theirs, peerErr := peer.ParsePubKey(b)
		if peerErr == nil && len(b) == 65 && b[0] != 0x04 {
			hybrid++
			if err == nil {
				t.Errorf("%x: a hybrid encoding was accepted", b)
			}
			return
		}
		if (err == nil) != (peerErr == nil) {
			t.Errorf("%x: %v, dcrec %v", b, err, peerErr)
			return
		}
		if err != nil {
			refused++
			return
		}
		accepted++
		if !samePublic(ours, theirs) {
			t.Errorf("%x: %x, dcrec %x", b, ours.Bytes(), theirs.SerializeCompressed())
		}
		x, err := koblitz.ParseXOnlyPublicKey(b[1:33])
		theirs, peerErr = schnorr.ParsePubKey(b[1:33])
		if err != nil || peerErr != nil || !samePublic(x.PublicKey(), theirs) {
			t.Errorf("%x: x-only: %v, btcec %v", b, err, peerErr)
		}
	}
	for i := range 4000 {
		k := peer.PrivKeyFromBytes(b32(s.scalar())).PubKey()
		b := k.SerializeCompressed()
		if i%2 == 1 {
			b = k.SerializeUncompressed()
		}
		switch i / 2 % 8 {
		case 0: // unchanged
		case 1:
			b = s.flip(b)
		case 2:
			b[0] = byte(s.IntN(9))
		case 3: // random x
			b = append([]byte{2 + byte(s.IntN(2))}, b32(s.number())...)
		case 4: // random x and y
			b = append(append([]byte{4}, b32(s.number())...), b32(s.number())...)
		case 5: // x + p if that fits into 32 bytes, otherwise a small x
			x := new(big.Int).SetBytes(b[1:33])
			if x.Add(x, p).BitLen() > 256 {
				x.SetInt64(int64(s.IntN(40)))
				if s.IntN(2) == 1 {
					x.Add(x, p)
				}
			}
			b = append([]byte{2 + byte(s.IntN(2))}, b32(x)...)
		case 6:
			b = b[:s.IntN(len(b)+1)]
		case 7: // -y, and the hybrid prefix of the other parity
			if len(b) == 65 {
				y := new(big.Int).Sub(p, new(big.Int).SetBytes(b[33:]))
				y.FillBytes(b[33:])
				b[0] = []byte{4, 6, 7}[s.IntN(3)]
			}
		}
		check(b)
	}
	if accepted < 1000 || hybrid < 50 || refused < 1000 {
		t.Errorf("%d accepted, %d hybrid, %d refused", accepted, hybrid, refused)
	}
}

// TestSharedX checks that ECDH gives both sides the same x coordinate, and that dcrec computes it
// too.
func TestSharedX(t *testing.T) {
	s := newSource(3)
	for range 1000 {
		a, b := newPair(t, s.scalar()), newPair(t, s.scalar())
		want := peer.GenerateSharedSecret(a.peer, b.peer.PubKey())
		for name, got := range map[string]func() ([]byte, error){
			"a, B":   func() ([]byte, error) { return ecdh.SharedX(a.ours, b.ours.PublicKey()) },
			"b, A":   func() ([]byte, error) { return ecdh.SharedX(b.ours, a.ours.PublicKey()) },
			"x-only": func() ([]byte, error) { return ecdh.SharedXOnly(a.ours, b.ours.XOnlyPublicKey()) },
		} {
			if x, err := got(); err != nil || !bytes.Equal(x, want) {
				t.Errorf("%x and %x (%s): %x, %v, dcrec %x", a.d, b.d, name, x, err, want)
			}
		}
	}
}
