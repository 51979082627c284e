package vectors

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
)

// load returns the content of a file in testdata, decompressed if it is a gzip file.
func load(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(name, ".gz") {
		return b
	}
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	b, err = io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return b
}

// loadJSON decodes a JSON file in testdata. It fails on fields that v lacks, so that no field is
// ignored by mistake.
func loadJSON(t *testing.T, name string, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(load(t, name)))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// A csvRow is a row of a CSV file: a map from the names in the file's first row to the fields.
type csvRow struct {
	t      *testing.T
	fields map[string]string
}

// loadCSV returns the rows of a CSV file in testdata, and checks their number.
func loadCSV(t *testing.T, name string, want int) (rows []csvRow) {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(load(t, name))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, values := range all[1:] {
		row := csvRow{t, map[string]string{}}
		for i, v := range values {
			row.fields[all[0][i]] = v
		}
		rows = append(rows, row)
	}
	count(t, name, len(rows), want)
	return rows
}

// text returns the field of a column.
func (r csvRow) text(column string) string {
	r.t.Helper()
	s, ok := r.fields[column]
	if !ok {
		r.t.Fatalf("there is no column %q", column)
	}
	return s
}

// bytes decodes the field of a column.
func (r csvRow) bytes(column string) []byte {
	r.t.Helper()
	return unhex(r.t, r.text(column))
}

// verdict returns whether the field of a column is TRUE. It must be TRUE or FALSE.
func (r csvRow) verdict(column string) bool {
	r.t.Helper()
	s := r.text(column)
	if s != "TRUE" && s != "FALSE" {
		r.t.Fatalf("%s is %q", column, s)
	}
	return s == "TRUE"
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return b
}

// count fails the test if the number of rows is not want.
func count(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d rows, want %d", what, got, want)
	}
}

func privateKey(t *testing.T, s string) *koblitz.PrivateKey {
	t.Helper()
	k, err := koblitz.ParsePrivateKey(unhex(t, s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return k
}

func publicKey(t *testing.T, s string) *koblitz.PublicKey {
	t.Helper()
	k, err := koblitz.ParsePublicKey(unhex(t, s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return k
}

func xOnlyKey(t *testing.T, s string) *koblitz.XOnlyPublicKey {
	t.Helper()
	k, err := koblitz.ParseXOnlyPublicKey(unhex(t, s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return k
}

// TestSources checks that the files in testdata are those that testdata/SOURCES lists, with the
// same SHA-256. The tests of musig2 and x/frost have vectors with secret nonces, which no exported
// function takes, in folders of their own.
func TestSources(t *testing.T) {
	for _, dir := range []string{"testdata", "../musig2/testdata", "../x/frost/testdata"} {
		t.Run(dir, func(t *testing.T) { testSources(t, dir) })
	}
}

func testSources(t *testing.T, dir string) {
	entries := map[string]map[string]string{}
	var fields map[string]string
	listed := load(t, filepath.Join("..", dir, "SOURCES"))
	for _, line := range strings.Split(string(listed), "\n") {
		switch text := strings.TrimSpace(line); {
		case text == "" || strings.HasPrefix(text, "#"):
		case strings.HasPrefix(line, "\t"):
			name, value, ok := strings.Cut(text, ": ")
			if !ok || fields == nil {
				t.Fatalf("SOURCES: %q is not of the form NAME: VALUE", line)
			}
			fields[name] = value
		default:
			fields = map[string]string{}
			entries[line] = fields
		}
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator)))
		if err != nil || d.IsDir() || name == "SOURCES" {
			return err
		}
		entry, ok := entries[name]
		if !ok {
			t.Errorf("%s has no entry in SOURCES", name)
			return nil
		}
		delete(entries, name)
		for _, field := range []string{"origin", "version", "licence", "sha256"} {
			if entry[field] == "" {
				t.Errorf("SOURCES: %s has no %s", name, field)
			}
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if got := sum(b); got != entry["sha256"] {
			t.Errorf("%s has the SHA-256 %s, not %s", name, got, entry["sha256"])
		}
		if strings.HasSuffix(name, ".gz") {
			if got := sum(load(t, filepath.Join("..", dir, name))); got != entry["unpacked"] {
				t.Errorf("%s, unpacked, has the SHA-256 %s, not %s", name, got, entry["unpacked"])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		t.Errorf("SOURCES: there is no file %s", name)
	}
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}
