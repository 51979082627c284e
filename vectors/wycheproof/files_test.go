package wycheproof

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	published "github.com/c2sp/wycheproof"
)

type listed struct {
	name  string
	newer bool // ../testdata has a newer version
	run   func(t *testing.T, f *file)
	// The numbers of rows of the file with each result.
	valid, acceptable, invalid int
}

// files lists all Wycheproof files for secp256k1.
var files = []listed{
	{"ecdh_secp256k1_test.json", false, testECDH, 473, 230, 49},
	{"ecdh_secp256k1_webcrypto_test.json", false, testECDHWebcrypto, 473, 0, 23},
	{"ecdsa_secp256k1_sha256_bitcoin_test.json", false, testBitcoin, 162, 0, 301},
	{"ecdsa_secp256k1_sha256_p1363_test.json", true, testP1363, 167, 0, 85},
	{"ecdsa_secp256k1_sha256_test.json", true, testDER, 168, 0, 308},
	{"ecdsa_secp256k1_sha3_256_test.json", false, testDER, 172, 0, 302},
	{"ecdsa_secp256k1_sha3_512_test.json", false, testDER, 237, 0, 303},
	{"ecdsa_secp256k1_sha512_p1363_test.json", true, testP1363, 236, 0, 86},
	{"ecdsa_secp256k1_sha512_test.json", true, testDER, 237, 0, 309},
	{"ecdsa_secp256k1_shake128_p1363_test.json", false, testP1363, 169, 0, 79},
	{"ecdsa_secp256k1_shake128_test.json", false, testDER, 170, 0, 302},
	{"ecdsa_secp256k1_shake256_p1363_test.json", false, testP1363, 238, 0, 80},
	{"ecdsa_secp256k1_shake256_test.json", false, testDER, 239, 0, 303},
}

// TestFiles checks the verdict on each row of each file. It fails also if the module has a
// secp256k1 file that is not in the list, or if the number of rows differs from the list.
func TestFiles(t *testing.T) {
	err := fs.WalkDir(published.TestVectors, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.Contains(path, "secp256k1") {
			return err
		}
		if !slices.ContainsFunc(files, func(l listed) bool { return l.name == path }) {
			t.Errorf("%s is not in the list", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range files {
		t.Run(strings.TrimSuffix(c.name, "_test.json"), func(t *testing.T) {
			f := open(t, c.name, c.newer)
			rows := map[string]int{}
			for _, g := range f.TestGroups {
				for _, row := range g.Tests {
					rows[row.Result]++
				}
			}
			want := map[string]int{"valid": c.valid, "acceptable": c.acceptable, "invalid": c.invalid}
			total := 0
			for result, n := range rows {
				total += n
				if n != want[result] {
					t.Errorf("%d rows are %s, want %d", n, result, want[result])
				}
			}
			if total != c.valid+c.acceptable+c.invalid || total != f.NumberOfTests {
				t.Errorf("%d rows, want %d; the file says %d",
					total, c.valid+c.acceptable+c.invalid, f.NumberOfTests)
			}
			c.run(t, f)
			if f.judged != total {
				t.Errorf("%d rows of %d were judged", f.judged, total)
			}
		})
	}
}

// TestNewerFiles tests that each file in ../testdata has all rows of the module's version, and
// more.
func TestNewerFiles(t *testing.T) {
	for _, c := range files {
		if !c.newer {
			continue
		}
		rows := func(f *file) map[string]bool {
			set := map[string]bool{}
			for _, g := range f.TestGroups {
				for _, row := range g.Tests {
					set[fmt.Sprint(g.PublicKey.Uncompressed, g.Sha, row.Msg, row.Sig, row.Result)] = true
				}
			}
			return set
		}
		older, newer := rows(open(t, c.name, false)), rows(open(t, c.name, true))
		if len(newer) <= len(older) {
			t.Errorf("%s: %d different rows, and %d in the module", c.name, len(newer), len(older))
		}
		for row := range older {
			if !newer[row] {
				t.Errorf("%s: %s is only in the module", c.name, row)
			}
		}
	}
}

// A file is a Wycheproof file for ECDSA or ECDH.
type file struct {
	NumberOfTests int
	TestGroups    []group
	judged        int
}

type group struct {
	Type, Curve, Encoding, Sha string
	PublicKey                  struct{ Uncompressed, Wx, Wy string }
	PublicKeyDer               string
	Tests                      []row
}

type row struct {
	TcId     int
	Comment  string
	Flags    []string
	Msg, Sig string
	Public   json.RawMessage // a string or a JSON Web Key
	Private  json.RawMessage
	Shared   string
	Result   string
}

func open(t *testing.T, name string, newer bool) *file {
	t.Helper()
	var r io.ReadCloser
	var err error
	if newer {
		r, err = os.Open(filepath.Join("..", "testdata", name+".gz"))
	} else {
		r, err = published.TestVectors.Open(name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if newer {
		if r, err = gzip.NewReader(r); err != nil {
			t.Fatal(err)
		}
	}
	f := new(file)
	if err := json.NewDecoder(r).Decode(f); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

// judge compares a verdict with the result in the file.
func (f *file) judge(t *testing.T, row *row, accepted bool, err error) {
	t.Helper()
	f.judged++
	switch row.Result {
	case "valid", "invalid":
		if want := row.Result == "valid"; accepted != want {
			t.Errorf("row %d (%s): accepted is %v: %v", row.TcId, row.Comment, accepted, err)
		}
	case "acceptable":
	default:
		t.Errorf("row %d: the result is %q", row.TcId, row.Result)
	}
}
