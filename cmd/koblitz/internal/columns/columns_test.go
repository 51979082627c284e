package columns

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestText checks that CSV and JSONL files of the same table give the same rows.
func TestText(t *testing.T) {
	const n = 2*RowsPerBatch + 100
	table := columnstest.Sample(n)
	for i := range n {
		if i%7 == 3 {
			table[1+i%3].Values[i] = nil
		}
	}
	spec := specFor(t, reading.ECDSA, Auto)
	for name, form := range columnstest.Forms {
		text := columnstest.AsText(table, form)
		for end, lineEnd := range map[string]string{"lf": "\n", "crlf": "\r\n"} {
			t.Run("csv/"+name+"/"+end, func(t *testing.T) {
				r := must(CSV(source(columnstest.CSV(text, lineEnd)), spec))
				units, err := columnstest.ReadAll(r)
				columnstest.Compare(t, units, err, table, func(i int) string {
					return fmt.Sprintf("t:%d", i+2)
				})
			})
		}
		t.Run("jsonl/"+name, func(t *testing.T) {
			r := must(JSONL(source(columnstest.JSONL(text)), spec))
			units, err := columnstest.ReadAll(r)
			columnstest.Compare(t, units, err, table, func(i int) string { return fmt.Sprintf("t:%d", i+1) })
		})
	}
}

// TestSpec checks that each value of --columns selects the right columns and kind of signature, and
// that invalid values give the right errors.
func TestSpec(t *testing.T) {
	for _, test := range []struct {
		columns string
		scheme  reading.Scheme
		want    string
	}{
		{"hash,key,signature", 0, "1 hash key signature "},
		{"message=m,pubkey=p,sig=s", 0, "2 m p s "},
		{"hash,signature", 0, "3 hash  signature "},
		{"hash,signature,sender=from", 0, "3 hash  signature from"},
		{"hash,signature,address", 0, "3 hash  signature address"},
		{"hash,key,signature", reading.Recover, "3 hash key signature "},
		{"hash,key,signature", reading.Schnorr, "2 hash key signature "},
		{"message,key,signature", reading.ECDSA, "1 message key signature "},
		{"hash=a=b,signature", 0, "3 a=b  signature "},
		{"key,signature", 0, "which column holds the hash"},
		{"hash,key", 0, "which column holds the signature"},
		{"message,signature", 0, "which column holds the key"},
		{"hash,signature", reading.ECDSA, "which column holds the key"},
		{"hash,message,signature", 0, "column hash is named twice"},
		{"hash,key,signature,sender", 0, "a sender is compared"},
		{"hash,key,signature,sender", reading.Recover, "not with both"},
		{"hash=,signature", 0, "column hash has no name"},
		{"digest,signature", 0, `unknown column "digest"`},
		{"hash=x,signature=x", 0, `column "x" cannot hold two things`},
	} {
		s, err := ParseSpec(strings.Split(test.columns, ","), test.scheme, Auto)
		text := fmt.Sprint(uint8(s.Scheme), " ", strings.Join(s.Names[:], " "))
		if err != nil {
			text = err.Error()
		}
		if err == nil && text != test.want || !strings.Contains(text, test.want) {
			t.Errorf("%s: %q, want %q", test.columns, text, test.want)
		}
	}
	if len(RoleNames()) != len(slices.Compact(slices.Sorted(slices.Values(RoleNames())))) {
		t.Error("a name has two roles")
	}
}

// must returns v. It panics if the setup of a test failed.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// An opener is CSV or JSONL.
type opener = func(reading.Source, Spec) (reading.Reader, error)

func source(data []byte) reading.Source {
	return reading.Source{Name: "t", Reader: bytes.NewReader(data)}
}

// specFor returns the Spec for a signature scheme and the columns of columnstest.Sample.
func specFor(t testing.TB, scheme reading.Scheme, e Encoding) Spec {
	t.Helper()
	names := map[reading.Scheme][]string{
		reading.ECDSA:   {"hash=h", "key=k", "signature=s"},
		reading.Schnorr: {"message=h", "key=k", "signature=s"},
		reading.Recover: {"hash=h", "signature=s", "sender=a"},
	}[scheme]
	s := must(ParseSpec(names, 0, e))
	if s.Scheme != scheme {
		t.Fatalf("scheme %d, not %d", s.Scheme, scheme)
	}
	return s
}
