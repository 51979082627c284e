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

// TestBIP340 checks that an OpenCL device gives the test vectors of BIP-340 the results stated in
// their file. The vectors with messages of 32 bytes are verified in one call of SchnorrRows.Verify.
// The device must leave two of them Unchecked, because their point R is infinity; the host then
// decides them. The vectors with messages of any length are added to an accumulator of
// batch.NewSchnorr and verified there.
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
	all, good := batch.NewSchnorr(0, on), batch.NewSchnorr(0, on)
	var messages, keys, sigs []byte
	var want, wantAll []bool
	for _, r := range records[1:] {
		field := func(name string) string { return r[slices.Index(records[0], name)] }
		key, message, sig := unhex(t, field("public key")), unhex(t, field("message")),
			unhex(t, field("signature"))
		valid := field("verification result") == "TRUE"
		all.AddBytes(key, message, sig)
		wantAll = append(wantAll, valid)
		if valid {
			good.AddBytes(key, message, sig)
		}
		if len(message) == 32 {
			messages, keys, sigs = append(messages, message...), append(keys, key...), append(sigs, sig...)
			want = append(want, valid)
		}
	}
	rows := batch.SchnorrRows{Messages: batch.Packed(messages, 32),
		Keys:       batch.EncodedKeys(batch.Packed(keys, 32)),
		Signatures: batch.Packed(sigs, 64)}
	verdicts := make([]batch.Verdict, len(want))
	if _, err := rows.Verify(t.Context(), verdicts, on); err != nil {
		t.Error(err)
	}
	compareVectors(t, "columns", verdicts, want)
	if n := int64(len(want)); n != 15 || count.decided.Load() != n-2 {
		t.Errorf("of %d rows the device has decided %d", n, count.decided.Load())
	}
	verdicts = make([]batch.Verdict, all.Len())
	if _, err = all.Verify(t.Context(), verdicts); err != nil {
		t.Error(err)
	}
	compareVectors(t, "an accumulator", verdicts, wantAll)
	if n := len(wantAll); n != 19 || count.rows.Load() == 15 {
		t.Errorf("of %d rows the device was asked about none", n)
	}
	// VerifyAll, which checks an equation, accepts the valid vectors.
	before := count.rows.Load()
	if ok, err := good.VerifyAll(t.Context()); !ok || err != nil ||
		count.rows.Load() != before+int64(good.Len()) {
		t.Errorf("the good rows: %v, %v", ok, err)
	}
	if ok, err := all.VerifyAll(t.Context()); ok || err != nil {
		t.Errorf("all rows: %v, %v", ok, err)
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
	for name, hash := range map[string]func([]byte) []byte{
		"ecdsa_secp256k1_sha256_p1363_test.json.gz": func(m []byte) []byte {
			h := sha256.Sum256(m)
			return h[:]
		},
		"ecdsa_secp256k1_sha512_p1363_test.json.gz": func(m []byte) []byte {
			h := sha512.Sum512(m)
			return h[:]
		},
	} {
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
				hashes, keys = append(hashes, hash(unhex(t, test.Msg))[:32]...), append(keys, key.Bytes()...)
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
