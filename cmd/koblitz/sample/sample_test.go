package sample

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"testing"
)

// TestSources checks that the embedded files have the checksums that SOURCES states.
func TestSources(t *testing.T) {
	sources, err := os.ReadFile("SOURCES")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{Block, Spent} {
		f, err := Files.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		if _, err := io.Copy(h, z); err != nil {
			t.Fatal(err)
		}
		line := hex.EncodeToString(h.Sum(nil)) + "  " + strings.TrimSuffix(name, ".gz") + "\n"
		if !strings.Contains(string(sources), line) {
			t.Errorf("SOURCES does not have %q", line)
		}
	}
}
