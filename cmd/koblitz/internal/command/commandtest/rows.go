package commandtest

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// Key returns the secret key n.
func Key(t testing.TB, n byte) *koblitz.PrivateKey {
	t.Helper()
	b := sha256.Sum256([]byte{n})
	return clitest.Must(koblitz.ParsePrivateKey(b[:]))
}

// BIP340Row returns a packed row that the secret key n has signed.
func BIP340Row(t testing.TB, n byte) []byte {
	t.Helper()
	msg := sha256.Sum256([]byte{'m', n})
	key := Key(t, n)
	sig := clitest.Must(schnorr.Sign(key, msg[:], &schnorr.SignOptions{Aux: make([]byte, 32)}))
	return bytes.Join([][]byte{msg[:], key.PublicKey().XOnlyPublicKey().Bytes(), sig}, nil)
}

// ECDSARow returns a packed row that the secret key n has signed.
func ECDSARow(t testing.TB, n byte) []byte {
	t.Helper()
	msg := sha256.Sum256([]byte{'m', n})
	key := Key(t, n)
	sig := clitest.Must(ecdsa.Sign(key, msg[:], nil))
	return bytes.Join([][]byte{msg[:], key.PublicKey().Bytes(), sig.Bytes()}, nil)
}

// SignedEvent returns an event signed with the secret key n.
func SignedEvent(t testing.TB, n byte, content string) string {
	t.Helper()
	key := Key(t, n)
	pub := hex.EncodeToString(key.PublicKey().XOnlyPublicKey().Bytes())
	id := sha256.Sum256(fmt.Appendf(nil, `[0,"%s",1700000000,1,[["t","x"]],"%s"]`, pub, content))
	sig := clitest.Must(schnorr.Sign(key, id[:], &schnorr.SignOptions{Aux: make([]byte, 32)}))
	return fmt.Sprintf(`{"id":"%x","pubkey":"%s","created_at":1700000000,"kind":1,"tags":[["t",`+
		`"x"]],"content":"%s","sig":"%x"}`, id, pub, content, sig)
}

// TableArgs holds the values of --columns for the tables that columnstest.Signed returns.
var TableArgs = map[reading.Scheme]string{
	reading.ECDSA:   "hash=h,key=k,signature=s",
	reading.Schnorr: "message=h,key=k,signature=s",
	reading.Recover: "hash=h,signature=s,sender=a",
}

// Gzipped returns data packed with gzip.
func Gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer // writing to it cannot fail
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}
