package peers

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"testing"

	peer "github.com/btcsuite/btcd/btcec/v2/schnorr"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/schnorr"
)

// TestSchnorrSign checks that this library and btcec make the same BIP-340 signatures of 32-byte
// messages, the only length that btcec signs.
func TestSchnorrSign(t *testing.T) {
	s := newSource(10)
	for range 500 {
		k := newPair(t, s.scalar())
		msg, aux := b32(s.number()), [32]byte(s.bytes(32))
		got, err := schnorr.Sign(k.ours, msg, &schnorr.SignOptions{Aux: aux[:], Unchecked: true})
		if err != nil {
			t.Fatal(err)
		}
		want, err := peer.Sign(k.peer, msg, peer.CustomNonce(aux), peer.FastSign())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want.Serialize()) {
			t.Errorf("key %x, message %x, aux %x: %x, btcec %x", k.d, msg, aux, got, want.Serialize())
		}
	}
}

// challenge returns the challenge e of BIP-340.
func challenge(rx, px, msg []byte) *big.Int {
	tag := sha256.Sum256([]byte("BIP0340/challenge"))
	h := sha256.New()
	for _, b := range [][]byte{tag[:], tag[:], rx, px, msg} {
		h.Write(b)
	}
	return mod(new(big.Int).SetBytes(h.Sum(nil)))
}

// TestSchnorrVerify checks that this library and btcec give the same verdicts on signatures that
// are valid, changed, out of range, or made so that the nonce point R has an odd y or another x, or
// is infinity.
func TestSchnorrVerify(t *testing.T) {
	s := newSource(11)
	valid, invalid := 0, 0
	for i := range 2000 {
		k := newPair(t, s.scalar())
		msg := b32(s.number())
		key, err := koblitz.ParseXOnlyPublicKey(k.ours.XOnlyPublicKey().Bytes())
		if err != nil {
			t.Fatal(err)
		}
		px := key.Bytes()
		d := new(big.Int).Set(k.d)
		if !k.ours.PublicKey().HasEvenY() {
			d.Sub(n, d)
		}
		sig, err := schnorr.Sign(k.ours, msg,
			&schnorr.SignOptions{Aux: s.bytes(32), Unchecked: true})
		if err != nil {
			t.Fatal(err)
		}
		switch i % 8 {
		case 0, 1:
		case 2:
			sig = s.flip(sig)
		case 3:
			msg = s.flip(msg)
		case 4: // R has an odd y: s = -k + e·d
			nonce := s.scalar()
			R := newPair(t, nonce)
			if R.ours.PublicKey().HasEvenY() {
				nonce = new(big.Int).Sub(n, nonce)
			}
			rx := R.ours.XOnlyPublicKey().Bytes()
			sv := mod(new(big.Int).Add(nonce, new(big.Int).Mul(challenge(rx, px, msg), d)))
			sig = append(rx, b32(sv)...)
		case 5: // R is infinity: s = e·d, for any r
			rx := b32(s.number())
			sig = append(rx, b32(mod(new(big.Int).Mul(challenge(rx, px, msg), d)))...)
		case 6: // s + n in place of s, or s or r out of range
			sv := new(big.Int).SetBytes(sig[32:])
			if sv.Add(sv, n).BitLen() > 256 {
				sv = s.number()
			}
			sig = append(sig[:32:32], b32(sv)...)
			if s.IntN(2) == 0 {
				copy(sig, b32(s.number()))
			}
		case 7: // nonces 1, -1, d, -d, and λd
			nonce := []*big.Int{big.NewInt(1), new(big.Int).Sub(n, big.NewInt(1)), d, new(big.Int).Sub(n, d),
				mod(new(big.Int).Mul(d, lambda))}[s.IntN(5)]
			R := newPair(t, nonce)
			if !R.ours.PublicKey().HasEvenY() {
				nonce = new(big.Int).Sub(n, nonce)
			}
			rx := R.ours.XOnlyPublicKey().Bytes()
			sv := mod(new(big.Int).Add(nonce, new(big.Int).Mul(challenge(rx, px, msg), d)))
			sig = append(rx, b32(sv)...)
		}
		got := schnorr.Verify(key, msg, sig)
		parsed, err := peer.ParseSignature(sig)
		want := err == nil && parsed.Verify(msg, k.peer.PubKey())
		if got != want {
			t.Errorf("key %x, message %x, signature %x: %v, btcec %v (%v)", px, msg, sig, got, want, err)
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
