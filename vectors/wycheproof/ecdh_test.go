package wycheproof

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// spki holds the bytes before the point in the DER encoding of a SubjectPublicKeyInfo (RFC 5480)
// with the named curve secp256k1. The first entry is for points of 65 bytes, the second for 33
// bytes.
var spki = []string{
	"3056301006072a8648ce3d020106052b8104000a034200",
	"3036301006072a8648ce3d020106052b8104000a032200",
}

func parseSPKI(b []byte) (*koblitz.PublicKey, error) {
	for i, size := range []int{65, 33} {
		head, _ := hex.DecodeString(spki[i])
		if len(b) == len(head)+size && bytes.HasPrefix(b, head) {
			return koblitz.ParsePublicKey(b[len(head):])
		}
	}
	return nil, errors.New("not the DER encoding of a key on the named curve secp256k1")
}

func testECDH(t *testing.T, f *file) {
	acceptable := 0
	for i := range f.TestGroups {
		g := &f.TestGroups[i]
		if g.Type != "EcdhTest" || g.Curve != "secp256k1" || g.Encoding != "asn" {
			t.Fatalf("group %d: type %s, curve %s, encoding %s", i, g.Type, g.Curve, g.Encoding)
		}
		for j := range g.Tests {
			row := &g.Tests[j]
			var public, private string
			decode(t, row.Public, &public)
			decode(t, row.Private, &private)
			secret := new(big.Int).SetBytes(reference.Hex(private))
			peer, err := parseSPKI(reference.Hex(public))
			f.judge(t, row, err == nil, err)
			if row.Result == "acceptable" {
				// Of the acceptable rows, only compressed points on the named curve are accepted.
				want := slices.Equal(row.Flags, []string{"CompressedPublic", "CompressedPoint"})
				if want {
					acceptable++
				}
				if (err == nil) != want {
					t.Errorf("row %d (%s): %v", row.TcId, row.Comment, err)
				}
			}
			if err == nil {
				checkShared(t, row, secret, peer)
			}
		}
	}
	if acceptable != 1 {
		t.Errorf("%d acceptable rows are accepted, want 1", acceptable)
	}
}

// A webKey is a JSON Web Key (RFC 7518, section 6.2).
type webKey struct{ Kty, Crv, X, Y, D string }

func testECDHWebcrypto(t *testing.T, f *file) {
	for i := range f.TestGroups {
		g := &f.TestGroups[i]
		if g.Type != "EcdhWebcryptoTest" || g.Curve != "P-256K" || g.Encoding != "webcrypto" {
			t.Fatalf("group %d: type %s, curve %s, encoding %s", i, g.Type, g.Curve, g.Encoding)
		}
		for j := range g.Tests {
			row := &g.Tests[j]
			var public, private webKey
			decode(t, row.Public, &public)
			decode(t, row.Private, &private)
			d, err := base64.RawURLEncoding.DecodeString(private.D)
			if err != nil {
				t.Fatal(err)
			}
			peer, err := parseWebKey(&public)
			f.judge(t, row, err == nil, err)
			if err == nil {
				checkShared(t, row, new(big.Int).SetBytes(d), peer)
			}
		}
	}
}

// parseWebKey parses a secp256k1 key with coordinates of 32 bytes each.
func parseWebKey(k *webKey) (*koblitz.PublicKey, error) {
	if k.Kty != "EC" || k.Crv != "P-256K" {
		return nil, errors.New("not a key on this curve")
	}
	b := []byte{0x04}
	for _, s := range []string{k.X, k.Y} {
		c, err := base64.RawURLEncoding.DecodeString(s)
		if err != nil {
			return nil, err
		}
		if len(c) != 32 {
			return nil, errors.New("a coordinate that is not 32 bytes")
		}
		b = append(b, c...)
	}
	return koblitz.ParsePublicKey(b)
}

func decode(t *testing.T, raw json.RawMessage, v any) {
	t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatal(err)
	}
}

// checkShared checks the secret shared with the peer's key, and with the peer's x-only key.
func checkShared(t *testing.T, row *row, secret *big.Int, peer *koblitz.PublicKey) {
	t.Helper()
	if secret.BitLen() > 256 {
		t.Fatalf("row %d: the private key has %d bits", row.TcId, secret.BitLen())
	}
	key, err := koblitz.ParsePrivateKey(secret.FillBytes(make([]byte, 32)))
	if err != nil {
		t.Errorf("row %d (%s): %v", row.TcId, row.Comment, err)
		return
	}
	x, err := ecdh.SharedX(key, peer)
	if err != nil || hex.EncodeToString(x) != row.Shared {
		t.Errorf("row %d (%s): %x, %v, want %s", row.TcId, row.Comment, x, err, row.Shared)
	}
	x, err = ecdh.SharedXOnly(key, peer.XOnlyPublicKey())
	if err != nil || hex.EncodeToString(x) != row.Shared {
		t.Errorf("row %d (%s): x-only: %x, %v, want %s", row.TcId, row.Comment, x, err, row.Shared)
	}
	neg, err := ecdh.SharedX(key.Negate(), peer.Negate())
	if err != nil || hex.EncodeToString(neg) != row.Shared {
		t.Errorf("row %d (%s): negated: %x, %v, want %s", row.TcId, row.Comment, neg, err, row.Shared)
	}
}
