package peer

import (
	"bytes"
	"errors"
	"flag"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// require holds the names of peers without which the tests fail; CI sets it. If another peer is
// missing, its tests are skipped.
var require = flag.String("require", os.Getenv("BENCH_REQUIRE"),
	"peers without which the tests fail, separated by commas")

var errMissing = errors.New("a peer that is required is missing")

func openAll(t *testing.T) (ours *Peer, others []*Peer) {
	t.Helper()
	var required []string
	if *require != "" {
		required = strings.Split(*require, ",")
	}
	peers := openWith(t, sharedInputs, Config{Require: required})
	return peers[0], peers[1:]
}

// openWith opens the peers that c selects, until the end of the test.
func openWith(t *testing.T, in *Inputs, c Config) []*Peer {
	t.Helper()
	c.Rust = rustSources
	c.Absent = func(name string, reason error) { t.Logf("%s is left out: %v", name, reason) }
	peers, err := Open(in, c)
	if err != nil {
		t.Fatal(errMissing, err)
	}
	t.Cleanup(func() {
		for _, p := range peers {
			if p.Close != nil {
				p.Close()
			}
		}
	})
	for _, p := range peers {
		t.Logf("%s %s: %s", p.Name, p.Version, p.Note)
	}
	return peers
}

var sharedInputs = NewInputs(1024, 1024)

// TestDrivers checks that the results of all peers agree for the inputs of the timed operations.
func TestDrivers(t *testing.T) {
	ours, others := openAll(t)
	for _, p := range append(others, ours) {
		if len(p.Operations()) != len(p.Drivers) {
			t.Errorf("%s has %d drivers, %d of them of known operations",
				p.Name, len(p.Drivers), len(p.Operations()))
		}
		if err := Check(sharedInputs, ours, p, func(string) bool { return true }, nil); err != nil {
			t.Error(err)
		}
		t.Logf("%s: %d operations", p.Name, len(p.Drivers))
	}
}

// cases holds encoded secrets, hashes, keys and numbers on which the results of all peers must
// agree.
type cases struct {
	rng     *rand.Rand
	secrets [][]byte // valid private keys
	hashes  [][]byte
	keys    [][]byte // compressed public keys of secrets, 33 bytes each
	edge    [][]byte // 32 bytes each with any value, edge cases first
}

func newCases(n int) *cases {
	c := &cases{rng: rand.New(rand.NewPCG(3, 14))}
	random := func() []byte {
		x := reference.RandInt(c.rng)
		return x.FillBytes(make([]byte, 32))
	}
	for _, x := range reference.EdgeInts() {
		if x.Sign() >= 0 && x.BitLen() <= 256 {
			c.edge = append(c.edge, x.FillBytes(make([]byte, 32)))
		}
	}
	c.hashes = append(c.hashes, c.edge...)
	for _, b := range c.edge {
		c.secret(b)
	}
	for len(c.secrets) < n {
		c.secret(random())
	}
	for len(c.hashes) < n {
		c.hashes = append(c.hashes, random())
	}
	for len(c.edge) < n {
		c.edge = append(c.edge, random())
	}
	return c
}

func (c *cases) secret(b []byte) {
	if k, err := koblitz.ParsePrivateKey(b); err == nil {
		c.secrets = append(c.secrets, b)
		c.keys = append(c.keys, k.PublicKey().Bytes())
	}
}

func (c *cases) hash(i int) []byte { return c.hashes[i%len(c.hashes)] }

// mutate returns b, a signature or a key, with a change that every verifier must detect.
func (c *cases) mutate(b []byte) []byte {
	b = slices.Clone(b)
	switch c.rng.IntN(5) {
	case 0, 1:
		b[c.rng.IntN(len(b))] ^= 1 << c.rng.IntN(8)
	case 2: // a half becomes an edge case
		copy(b[32*c.rng.IntN(len(b)/32):], c.edge[c.rng.IntN(len(c.edge))])
	case 3: // the last 32 bytes, a number x, become −x modulo n
		half := b[len(b)-32:]
		x := new(big.Int).SetBytes(half)
		x.Sub(reference.N(), x).Mod(x, reference.N()).FillBytes(half)
	case 4: // the last 32 bytes, a number x, become x + n if that has 256 bits
		half := b[len(b)-32:]
		if x := new(big.Int).Add(new(big.Int).SetBytes(half), reference.N()); x.BitLen() <= 256 {
			x.FillBytes(half)
		}
	}
	return b
}

const count = 700

// TestFunctions checks that the functions of all peers have the same results for random and crafted
// inputs.
func TestFunctions(t *testing.T) {
	ours, others := openAll(t)
	c := newCases(count)
	f := ours.Functions
	type signed struct{ ecdsa, der, schnorr, recoverable []byte }
	sigs := make([]signed, len(c.secrets))
	for i, s := range c.secrets {
		h := c.hash(i)
		k := must(koblitz.ParsePrivateKey(s))
		sig := must(ecdsa.Sign(k, h, nil))
		sigs[i] = signed{
			ecdsa: sig.Bytes(), der: sig.DER(),
			schnorr:     f.SchnorrSign(s, h, c.edge[i%len(c.edge)]),
			recoverable: must(ecdsa.SignRecoverable(k, h, nil)),
		}
	}
	below := func(m *big.Int) (in [][]byte) {
		for _, b := range c.edge {
			if new(big.Int).SetBytes(b).Cmp(m) < 0 {
				in = append(in, b)
			}
		}
		return in
	}
	fields, scalars := below(reference.P()), below(reference.N())
	for _, p := range others {
		g := p.Functions
		n := 0
		same := func(what string, got, want []byte, in ...[]byte) {
			t.Helper()
			n++
			if !bytes.Equal(got, want) {
				t.Fatalf("%s: %s of %x is %x, koblitz has %x", p.Name, what, in, got, want)
			}
		}
		agree := func(what string, got, want bool, in ...[]byte) {
			t.Helper()
			n++
			if got != want {
				t.Fatalf("%s: %s of %x is %v, koblitz says %v", p.Name, what, in, got, want)
			}
		}
		low := func(sig []byte) bool {
			s, err := ecdsa.ParseSignature(sig)
			return !g.LowS || err != nil || s.IsLowS()
		}
		for i, s := range c.secrets {
			h, key, sig := c.hash(i), c.keys[i], sigs[i]
			other := c.keys[(i+1)%len(c.keys)]
			if g.PublicKey != nil {
				same("public key", g.PublicKey(s), key, s)
			}
			if g.ECDSASign != nil && !(g.RawHash && new(big.Int).SetBytes(h).Cmp(reference.N()) >= 0) {
				same("ECDSA signature", g.ECDSASign(s, h), sig.ecdsa, s, h)
			}
			if g.ECDSAVerify != nil {
				agree("ECDSA verification", g.ECDSAVerify(key, h, sig.ecdsa), true, key, h, sig.ecdsa)
				verify := func(key, h, sig []byte) {
					t.Helper()
					got, want := g.ECDSAVerify(key, h, sig), f.ECDSAVerify(key, h, sig)
					agree("ECDSA verification", got, want, key, h, sig)
				}
				for range 3 {
					if bad := c.mutate(sig.ecdsa); low(bad) {
						verify(key, h, bad)
					}
				}
				verify(key, c.mutate(h), sig.ecdsa)
				verify(other, h, sig.ecdsa)
			}
			if g.ECDSAVerifyDER != nil {
				agree("ECDSA verification of DER", g.ECDSAVerifyDER(key, h, sig.der), true, key, h, sig.der)
			}
			if g.SchnorrSign != nil {
				same("BIP-340 signature", g.SchnorrSign(s, h, c.edge[i%len(c.edge)]), sig.schnorr, s, h)
			}
			if g.SchnorrVerify != nil {
				x := key[1:]
				agree("BIP-340 verification", g.SchnorrVerify(x, h, sig.schnorr), true, x, h, sig.schnorr)
				verify := func(x, h, sig []byte) {
					t.Helper()
					got, want := g.SchnorrVerify(x, h, sig), f.SchnorrVerify(x, h, sig)
					agree("BIP-340 verification", got, want, x, h, sig)
				}
				for range 3 {
					verify(x, h, c.mutate(sig.schnorr))
				}
				verify(c.edge[i%len(c.edge)], h, sig.schnorr)
			}
			if g.ECDHX != nil {
				same("ECDH", g.ECDHX(s, other), f.ECDHX(s, other), s, other)
			}
			if g.ECDHSHA256 != nil {
				same("ECDH", g.ECDHSHA256(s, other), f.ECDHSHA256(s, other), s, other)
			}
			if g.EllswiftX != nil {
				ours, theirs := slices.Concat(h, sig.ecdsa[:32]), slices.Concat(c.edge[i%len(c.edge)], key[1:])
				for _, b := range [...][]byte{ours, theirs, slices.Concat(key[1:], c.edge[i%len(c.edge)])} {
					same("x coordinate", g.EllswiftX(b), f.EllswiftX(b), b)
				}
				encoded := must(ellswift.Encode(must(koblitz.ParsePublicKey(key)), nil))
				same("x coordinate", g.EllswiftX(encoded), key[1:], encoded)
				for _, initiating := range [...]bool{false, true} {
					same("secret", g.EllswiftSecret(s, ours, theirs, initiating),
						f.EllswiftSecret(s, ours, theirs, initiating), s, ours, theirs)
				}
			}
			if g.Recover != nil {
				same("recovered key", g.Recover(h, sig.recoverable), key, h, sig.recoverable)
				bad := slices.Concat(c.mutate(sig.ecdsa), []byte{byte(c.rng.IntN(4))})
				same("recovered key", g.Recover(h, bad), f.Recover(h, bad), h, bad)
			}
			if g.Multiply != nil {
				same("product", g.Multiply(s, other), f.Multiply(s, other), s, other)
			}
			if g.Add != nil {
				minus := slices.Clone(key)
				minus[0] ^= 1
				for _, q := range [...][]byte{other, key, minus} {
					same("sum", g.Add(key, q), f.Add(key, q), key, q)
				}
			}
		}
		if g.Parse != nil {
			for i, e := range c.edge {
				next := c.edge[(i+1)%len(c.edge)]
				changed := c.mutate(f.Parse(c.keys[i%len(c.keys)])[1:])
				for _, b := range [...][]byte{
					slices.Concat([]byte{2}, e), slices.Concat([]byte{3}, e),
					slices.Concat([]byte{byte(i)}, e),
					slices.Concat([]byte{4}, e, next), slices.Concat([]byte{4}, changed),
				} {
					if b[0] == 6 || b[0] == 7 {
						continue // koblitz refuses hybrid keys, which some peers accept
					}
					if b[0] == 5 && g.Compact {
						continue
					}
					same("parsed key", g.Parse(b), f.Parse(b), b)
				}
			}
		}
		for i, a := range fields {
			b := fields[(i+7)%len(fields)]
			if g.FieldMul != nil {
				same("field product", g.FieldMul(a, b), f.FieldMul(a, b), a, b)
			}
			if g.FieldInv != nil {
				same("field inverse", g.FieldInv(a), f.FieldInv(a), a)
			}
			if g.FieldSqrt != nil {
				same("square root", g.FieldSqrt(a), f.FieldSqrt(a), a)
			}
		}
		for i, a := range scalars {
			b := scalars[(i+7)%len(scalars)]
			if g.ScalarMul != nil {
				same("scalar product", g.ScalarMul(a, b), f.ScalarMul(a, b), a, b)
			}
			if g.ScalarInv != nil {
				same("scalar inverse", g.ScalarInv(a), f.ScalarInv(a), a)
			}
		}
		t.Logf("%s: %d comparisons", p.Name, n)
	}
}
