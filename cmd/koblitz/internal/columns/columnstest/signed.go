package columnstest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"golang.org/x/crypto/sha3"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// Signed returns a table of n signed rows with the columns h, k and s. For recovery, the column a
// replaces k. The first column holds notes.
func Signed(t testing.TB, scheme reading.Scheme, n int) []Column {
	t.Helper()
	table := []Column{{Name: "note"}, {Name: "h"}, {Name: "k"}, {Name: "s"}}
	if scheme == reading.Recover {
		table[2].Name = "a"
	}
	for i := range n {
		hash := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
		secret := sha256.Sum256(binary.BigEndian.AppendUint32(nil, uint32(i%50)))
		key, err := koblitz.ParsePrivateKey(secret[:])
		if err != nil {
			t.Fatal(err)
		}
		var who, sig []byte
		switch scheme {
		case reading.ECDSA:
			compressed := [33]byte(key.PublicKey().Bytes())
			who = compressed[:]
			var s *ecdsa.Signature
			if s, err = ecdsa.Sign(key, hash[:], nil); err == nil {
				sig = s.AppendBytes(nil)
			}
		case reading.Schnorr:
			who = key.XOnlyPublicKey().Bytes()
			sig, err = schnorr.Sign(key, hash[:], nil)
		case reading.Recover:
			keccak := sha3.NewLegacyKeccak256()
			full := key.PublicKey().UncompressedBytes()
			keccak.Write(full[1:])
			who = keccak.Sum(nil)[12:]
			sig, err = ecdsa.SignRecoverable(key, hash[:], nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		for c, v := range [][]byte{fmt.Appendf(nil, "row %d", i), hash[:], who, sig} {
			table[c].Values = append(table[c].Values, bytes.Clone(v))
		}
	}
	return table
}
