package ecdsa_test

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestLargeX checks that Recover finds the keys that package reference finds if r is so small that
// the x coordinate of the nonce point may be r + n, for all four recovery ids. Honest signers
// practically never make such an r. The check of a new signature must pass with this id alone, and
// not with another r.
func TestLargeX(t *testing.T) {
	n, p := curve.Order, reference.P()
	one := big.NewInt(1)
	span := new(big.Int).Sub(p, n)
	rnd := rand.New(rand.NewPCG(3, 3))
	var rs []*big.Int
	for i := int64(1); i < 12; i++ {
		rs = append(rs, big.NewInt(i),
			new(big.Int).Sub(span, big.NewInt(i)), new(big.Int).Add(span, big.NewInt(i-1)))
	}
	for _, shift := range []uint{63, 64, 65, 127, 128} { // edges of the limbs of p - n
		x := new(big.Int).Rsh(span, shift)
		x.Lsh(x, shift)
		rs = append(rs, x, new(big.Int).Add(x, one), new(big.Int).Sub(x, one),
			new(big.Int).Lsh(one, shift))
	}
	found := [4]int{}
	for _, r := range rs {
		for id := range 4 {
			s, hash := reference.Secret(rnd), reference.Bytes(rnd, 32)
			want, ok := reference.RecoverECDSA(hash, r, s, id)
			sig65 := append(pair(r, s), byte(id))
			key, err := ecdsa.Recover(hash, sig65)
			if ok != (err == nil) {
				t.Errorf("Recover(%x): error %v, want a key: %v", sig65, err, ok)
			}
			if !ok {
				continue
			}
			found[id]++
			if !key.Equal(public(want)) {
				t.Errorf("Recover(%x) = %v, want %x", sig65, key, want.X)
			}
			if !verifies(t, key, hash, parse(sig65[:64])) {
				t.Errorf("the signature %x with id %d does not verify under the recovered key", sig65, id)
			}
			if verifies(t, key.Negate(), hash, parse(sig65[:64])) {
				t.Errorf("the signature %x verifies under the negated key", sig65)
			}
			pub, low := (*keys.Public)(key), parse(sig65[:64]).IsLowS()
			for other := range byte(8) {
				passes := ecdsa.CheckRecoverable(pub, hash, parse(sig65[:64]), other)
				if passes != (low && other == byte(id)) {
					t.Errorf("the signature %x passes with the id %d: %v", sig65, other, passes)
				}
			}
			another := pair(new(big.Int).Add(r, big.NewInt(100)), s)
			if ecdsa.CheckRecoverable(pub, hash, parse(another), byte(id)) {
				t.Errorf("the signature %x passes with another r", sig65)
			}
		}
	}
	for id, count := range found {
		if count < 5 {
			t.Errorf("only %d keys recovered with id %d", count, id)
		}
	}
}

func TestRecoverErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	// Choose R = G and s so that s·R = z·G: the key would be infinity.
	gx := reference.Gx()
	hash := reference.Bytes(r, 32)
	z := new(big.Int).Mod(reference.HashInt(hash), curve.Order)
	good := pair(gx, z)
	with := func(at int, v ...byte) []byte {
		b := append(bytes.Clone(good), 0)
		copy(b[at:], v)
		return b
	}
	for _, test := range []struct {
		name string
		sig  []byte
		want string
	}{
		{"nil", nil, "0 bytes, want 65"},
		{"64 bytes", good, "64 bytes, want 65"},
		{"66 bytes", append(with(0), 0), "66 bytes, want 65"},
		{"id 4", with(64, 4), "byte 64, the recovery id, is 4, want 0 to 3"},
		{"id 27", with(64, 27), "byte 64, the recovery id, is 27"},
		{"r + n is over p", with(64, 2), "r + n is not below the field prime"},
		{"no such point", with(0, bytes32(big.NewInt(5))...), "no point of the curve"},
		{"infinity", with(64, byte(reference.Gy().Bit(0))), "infinity"},
	} {
		key, err := ecdsa.Recover(hash, test.sig)
		if key != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, %v, want an error with %q", test.name, key, err, test.want)
		}
	}
}

// FuzzRecover recovers keys from any 65 bytes. The signature must verify under the recovered key,
// and the key must be the one that package reference computes. Because package reference is slow,
// it is called only if Recover fails, and now and then otherwise.
func FuzzRecover(f *testing.F) {
	f.Add(make([]byte, 32), append(pair(reference.Gx(), big.NewInt(1)), 1))
	f.Add([]byte("hash"), append(pair(big.NewInt(1), curve.Order), 2))
	f.Fuzz(func(t *testing.T, hash, sig65 []byte) {
		key, err := ecdsa.Recover(hash, sig65)
		if (key == nil) == (err == nil) {
			t.Fatalf("%v, %v", key, err)
		}
		if len(sig65) != 65 {
			return
		}
		if err != nil || sig65[63]%64 == 0 {
			r, s := new(big.Int).SetBytes(sig65[:32]), new(big.Int).SetBytes(sig65[32:64])
			want, ok := reference.RecoverECDSA(hash, r, s, int(sig65[64]))
			ok = ok && len(hash) >= 20
			if ok != (err == nil) || ok && !key.Equal(public(want)) {
				t.Fatalf("Recover = %v, %v, want %v, %v", key, err, want, ok)
			}
		}
		if err == nil && !verifies(t, key, hash, parse(sig65[:64])) {
			t.Fatal("does not verify under the recovered key")
		}
	})
}
