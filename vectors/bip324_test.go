package vectors

import (
	"encoding/hex"
	"strconv"
	"testing"

	"github.com/koblitz-go/koblitz"
	dropin "github.com/koblitz-go/koblitz/compat/impl/btcec/ellswift"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ellswift"
)

// TestBIP324Decode decodes every encoding of BIP-324's vectors.
func TestBIP324Decode(t *testing.T) {
	for i, row := range loadCSV(t, "bip324_decode.csv", 76) {
		key, err := ellswift.Decode(row.bytes("ellswift"))
		if err != nil || hex.EncodeToString(key.XOnlyPublicKey().Bytes()) != row.text("x") {
			t.Errorf("row %d (%s): %v, %v, want %s", i, row.text("comment"), key, err, row.text("x"))
		}
	}
}

// TestBIP324Inverse checks the eight branches of the inverse map, and that those with a result
// decode to x.
func TestBIP324Inverse(t *testing.T) {
	element := func(s string) *secp256k1.FieldVal {
		f := new(secp256k1.FieldVal)
		f.SetByteSlice(unhex(t, s))
		return f
	}
	found := 0
	for i, row := range loadCSV(t, "bip324_inverse.csv", 32) {
		for branch := range 8 {
			got, want := "", row.text("case"+strconv.Itoa(branch)+"_t")
			if v := dropin.XSwiftECInv(element(row.text("u")), element(row.text("x")), branch); v != nil {
				got = hex.EncodeToString(v.Bytes()[:])
			}
			if got != want {
				t.Errorf("row %d (%s), branch %d: %q, want %q", i, row.text("comment"), branch, got, want)
			}
			if want == "" {
				continue
			}
			found++
			key, err := ellswift.Decode(unhex(t, row.text("u")+want))
			if err != nil || hex.EncodeToString(key.XOnlyPublicKey().Bytes()) != row.text("x") {
				t.Errorf("row %d, branch %d: decodes to %v, %v, want %s", i, branch, key, err, row.text("x"))
			}
		}
	}
	count(t, "branches with a result", found, 98)
}

// TestBIP324Packets computes the keys and the shared secret of each connection in BIP-324's
// vectors. The vectors also have packets, which other software encrypts with keys derived from the
// secret.
func TestBIP324Packets(t *testing.T) {
	for i, row := range loadCSV(t, "bip324_packets.csv", 7) {
		same := func(name string, got []byte, err error) {
			t.Helper()
			if err != nil || hex.EncodeToString(got) != row.text(name) {
				t.Errorf("row %d: %s is %x, %v, want %s", i, name, got, err, row.text(name))
			}
		}
		key, initiating := privateKey(t, row.text("in_priv_ours")), row.text("in_initiating") == "1"
		ours, theirs := row.bytes("in_ellswift_ours"), row.bytes("in_ellswift_theirs")
		same("mid_x_ours", key.XOnlyPublicKey().Bytes(), nil)
		own, peer := decoded(t, ours), decoded(t, theirs)
		same("mid_x_ours", own.XOnlyPublicKey().Bytes(), nil)
		same("mid_x_theirs", peer.XOnlyPublicKey().Bytes(), nil)
		x, err := ecdh.SharedX(key, peer)
		same("mid_x_shared", x, err)
		secret, err := ellswift.SharedSecret(key, ours, theirs, initiating)
		same("mid_shared_secret", secret, err)
	}
}

func decoded(t *testing.T, b []byte) *koblitz.PublicKey {
	t.Helper()
	key, err := ellswift.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
