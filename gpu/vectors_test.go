package gpu

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
)

// vectors is the folder, in this repository, with the files of test vectors.
const vectors = "../vectors/testdata"

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// counting returns an OpenCL device that accepts calls with any number of rows, and counts the
// rows.
func counting(t *testing.T) *counted {
	t.Helper()
	d := openCL(t, From(1), OnError(func(err error) { t.Error(err) }))
	return newCounted(t, d.Engine())
}

// TestBIP340 checks that an OpenCL device gives the test vectors of BIP-340 with messages of 32
// bytes the results stated in their file. The device must leave two of them Unchecked, because
// their point R is infinity; the host then decides them.
func TestBIP340(t *testing.T) {
	file, err := os.Open(filepath.Join(vectors, "bip340.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	count := counting(t)
	on := &batch.Options{Device: count.device}
	var messages, keys, sigs []byte
	var want []bool
	for _, r := range records[1:] {
		field := func(name string) string { return r[slices.Index(records[0], name)] }
		message, valid := unhex(t, field("message")), field("verification result") == "TRUE"
		if len(message) == 32 {
			messages, want = append(messages, message...), append(want, valid)
			keys = append(keys, unhex(t, field("public key"))...)
			sigs = append(sigs, unhex(t, field("signature"))...)
		}
	}
	rows := batch.SchnorrRows{Messages: batch.Packed(messages, 32),
		Keys:       batch.EncodedKeys(batch.Packed(keys, 32)),
		Signatures: batch.Packed(sigs, 64)}
	verdicts := make([]batch.Verdict, len(want))
	if _, err := rows.Verify(t.Context(), verdicts, on); err != nil {
		t.Error(err)
	}
	compareVectors(t, "BIP-340", verdicts, want)
	if n := int64(len(want)); n != 15 || count.decided.Load() != n-2 {
		t.Errorf("of %d rows the device has decided %d", n, count.decided.Load())
	}
}

// compareVectors compares verdicts with the results stated in a file of vectors.
func compareVectors(t *testing.T, name string, verdicts []batch.Verdict, want []bool) {
	t.Helper()
	if len(verdicts) != len(want) {
		t.Fatalf("%s: %d rows of %d", name, len(verdicts), len(want))
	}
	for i, v := range verdicts {
		if (v == batch.Valid) != want[i] || v == batch.Unchecked {
			t.Errorf("%s: row %d: %v, want valid: %v", name, i, v, want[i])
		}
	}
}

// TestWycheproof checks that an OpenCL device gives the 64-byte signatures in Wycheproof's files
// the results stated there. If the messages of a file are hashed with SHA-512, the first 32 bytes
// of each hash are verified (SEC 1 version 2, section 4.1.4).
func TestWycheproof(t *testing.T) {
	for _, bits := range []string{"256", "512"} {
		name := "ecdsa_secp256k1_sha" + bits + "_p1363_test.json.gz"
		packed, err := os.ReadFile(filepath.Join(vectors, name))
		if err != nil {
			t.Fatal(err)
		}
		text, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			TestGroups []struct {
				PublicKey struct{ Uncompressed string }
				Tests     []struct{ Msg, Sig, Result string }
			}
		}
		if err := json.NewDecoder(text).Decode(&file); err != nil {
			t.Fatal(err)
		}
		var hashes, keys, sigs []byte
		var want []bool
		for _, g := range file.TestGroups {
			key, err := koblitz.ParsePublicKey(unhex(t, g.PublicKey.Uncompressed))
			if err != nil {
				t.Fatal(err)
			}
			for _, test := range g.Tests {
				sig := unhex(t, test.Sig)
				if len(sig) != 64 {
					continue
				}
				hash := sha256.Sum256(unhex(t, test.Msg))
				if bits == "512" {
					long := sha512.Sum512(unhex(t, test.Msg))
					hash = [32]byte(long[:32])
				}
				hashes, keys = append(hashes, hash[:]...), append(keys, key.Bytes()...)
				sigs, want = append(sigs, sig...), append(want, test.Result == "valid")
			}
		}
		count := counting(t)
		on := &batch.Options{Device: count.device}
		rows := batch.ECDSARows{Hashes: batch.Packed(hashes, 32),
			Keys:       batch.EncodedKeys(batch.Packed(keys, 33)),
			Signatures: batch.Packed(sigs, 64), S: batch.AnyS}
		verdicts := make([]batch.Verdict, len(want))
		if _, err := rows.Verify(t.Context(), verdicts, on); err != nil {
			t.Error(err)
		}
		compareVectors(t, name, verdicts, want)
		// Some rows of the files reach exceptions of the addition formulas, so the device leaves
		// them Unchecked.
		n := int64(len(want))
		if left := n - count.decided.Load(); n < 200 || count.rows.Load() != n || left > 10 {
			t.Errorf("%s: of %d rows the device was asked about %d, and left %d", name, n,
				count.rows.Load(), left)
		}
	}
}
