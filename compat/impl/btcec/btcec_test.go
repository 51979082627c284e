package btcec_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/btcec"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
)

func TestPoints(t *testing.T) {
	key, public := btcec.PrivKeyFromBytes([]byte{1})
	if *key.PubKey() != *public || *public != *btcec.Generator() ||
		public.X().Cmp(reference.Gx()) != 0 || public.Y().Cmp(reference.Gy()) != 0 {
		t.Errorf("%x is not G", public.SerializeCompressed())
	}
	var g, none secp256k1.JacobianPoint
	btcec.GeneratorJacobian(&g)
	b := btcec.JacobianToByteSlice(g)
	if p, err := btcec.ParseJacobian(b); err != nil || p != g || !g.Z.IsOne() {
		t.Errorf("%x: %v, %v", b, p, err)
	}
	zeros := make([]byte, 33)
	if got := btcec.JacobianToByteSlice(none); !bytes.Equal(got, zeros) {
		t.Errorf("infinity is %x", got)
	}
	zeros[32] = 9
	if p, err := btcec.ParseJacobian(zeros); err != nil || p != none {
		t.Errorf("%x: %v, %v", zeros, p, err)
	}
	_, err := btcec.ParseJacobian(b[1:])
	if !errors.Is(err, secp256k1.ErrPubKeyInvalidLen) ||
		err.Error() != "invalid nonce: invalid length: 32" {
		t.Error(err)
	}
	b[0] = 7
	if _, err := btcec.ParseJacobian(b); !errors.Is(err, secp256k1.ErrPubKeyInvalidFormat) {
		t.Error(err)
	}
}

func TestSerializedKey(t *testing.T) {
	g := btcec.Generator()
	s := btcec.ToSerialized(g)
	x := s.SchnorrSerialized()
	if key, err := s.ToPubKey(); err != nil || *key != *g || !bytes.Equal(x[:], s[1:]) ||
		!bytes.Equal(s.CopyBytes(), g.SerializeCompressed()) {
		t.Errorf("%x: %v, %v", s, key, err)
	}
	for _, test := range []struct {
		b    []byte
		want bool
	}{{s[:], true}, {s[1:], false}, {g.SerializeUncompressed(), false}, {nil, false},
		{append([]byte{3}, s[1:]...), true}, {append([]byte{4}, s[1:]...), false}} {
		if got := btcec.IsCompressedPubKey(test.b); got != test.want {
			t.Errorf("%x: %v", test.b, got)
		}
	}
}
