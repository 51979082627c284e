package after

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"

	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/peers/port/before"
)

// A comparison makes random arguments, the same ones in every run, and compares the outcomes of
// functions.
type comparison struct {
	*testing.T
	*rand.Rand
	seen map[string]int // by the name of a function and the kind of its outcome
}

func newComparison(t *testing.T) *comparison {
	return &comparison{t, rand.New(rand.NewPCG(1, 0)), map[string]int{}}
}

// outcome returns the result of a function as text. All errors have the same text.
func outcome[T any](v T, err error) string {
	if err != nil {
		return "error"
	}
	return fmt.Sprint(v)
}

// same checks that the outcomes before and after a port are equal.
func (c *comparison) same(name, before, after string) {
	c.Helper()
	if before != after {
		c.Errorf("%s: before %s, after %s", name, before, after)
	}
	if len(before) > len("false") {
		before = "result"
	}
	c.seen[name+": "+before]++
}

// bytes returns random bytes.
func (c *comparison) bytes(n int) []byte { return reference.Bytes(c, n) }

// hash returns 32 bytes that encode a number below the group order.
func (c *comparison) hash() []byte {
	b := c.bytes(32)
	b[0] &= 0x7f
	return b
}

// secret returns a private key, sometimes the least or the greatest one.
func (c *comparison) secret() []byte {
	switch c.IntN(10) {
	case 0:
		return big.NewInt(1).FillBytes(make([]byte, 32))
	case 1:
		return new(big.Int).Sub(reference.N(), big.NewInt(1)).FillBytes(make([]byte, 32))
	}
	return c.hash()
}

// flip returns b with one bit changed.
func (c *comparison) flip(b []byte) []byte {
	b = bytes.Clone(b)
	i := c.IntN(8 * len(b))
	b[i/8] ^= 1 << (i % 8)
	return b
}

// damage returns b unchanged in half of the calls, and otherwise b with one bit flipped, shortened
// or lengthened.
func (c *comparison) damage(b []byte) []byte {
	switch c.IntN(8) {
	case 0, 1:
		return c.flip(b)
	case 2:
		return b[:c.IntN(len(b))]
	case 3:
		return append(bytes.Clone(b), c.bytes(1+c.IntN(3))...)
	}
	return b
}

// TestOperations compares the functions for single operations with those of package before. The
// arguments avoid the differences that docs/port.md lists.
func TestOperations(t *testing.T) {
	c := newComparison(t)
	for range 1000 {
		secret, hash := c.secret(), c.hash()
		c.keys(secret)
		c.der(secret, hash)
		c.compact(secret, hash)
		c.ethereum(secret, hash)
		c.bip340(secret, hash)
	}
	for _, want := range []string{
		"Keys: result", "Keys: error", "SignDER: result", "VerifyDER: true", "VerifyDER: false",
		"VerifyDER: error", "SignCompact: result", "RecoverCompact: result",
		"RecoverCompact: error", "SignEthereum: result", "SignEthereum: error",
		"Sender: result", "Sender: error",
		"SignBIP340: result", "NewVerifier: error", "Verify: true", "Verify: false",
		"SharedX: result", "SharedX: error", "SharedHash: result", "SharedHash: error",
	} {
		if c.seen[want] < 40 {
			t.Errorf("%d cases of %s", c.seen[want], want)
		}
	}
}

func (c *comparison) keys(secret []byte) {
	_, pub := btcec.PrivKeyFromBytes(c.secret())
	peer := c.damage(pub.SerializeCompressed())
	if c.IntN(2) == 0 {
		peer = c.damage(pub.SerializeUncompressed())
	}
	if len(peer) == 65 && peer[0]|1 == 7 {
		return // a hybrid key
	}
	both := func(own, other []byte, err error) ([]byte, error) { return append(own, other...), err }
	c.same("Keys", outcome(both(before.Keys(secret, peer))), outcome(both(Keys(secret, peer))))
	c.same("SharedX", outcome(before.SharedX(secret, peer)), outcome(SharedX(secret, peer)))
	c.same("SharedHash",
		outcome(before.SharedHash(secret, peer)), outcome(SharedHash(secret, peer)))
}

func (c *comparison) der(secret, hash []byte) {
	der, err := before.SignDER(secret, hash)
	c.same("SignDER", outcome(der, err), outcome(SignDER(secret, hash)))
	_, pub := btcec.PrivKeyFromBytes(secret)
	switch c.IntN(4) {
	case 1: // a high s
		b := reference.Must(ecdsa.ParseDER(der)).Bytes()
		s := reference.Must(new(group.Scalar).SetBytes(b[32:]))
		copy(b[32:], s.Negate(s).Bytes())
		der = reference.Must(ecdsa.ParseSignature(b)).DER()
	case 2:
		hash = c.flip(hash)
	case 3:
		der = [][]byte{c.flip(der), der[:c.IntN(len(der))]}[c.IntN(2)]
		if len(der) > 1 && int(der[1]) < len(der)-2 {
			return // btcec ignores bytes after the signature
		}
	}
	key := pub.SerializeCompressed()
	c.same("VerifyDER",
		outcome(before.VerifyDER(key, hash, der)), outcome(VerifyDER(key, hash, der)))
}

func (c *comparison) compact(secret, hash []byte) {
	sig, err := before.SignCompact(secret, hash)
	c.same("SignCompact", outcome(sig, err), outcome(SignCompact(secret, hash)))
	switch c.IntN(5) {
	case 0, 1:
		sig = c.damage(sig)
	case 2:
		sig[0] = byte(20 + c.IntN(20))
	case 3: // an r so small that r + n may be the x coordinate of a point
		sig[0] = byte(27 + c.IntN(8))
		clear(sig[1:32])
		sig[32] = byte(1 + c.IntN(100))
	}
	record := append(bytes.Clone(sig), 1, 2, 3) // bytes after the signature in memory
	kept := bytes.Clone(record)
	sig = record[:len(sig)]
	c.same("RecoverCompact",
		outcome(before.RecoverCompact(sig, hash)), outcome(RecoverCompact(sig, hash)))
	if !bytes.Equal(record, kept) {
		c.Fatal("the signature, or what follows it, was written to")
	}
}

func (c *comparison) ethereum(secret, hash []byte) {
	if c.IntN(10) == 0 {
		secret, hash = c.damage(secret), c.damage(hash)
	}
	sig, err := before.SignEthereum(secret, hash)
	c.same("SignEthereum", outcome(sig, err), outcome(SignEthereum(secret, hash)))
	if err != nil {
		return
	}
	if c.IntN(10) == 0 {
		hash = hash[:31]
	}
	sig = c.damage(sig)
	c.same("Sender", outcome(before.Sender(hash, sig)), outcome(Sender(hash, sig)))
}

func (c *comparison) bip340(secret, hash []byte) {
	aux := [32]byte(c.bytes(32))
	sig, err := before.SignBIP340(secret, hash, aux)
	c.same("SignBIP340", outcome(sig, err), outcome(SignBIP340(secret, hash, aux)))
	_, pub := btcec.PrivKeyFromBytes(secret)
	key := pub.SerializeCompressed()[1:]
	if c.IntN(4) == 0 {
		key = c.damage(key)
	}
	v1, err1 := before.NewVerifier(key)
	v2, err2 := NewVerifier(key)
	c.same("NewVerifier", outcome("", err1), outcome("", err2))
	if err1 != nil || err2 != nil {
		return
	}
	if c.IntN(2) == 0 {
		hash = hash[:31] // which BIP-340 allows, and btcec does not
		sig, err = SignBIP340(secret, hash, aux)
	}
	if c.IntN(2) == 0 {
		sig, hash = c.damage(sig), c.damage(hash)
	}
	c.same("Verify", outcome(v1.Verify(hash, sig), err), outcome(v2.Verify(hash, sig), err))
}
