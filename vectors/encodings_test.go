package vectors

import (
	"bytes"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
)

func parsePublic(t *testing.T, s string) (*koblitz.PublicKey, error) {
	t.Helper()
	return koblitz.ParsePublicKey(unhex(t, s))
}

func refusedPrivate(t *testing.T, name, s string) {
	t.Helper()
	if _, err := koblitz.ParsePrivateKey(unhex(t, s)); err == nil {
		t.Errorf("%s: the private key %s was accepted", name, s)
	}
}

// tinyPoints is the content of tests/fixtures/points.json of tiny-secp256k1.
type tinyPoints struct {
	Valid struct {
		IsPoint []struct {
			Description, P string
			Expected       bool
		}
		PointAdd       []tinyPoint
		PointAddScalar []tinyPoint
		PointCompress  []struct {
			tinyPoint
			Note     any
			Compress *bool
			NoArg    bool
		}
		PointFromScalar []tinyPoint
		PointMultiply   []tinyPoint
		PointNegate     []tinyPoint
	}
	Invalid struct {
		PointAdd       []tinyPoint
		PointAddScalar []tinyPoint
		PointCompress  []struct {
			tinyPoint
			Compress bool
		}
		PointFromScalar []tinyPoint
		PointMultiply   []tinyPoint
	}
}

type tinyPoint struct {
	Description, P, Q, D, Exception string
	Expected                        *string // nil for infinity
}

// TestTinyPoints checks that this library gives the results in tiny-secp256k1's fixtures for
// points. It only parses the points of the addition fixtures, because no public function adds two
// points.
func TestTinyPoints(t *testing.T) {
	var file tinyPoints
	loadJSON(t, "tiny_points.json.gz", &file)
	same := func(name string, got *koblitz.PublicKey, err error, want *string) {
		t.Helper()
		if want == nil {
			if err == nil {
				t.Errorf("%s: %x, want infinity", name, got.Bytes())
			}
			return
		}
		b := got.Bytes()
		if len(*want) == 130 {
			b = got.UncompressedBytes()
		}
		if err != nil || hex.EncodeToString(b) != *want {
			t.Errorf("%s: %x, %v, want %s", name, b, err, *want)
		}
	}

	valid := &file.Valid
	for _, row := range valid.IsPoint {
		if _, err := parsePublic(t, row.P); (err == nil) != row.Expected {
			t.Errorf("%s: %s: %v", row.Description, row.P, err)
		}
	}
	count(t, "points", len(valid.IsPoint), 2029)
	for _, row := range valid.PointAdd {
		publicKey(t, row.P)
		publicKey(t, row.Q)
	}
	count(t, "sums", len(valid.PointAdd), 118)
	for _, row := range valid.PointAddScalar {
		got, err := publicKey(t, row.P).TweakAdd(unhex(t, row.D))
		same(row.Description, got, err, row.Expected)
	}
	count(t, "tweaks", len(valid.PointAddScalar), 27)
	for _, row := range valid.PointCompress {
		same(row.Description, publicKey(t, row.P), nil, row.Expected)
	}
	count(t, "encodings", len(valid.PointCompress), 242)
	for _, row := range valid.PointFromScalar {
		same(row.Description, privateKey(t, row.D).PublicKey(), nil, row.Expected)
	}
	count(t, "multiples of G", len(valid.PointFromScalar), 16)
	for _, row := range valid.PointMultiply {
		P := publicKey(t, row.P)
		got, err := P.TweakMul(unhex(t, row.D))
		same(row.Description, got, err, row.Expected)
		if row.Expected == nil {
			refusedPrivate(t, row.Description, row.D)
			continue
		}
		x, err := ecdh.SharedX(privateKey(t, row.D), P)
		if err != nil || hex.EncodeToString(x) != (*row.Expected)[2:66] {
			t.Errorf("%s: %x, %v", row.Description, x, err)
		}
	}
	count(t, "multiples", len(valid.PointMultiply), 7)
	for _, row := range valid.PointNegate {
		if got := privateKey(t, row.D).Negate().Bytes(); hex.EncodeToString(got) != *row.Expected {
			t.Errorf("-%s is %x, want %s", row.D, got, *row.Expected)
		}
	}
	count(t, "negatives", len(valid.PointNegate), 16)

	invalid := &file.Invalid
	for _, row := range invalid.PointAdd {
		_, err1 := parsePublic(t, row.P)
		_, err2 := parsePublic(t, row.Q)
		if err1 == nil && err2 == nil {
			t.Errorf("%s: both points were accepted", row.Description)
		}
	}
	count(t, "invalid sums", len(invalid.PointAdd), 38)
	for _, row := range slices.Concat(invalid.PointAddScalar, invalid.PointMultiply) {
		P, err := parsePublic(t, row.P)
		if (row.Exception == "Expected Point") != (err != nil) {
			t.Errorf("%s: %s: %v", row.Description, row.P, err)
		}
		if err != nil {
			continue
		}
		if _, err := P.TweakAdd(unhex(t, row.D)); err == nil {
			t.Errorf("%s: the tweak %s was accepted", row.Description, row.D)
		}
		if _, err := P.TweakMul(unhex(t, row.D)); err == nil {
			t.Errorf("%s: the factor %s was accepted", row.Description, row.D)
		}
		refusedPrivate(t, row.Description, row.D)
	}
	count(t, "invalid tweaks", len(invalid.PointAddScalar), 22)
	count(t, "invalid multiples", len(invalid.PointMultiply), 22)
	for _, row := range invalid.PointCompress {
		if _, err := parsePublic(t, row.P); err == nil {
			t.Errorf("%s: %s was accepted", row.Description, row.P)
		}
	}
	count(t, "invalid encodings", len(invalid.PointCompress), 19)
	for _, row := range invalid.PointFromScalar {
		refusedPrivate(t, row.Description, row.D)
	}
	count(t, "invalid multiples of G", len(invalid.PointFromScalar), 4)
}

// TestKeySort checks that SortKeys sorts keys as in the test vectors of BIP-67, and is KeySort of
// BIP-327.
func TestKeySort(t *testing.T) {
	var rows []struct{ List, Sorted []string }
	var last struct {
		Pubkeys []string
		Sorted  []string `json:"sorted_pubkeys"`
	}
	loadJSON(t, "bip67.json", &rows)
	loadJSON(t, "bip327_key_sort.json", &last)
	count(t, "BIP-67", len(rows), 4)
	count(t, "keys in BIP-327", len(last.Pubkeys), 6)
	for i, row := range append(rows, struct{ List, Sorted []string }{last.Pubkeys, last.Sorted}) {
		var keys []*koblitz.PublicKey
		for _, s := range row.List {
			keys = append(keys, publicKey(t, s))
		}
		koblitz.SortKeys(keys)
		for j, key := range keys {
			if want := unhex(t, row.Sorted[j]); !bytes.Equal(key.Bytes(), want) {
				t.Errorf("row %d: key %d is %x, want %x", i, j, key.Bytes(), want)
			}
		}
	}
}
