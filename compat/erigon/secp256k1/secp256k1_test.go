package secp256k1_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/erigontech/secp256k1"
)

// The calls that recover the sender of a transaction.
func Example() {
	key, hash := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	sig, err := secp256k1.Sign(hash, key)
	fmt.Println(len(sig), err)
	public, err := secp256k1.RecoverPubkeyWithContext(secp256k1.ContextForThread(0), hash, sig,
		make([]byte, 0, 65))
	fmt.Println(err, secp256k1.VerifySignature(public, hash, sig[:64]))
	x, y := secp256k1.S256().ScalarBaseMult(key)
	fmt.Println(bytes.Equal(secp256k1.S256().Marshal(x, y), public))
	u, v := secp256k1.DecompressPubkey(secp256k1.CompressPubkey(x, y))
	fmt.Println(u.Cmp(x), v.Cmp(y))
	// Output:
	// 65 <nil>
	// <nil> true
	// true
	// 0 0
}

// TestErrors checks the errors, and that the hash is checked before the signature and the key.
func TestErrors(t *testing.T) {
	hash, sig := make([]byte, 32), bytes.Repeat([]byte{1}, 65)
	order := secp256k1.S256().N.Bytes()
	for _, c := range []struct {
		call func() ([]byte, error)
		want error
	}{
		{func() ([]byte, error) { return secp256k1.Sign(nil, nil) }, secp256k1.ErrInvalidMsgLen},
		{func() ([]byte, error) { return secp256k1.Sign(hash, nil) }, secp256k1.ErrInvalidKey},
		{func() ([]byte, error) { return secp256k1.Sign(hash, hash) }, secp256k1.ErrInvalidKey},
		{func() ([]byte, error) { return secp256k1.Sign(hash, order) }, secp256k1.ErrInvalidKey},
		{func() ([]byte, error) { return secp256k1.RecoverPubkey(sig, nil) },
			secp256k1.ErrInvalidMsgLen},
		{func() ([]byte, error) { return secp256k1.RecoverPubkey(hash, hash) },
			secp256k1.ErrInvalidSignatureLen},
		{func() ([]byte, error) { return secp256k1.RecoverPubkey(hash, append(sig[:64:64], 4)) },
			secp256k1.ErrInvalidRecoveryID},
		{func() ([]byte, error) { return secp256k1.RecoverPubkey(hash, make([]byte, 65)) },
			secp256k1.ErrRecoverFailed},
	} {
		if out, err := c.call(); out != nil || err != c.want {
			t.Errorf("%x, %v, want %v", out, err, c.want)
		}
	}
}

// TestContexts checks that the calls with a context for which the replaced module panics succeed.
func TestContexts(t *testing.T) {
	key, hash := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	sig, err := secp256k1.Sign(hash, key)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*secp256k1.Context{
		nil, secp256k1.ContextForThread(-1), secp256k1.ContextForThread(1 << 30),
	} {
		out, err := secp256k1.RecoverPubkeyWithContext(c, hash, sig, []byte{7})
		if err != nil || len(out) != 66 || !secp256k1.VerifySignature(out[1:], hash, sig[:64]) {
			t.Errorf("%x, %v", out, err)
		}
	}
}
