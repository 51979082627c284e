package ecdh_test

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var curve = reference.Secp256k1()

func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

func private(d *big.Int) *koblitz.PrivateKey {
	return reference.Must(koblitz.ParsePrivateKey(bytes32(d)))
}

// A form is one of the functions of the package, which appends its result to dst.
type form struct {
	name string
	sum  bool // whether the result is the SHA-256 hash of the point
	f    func(dst []byte, key *koblitz.PrivateKey, peer *koblitz.PublicKey) ([]byte, error)
}

func xOnly(dst []byte, key *koblitz.PrivateKey, peer *koblitz.PublicKey) ([]byte, error) {
	return ecdh.AppendSharedXOnly(dst, key, peer.XOnlyPublicKey())
}

var forms = []form{
	{"AppendSharedX", false, ecdh.AppendSharedX},
	{"AppendSharedXOnly", false, xOnly},
	{"AppendSharedSHA256", true, ecdh.AppendSharedSHA256},
	{"SharedX", false, alone(ecdh.SharedX)},
	{"SharedXOnly", false, alone(
		func(key *koblitz.PrivateKey, peer *koblitz.PublicKey) ([]byte, error) {
			return ecdh.SharedXOnly(key, peer.XOnlyPublicKey())
		})},
	{"SharedSHA256", true, alone(ecdh.SharedSHA256)},
}

// alone returns f as a function that appends. If f returns bytes and an error, the function returns
// nil in place of dst.
func alone(
	f func(*koblitz.PrivateKey, *koblitz.PublicKey) ([]byte, error),
) func([]byte, *koblitz.PrivateKey, *koblitz.PublicKey) ([]byte, error) {
	return func(dst []byte, key *koblitz.PrivateKey, peer *koblitz.PublicKey) ([]byte, error) {
		out, err := f(key, peer)
		if err != nil && out != nil {
			return nil, err
		}
		return append(dst, out...), err
	}
}

func TestShared(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 60 {
		a, b := reference.Secret(r), reference.Secret(r)
		ka, kb := private(a), private(b)
		S := curve.ScalarMult(a, curve.ScalarMult(b, curve.G))
		x := bytes32(S.X)
		sum := sha256.Sum256(append([]byte{2 + byte(S.Y.Bit(0))}, x...))
		for _, parties := range []struct{ mine, theirs *koblitz.PrivateKey }{
			{ka, kb}, {kb, ka}, {ka.Blinded(), kb},
		} {
			mine, peer := parties.mine, parties.theirs.PublicKey()
			for _, form := range forms {
				want := x
				if form.sum {
					want = sum[:]
				}
				if got, err := form.f([]byte("dst"), mine, peer); err != nil ||
					string(got) != "dst"+string(want) {
					t.Errorf("%s of %x and %x = %x, %v, want %x", form.name, a, b, got, err, want)
				}
			}
			got, err := ecdh.SharedXOnly(mine.Negate(), peer.XOnlyPublicKey())
			if err != nil || !bytes.Equal(got, x) {
				t.Errorf("SharedXOnly of -%x and %x = %x, %v, want %x", a, b, got, err, x)
			}
		}
	}
}

func TestZeroKeys(t *testing.T) {
	good, wiped := koblitz.GenerateKey(), koblitz.GenerateKey()
	wiped.Zeroize()
	for _, test := range []struct {
		name string
		key  *koblitz.PrivateKey
		peer *koblitz.PublicKey
	}{
		{"nil private key", nil, good.PublicKey()},
		{"zero private key", &koblitz.PrivateKey{}, good.PublicKey()},
		{"zeroized private key", wiped, good.PublicKey()},
		{"nil public key", good, nil},
		{"zero public key", good, &koblitz.PublicKey{}},
		{"nothing", nil, nil},
	} {
		for _, form := range forms {
			if out, err := form.f([]byte("dst"), test.key, test.peer); string(out) != "dst" || err == nil {
				t.Errorf("%s: %s = %x, %v", test.name, form.name, out, err)
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	k, peer := koblitz.GenerateKey(), koblitz.GenerateKey().PublicKey()
	x, buf := peer.XOnlyPublicKey(), make([]byte, 0, 32)
	for name, f := range map[string]func() ([]byte, error){
		"AppendSharedX":      func() ([]byte, error) { return ecdh.AppendSharedX(buf, k, peer) },
		"AppendSharedSHA256": func() ([]byte, error) { return ecdh.AppendSharedSHA256(buf, k, peer) },
		"AppendSharedXOnly":  func() ([]byte, error) { return ecdh.AppendSharedXOnly(buf, k, x) },
	} {
		if n := testing.AllocsPerRun(10, func() { f() }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
