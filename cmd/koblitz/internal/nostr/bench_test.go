package nostr

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify/verifytest"
	"github.com/koblitz-go/koblitz/schnorr"
)

// events returns n events of a few hundred authors, one a line: notes of typical lengths, reactions
// and contact lists.
func events(t testing.TB, n int) []byte {
	var out bytes.Buffer
	for i := range n {
		secret := sha256.Sum256(binary.LittleEndian.AppendUint64(nil, uint64(i%300)))
		key, err := koblitz.ParsePrivateKey(secret[:])
		if err != nil {
			t.Fatal(err)
		}
		kind, content, tags := 1, strings.Repeat("a note \"with\" words, ", i%20)+"\n"+fmt.Sprint(i),
			fmt.Sprintf(`[["e","%x","","reply"],["p","%x"]]`, secret, secret)
		switch {
		case i%5 == 0:
			kind, content = 7, "+"
		case i%50 == 1:
			kind, content = 3, ""
			tags = "[" + strings.Repeat(fmt.Sprintf(`["p","%x"],`, secret), 99) + `["p"]]`
		}
		text, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		pub := key.PublicKey().XOnlyPublicKey().Bytes()
		hashed := fmt.Sprintf(`[0,"%x",%d,%d,%s,%s]`, pub, 1700000000+i, kind, tags, text)
		id := sha256.Sum256([]byte(hashed))
		sig, err := schnorr.Sign(key, id[:], nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, `{"content":%s,"created_at":%d,"id":"%x","kind":%d,"pubkey":"%x","sig":"%x",`+
			`"tags":%s}`+"\n", text, 1700000000+i, id, kind, pub, sig, tags)
	}
	return out.Bytes()
}

// BenchmarkCheck measures the time per row of package verify.
func BenchmarkCheck(b *testing.B) {
	lines := events(b, 60_000)
	list := append([]byte("["), bytes.ReplaceAll(lines[:len(lines)-1], newline, []byte(",\n"))...)
	b.Run("lines", func(b *testing.B) { verifytest.Benchmark(b, lines, NewReader) })
	b.Run("list", func(b *testing.B) { verifytest.Benchmark(b, append(list, ']'), NewDocuments) })
}
