package after

import (
	"bytes"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	btcecdsa "github.com/btcsuite/btcd/btcec/v2/ecdsa"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/lab/port/before"
	"github.com/koblitz-go/koblitz/schnorr"
)

// hybrid reports whether b has the length and first byte of a hybrid key.
func hybrid(b []byte) bool { return len(b) == 65 && b[0]|1 == 7 }

func TestKeys(t *testing.T) {
	s := newSource(1)
	var c tally
	for range 1000 {
		secret, peer := s.secret(), s.damage(s.peer())
		if hybrid(peer) {
			continue // the page says that koblitz refuses these
		}
		own1, other1, err1 := before.Keys(secret, peer)
		own2, other2, err2 := Keys(secret, peer)
		c.same(t, "own", own1, err1, own2, err2)
		c.same(t, "other", other1, err1, other2, err2)
	}
	c.atLeast(t, 1000, 500)
}

func TestDER(t *testing.T) {
	s := newSource(2)
	var signed, verified tally
	answers := make(map[bool]int)
	for i := range 1000 {
		secret, hash := s.secret(), s.hash()
		der1, err1 := before.SignDER(secret, hash)
		der2, err2 := SignDER(secret, hash)
		signed.same(t, "sign", der1, err1, der2, err2)

		priv, pub := btcec.PrivKeyFromBytes(secret)
		switch i % 4 {
		case 1: // a high s
			sig := btcecdsa.Sign(priv, hash)
			r, sv := sig.R(), sig.S()
			der1 = highDER(&r, sv.Negate())
		case 2:
			hash = s.flip(hash)
		case 3: // append nothing, because btcec ignores bytes after the signature
			if i%8 == 3 {
				der1 = s.flip(der1)
			} else {
				der1 = der1[:s.IntN(len(der1))]
			}
			if len(der1) > 1 && int(der1[1]) < len(der1)-2 {
				continue
			}
		}
		ok1, err1 := before.VerifyDER(pub.SerializeCompressed(), hash, der1)
		ok2, err2 := VerifyDER(pub.SerializeCompressed(), hash, der1)
		verified.same(t, "verify", truth(ok1), err1, truth(ok2), err2)
		answers[ok1]++
	}
	signed.atLeast(t, 1000, 0)
	verified.atLeast(t, 700, 100)
	if answers[true] < 400 || answers[false] < 200 {
		t.Errorf("%v", answers)
	}
}

// highDER encodes r and s unchanged. btcec's Serialize would make s low.
func highDER(r, s *btcec.ModNScalar) []byte {
	body := append(integer(r), integer(s)...)
	return append([]byte{0x30, byte(len(body))}, body...)
}

func integer(x *btcec.ModNScalar) []byte {
	b := x.Bytes()
	content := bytes.TrimLeft(b[:], "\x00")
	if content[0] >= 0x80 {
		content = append([]byte{0}, content...)
	}
	return append([]byte{0x02, byte(len(content))}, content...)
}

func TestCompact(t *testing.T) {
	s := newSource(3)
	var signed, recovered tally
	for i := range 1000 {
		secret, hash := s.secret(), s.hash()
		sig1, err1 := before.SignCompact(secret, hash)
		sig2, err2 := SignCompact(secret, hash)
		signed.same(t, "sign", sig1, err1, sig2, err2)

		sig := s.damage(sig1)
		if i%3 == 0 {
			sig = bytes.Clone(sig1)
			sig[0] = byte(20 + s.IntN(20))
		}
		if i%7 == 0 { // an r for which all eight first bytes recover a key
			sig = append([]byte{byte(27 + i/7%8)}, s.bytes(64)...)
			clear(sig[1:32])
			sig[32] = byte(overflowing(t).Uint64())
			sig[33] &= 0x7f
		}
		record := append(bytes.Clone(sig), 1, 2, 3) // bytes after the signature in memory
		sig, kept := record[:len(sig)], bytes.Clone(record)
		key1, err1 := before.RecoverCompact(sig, hash)
		key2, err2 := RecoverCompact(sig, hash)
		recovered.same(t, "recover", key1, err1, key2, err2)
		if !bytes.Equal(record, kept) {
			t.Fatal("the signature, or what follows it, was written to")
		}
	}
	signed.atLeast(t, 1000, 0)
	recovered.atLeast(t, 300, 300)
}

func TestEthereum(t *testing.T) {
	s := newSource(4)
	var signed, recovered tally
	for i := range 1000 {
		secret, hash := s.secret(), s.hash()
		if i%10 == 0 {
			secret, hash = s.damage(secret), s.damage(hash)
		}
		sig1, err1 := before.SignEthereum(secret, hash)
		sig2, err2 := SignEthereum(secret, hash)
		signed.same(t, "sign", sig1, err1, sig2, err2)
		if err1 != nil {
			continue
		}
		sig := s.damage(sig1)
		if i%10 == 1 {
			hash = hash[:31]
		}
		sender1, err1 := before.Sender(hash, sig)
		sender2, err2 := Sender(hash, sig)
		recovered.same(t, "recover", sender1[:], err1, sender2[:], err2)
	}
	signed.atLeast(t, 900, 10)
	recovered.atLeast(t, 400, 200)
}

func TestBIP340(t *testing.T) {
	s := newSource(5)
	var signed, parsed, verified tally
	answers := make(map[bool]int)
	for range 600 {
		secret, hash, aux := s.secret(), s.hash(), [32]byte(s.bytes(32))
		sig1, err1 := before.SignBIP340(secret, hash, aux)
		sig2, err2 := SignBIP340(secret, hash, aux)
		signed.same(t, "sign", sig1, err1, sig2, err2)

		_, pub := btcec.PrivKeyFromBytes(secret)
		key := s.damage(pub.SerializeCompressed()[1:])
		v1, err1 := before.NewVerifier(key)
		v2, err2 := NewVerifier(key)
		parsed.same(t, "parse", nil, err1, nil, err2)
		if err1 != nil || err2 != nil {
			continue
		}
		sig, hash := s.damage(sig1), s.damage(hash)
		ok1, ok2 := v1.Verify(hash, sig), v2.Verify(hash, sig)
		verified.same(t, "verify", truth(ok1), nil, truth(ok2), nil)
		answers[ok1]++
	}
	// The message has 31 bytes and a valid signature, which btcec refuses.
	secret, short := s.secret(), s.bytes(31)
	priv, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	sig, err := schnorr.Sign(priv, short, nil)
	if err != nil {
		t.Fatal(err)
	}
	v1, err1 := before.NewVerifier(priv.XOnlyPublicKey().Bytes())
	v2, err2 := NewVerifier(priv.XOnlyPublicKey().Bytes())
	if err1 != nil || err2 != nil || v1.Verify(short, sig) || v2.Verify(short, sig) {
		t.Errorf("31 bytes: %v, %v", err1, err2)
	}
	signed.atLeast(t, 600, 0)
	parsed.atLeast(t, 300, 100)
	if answers[true] < 50 || answers[false] < 200 {
		t.Errorf("%v", answers)
	}
}

func TestECDH(t *testing.T) {
	s := newSource(6)
	var c tally
	for range 500 {
		secret, peer := s.secret(), s.damage(s.peer())
		if hybrid(peer) {
			continue
		}
		x1, err1 := before.SharedX(secret, peer)
		x2, err2 := SharedX(secret, peer)
		c.same(t, "x", x1, err1, x2, err2)
		h1, err1 := before.SharedHash(secret, peer)
		h2, err2 := SharedHash(secret, peer)
		c.same(t, "hash", h1, err1, h2, err2)
	}
	c.atLeast(t, 400, 300)
}
