package ecdh_test

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var curve = reference.Secp256k1()

func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

// secret returns a random number in [1, n). Many of these numbers are near 0, n or another edge.
func secret(r *rand.Rand) *big.Int {
	for {
		if d := reference.RandInt(r); d.Sign() > 0 && d.Cmp(curve.Order) < 0 {
			return d
		}
	}
}

func private(t testing.TB, d *big.Int) *koblitz.PrivateKey {
	t.Helper()
	k, err := koblitz.ParsePrivateKey(bytes32(d))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestShared(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 60 {
		a, b := secret(r), secret(r)
		ka, kb := private(t, a), private(t, b)
		S := curve.ScalarMult(a, curve.ScalarMult(b, curve.G))
		x := bytes32(S.X)
		sum := sha256.Sum256(append([]byte{2 + byte(S.Y.Bit(0))}, x...))
		for _, parties := range []struct{ mine, theirs *koblitz.PrivateKey }{
			{ka, kb}, {kb, ka}, {ka.Blinded(), kb},
		} {
			mine, peer := parties.mine, parties.theirs.PublicKey()
			for name, f := range map[string]func() ([]byte, error){
				"SharedX":     func() ([]byte, error) { return ecdh.SharedX(mine, peer) },
				"SharedXOnly": func() ([]byte, error) { return ecdh.SharedXOnly(mine, peer.XOnlyPublicKey()) },
				"SharedXOnly, -key": func() ([]byte, error) {
					return ecdh.SharedXOnly(mine.Negate(), peer.XOnlyPublicKey())
				},
				"AppendSharedX": func() ([]byte, error) {
					out, err := ecdh.AppendSharedX([]byte("dst"), mine, peer)
					return bytes.TrimPrefix(out, []byte("dst")), err
				},
				"AppendSharedXOnly": func() ([]byte, error) {
					out, err := ecdh.AppendSharedXOnly([]byte("dst"), mine, peer.XOnlyPublicKey())
					return bytes.TrimPrefix(out, []byte("dst")), err
				},
			} {
				if got, err := f(); err != nil || !bytes.Equal(got, x) {
					t.Errorf("%s of %x and %x = %x, %v, want %x", name, a, b, got, err, x)
				}
			}
			if got, err := ecdh.SharedSHA256(mine, peer); err != nil || !bytes.Equal(got, sum[:]) {
				t.Errorf("SharedSHA256 of %x and %x = %x, %v, want %x", a, b, got, err, sum)
			}
			got, err := ecdh.AppendSharedSHA256([]byte("dst"), mine, peer)
			if err != nil || string(got) != "dst"+string(sum[:]) {
				t.Errorf("AppendSharedSHA256 of %x and %x = %x, %v, want %x", a, b, got, err, sum)
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
		for name, f := range map[string]func() ([]byte, error){
			"SharedX":      func() ([]byte, error) { return ecdh.SharedX(test.key, test.peer) },
			"SharedSHA256": func() ([]byte, error) { return ecdh.SharedSHA256(test.key, test.peer) },
			"SharedXOnly": func() ([]byte, error) {
				return ecdh.SharedXOnly(test.key,
					test.peer.XOnlyPublicKey())
			},
		} {
			if out, err := f(); out != nil || err == nil {
				t.Errorf("%s: %s = %x, %v", test.name, name, out, err)
			}
		}
		for name, f := range map[string]func([]byte) ([]byte, error){
			"AppendSharedX": func(b []byte) ([]byte, error) {
				return ecdh.AppendSharedX(b, test.key, test.peer)
			},
			"AppendSharedSHA256": func(b []byte) ([]byte, error) {
				return ecdh.AppendSharedSHA256(b, test.key, test.peer)
			},
			"AppendSharedXOnly": func(b []byte) ([]byte, error) {
				return ecdh.AppendSharedXOnly(b, test.key, test.peer.XOnlyPublicKey())
			},
		} {
			if out, err := f([]byte("dst")); string(out) != "dst" || err == nil {
				t.Errorf("%s: %s = %x, %v", test.name, name, out, err)
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
		if n := testing.AllocsPerRun(10, func() {
			if _, err := f(); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestConcurrentUse checks that many goroutines can use the same two keys at a time. The race
// detector finds violations.
func TestConcurrentUse(t *testing.T) {
	k, peer := koblitz.GenerateKey(), koblitz.GenerateKey()
	want, err := ecdh.SharedX(peer, k.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	public := peer.PublicKey()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got, err := ecdh.SharedX(k, public); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%x, %v, want %x", got, err, want)
			}
		})
	}
	wg.Wait()
}

func FuzzShared(f *testing.F) {
	f.Add(bytes32(big.NewInt(1)), bytes32(big.NewInt(2)))
	f.Add(bytes32(new(big.Int).Sub(curve.Order, big.NewInt(1))), bytes32(reference.Lambda()))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		ka, errA := koblitz.ParsePrivateKey(a)
		kb, errB := koblitz.ParsePrivateKey(b)
		if errA != nil || errB != nil {
			return
		}
		x, err1 := ecdh.SharedSHA256(ka, kb.PublicKey())
		y, err2 := ecdh.SharedSHA256(kb, ka.PublicKey())
		if err1 != nil || err2 != nil || !bytes.Equal(x, y) {
			t.Fatalf("%x, %v, %x, %v", x, err1, y, err2)
		}
		x, err1 = ecdh.SharedXOnly(ka, kb.XOnlyPublicKey())
		y, err2 = ecdh.SharedX(kb, ka.PublicKey())
		if err1 != nil || err2 != nil || !bytes.Equal(x, y) {
			t.Fatalf("x-only: %x, %v, %x, %v", x, err1, y, err2)
		}
	})
}
