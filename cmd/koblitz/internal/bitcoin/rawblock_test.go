package bitcoin

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"io"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

func unpack(t testing.TB, name string) []byte {
	f, err := sample.Files.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func source(name string, b []byte) rows.Source {
	return rows.Source{Name: name, Reader: bytes.NewReader(b)}
}

func readSpent(t testing.TB, b []byte) *Spent {
	s, err := ReadSpent(source("block.spent", b))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSample(t *testing.T) {
	block, spent := unpack(t, sample.Block), readSpent(t, unpack(t, sample.Spent))
	text := []byte(hex.EncodeToString(block))
	for _, c := range []struct {
		name  string
		inHex bool
		data  []byte
	}{{"binary", false, block}, {"hex", true, text}, {"hex, lines", true, append(bytes.Join([][]byte{text[:1001], text[1001:5000], text[5000:]}, []byte("\r\n")), '\n')}} {
		t.Run(c.name, func(t *testing.T) {
			got := run(RawBlock(source("block", c.data), c.inHex, spent, Options{}))
			t.Logf("%+v", got.kinds)
			if got.err != nil {
				t.Fatal(got.err)
			}
			if got.verdicts != [6]int{rows.Valid: 732} || got.high != 366 {
				t.Errorf("verdicts %v, %d with a high s; want 732 valid, 366 of them high", got.verdicts, got.high)
			}
		})
	}
}
