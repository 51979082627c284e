package vectors

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
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

// TestPublicKeysPeer checks that ParsePublicKey accepts and refuses the encodings of SEC 1, section
// 2.3.4, as the tables of dcrec and btcec say. Both libraries accept hybrid encodings, which this
// library must refuse.
func TestPublicKeysPeer(t *testing.T) {
	accepted, hybrid := 0, 0
	check := func(name string, b []byte, want bool, x, y string) {
		key, err := koblitz.ParsePublicKey(b)
		if want && len(b) == 65 && (b[0] == 0x06 || b[0] == 0x07) {
			hybrid++
			want = false
		}
		if (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			return
		}
		accepted++
		uncompressed := key.UncompressedBytes()
		if x != "" && hex.EncodeToString(uncompressed) != "04"+x+y {
			t.Errorf("%s: %x, want x %s, y %s", name, uncompressed, x, y)
		}
		same := key.Bytes()
		if len(b) == 65 {
			same = uncompressed
		}
		if !bytes.Equal(same, b) {
			t.Errorf("%s: %x encodes to %x", name, b, same)
		}
	}

	rows := goTable(t, dcrec, "pubkey_test.go", "TestParsePubKey.tests")
	for _, row := range rows {
		check(row.text(t, "name"), unhex(t, row.text(t, "key")), row["err"] == nil,
			row.text(t, "wantX"), row.text(t, "wantY"))
	}
	count(t, "dcrec", len(rows), 29)
	count(t, "dcrec, accepted", accepted, 3)
	count(t, "dcrec, hybrid", hybrid, 2)

	accepted, hybrid = 0, 0
	rows = goTable(t, btcec, "pubkey_test.go", "pubKeyTests")
	for _, row := range rows {
		b, _ := row["key"].([]byte)
		check(row.text(t, "name"), b, row["isValid"] == true, "", "")
	}
	count(t, "btcec", len(rows), 16)
	count(t, "btcec, accepted", accepted, 3)
	count(t, "btcec, hybrid", hybrid, 2)
}

// TestLiftX checks that parsing finds the y coordinates in dcrec's table of x coordinates, and
// refuses those x coordinates in the table that belong to no point.
func TestLiftX(t *testing.T) {
	rows := goTable(t, dcrec, "curve_test.go", "TestDecompressY.tests")
	valid := 0
	for _, row := range rows {
		x := row.text(t, "x")
		x = strings.Repeat("0", 64-len(x)) + x
		for prefix, want := range map[string]any{"02": row["wantEvenY"], "03": row["wantOddY"]} {
			key, err := parsePublic(t, prefix+x)
			if (err == nil) != (row["valid"] == true) {
				t.Errorf("%s: %v", row["name"], err)
			}
			if err == nil && hex.EncodeToString(key.UncompressedBytes()[33:]) != want {
				t.Errorf("%s: %x, want y %s", row["name"], key.UncompressedBytes(), want)
			}
		}
		key, err := koblitz.ParseXOnlyPublicKey(unhex(t, x))
		if (err == nil) != (row["valid"] == true) {
			t.Errorf("%s: x-only: %v", row["name"], err)
		}
		if err == nil {
			valid++
			if got := hex.EncodeToString(key.PublicKey().UncompressedBytes()[33:]); got != row["wantEvenY"] {
				t.Errorf("%s: x-only: y is %s, want %s", row["name"], got, row["wantEvenY"])
			}
		}
	}
	count(t, "all", len(rows), 6)
	count(t, "on the curve", valid, 2)
}

// TestMultiplesOfG checks that public keys are the multiples k·G in btcec's and dcrec's test
// tables. It also checks that ECDH gives the x coordinates of the multiples k·P in two tables of
// btcec.
func TestMultiplesOfG(t *testing.T) {
	pad := func(s string) string { return strings.Repeat("0", 64-len(s)) + strings.ToLower(s) }
	rows := goTable(t, btcec, "btcec_test.go", "s256BaseMultTests")
	for _, row := range rows {
		key := privateKey(t, pad(row.text(t, "k"))).PublicKey()
		want := "04" + pad(row.text(t, "x")) + pad(row.text(t, "y"))
		if got := hex.EncodeToString(key.UncompressedBytes()); got != want {
			t.Errorf("%s·G is %s, want %s", row["k"], got, want)
		}
	}
	count(t, "btcec", len(rows), 5)

	rows = goTable(t, dcrec, "curve_test.go", "TestScalarBaseMultJacobian.tests")
	for _, row := range rows {
		if strings.Trim(row.text(t, "k"), "0") == "" {
			refusedPrivate(t, row.text(t, "name"), row.text(t, "k"))
			continue
		}
		key := privateKey(t, row.text(t, "k")).PublicKey()
		want := "04" + row.text(t, "x2") + row.text(t, "y2")
		if got := hex.EncodeToString(key.UncompressedBytes()); got != want {
			t.Errorf("%s: %s·G is %s", row["name"], row["k"], got)
		}
	}
	count(t, "dcrec", len(rows), 8)

	rows = goTable(t, btcec, "btcec_test.go", "TestScalarMult.tests")
	for _, row := range rows {
		p := publicKey(t, "04"+row.text(t, "x")+row.text(t, "y"))
		x, err := ecdh.SharedX(privateKey(t, row.text(t, "k")), p)
		if err != nil || hex.EncodeToString(x) != row["rx"] {
			t.Errorf("%s·P: %x, %v, want %s", row["k"], x, err, row["rx"])
		}
	}
	count(t, "btcec, other points", len(rows), 2)
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
