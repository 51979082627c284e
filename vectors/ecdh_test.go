package vectors

import (
	"encoding/hex"
	"testing"

	"github.com/koblitz-go/koblitz/ecdh"
)

// TestBOLT8 checks that both sides of Lightning's handshake compute the shared secrets in BOLT 8.
func TestBOLT8(t *testing.T) {
	var rows []struct{ Private, Public, SS string }
	loadJSON(t, "bolt8.json", &rows)
	for i, row := range rows {
		got, err := ecdh.SharedSHA256(privateKey(t, row.Private), publicKey(t, row.Public))
		if err != nil || hex.EncodeToString(got) != row.SS {
			t.Errorf("row %d: %x, %v, want %s", i, got, err, row.SS)
		}
	}
	count(t, "all", len(rows), 6)
}
