package koblitz_test

import (
	"bytes"
	crand "crypto/rand"
	"io"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/reference"
)

func TestParsePrivateKey(t *testing.T) {
	for _, x := range reference.EdgeInts() {
		b := bytes32(x)
		k, err := koblitz.ParsePrivateKey(b)
		if ok := x.Sign() > 0 && x.Cmp(curve.Order) < 0; ok != (err == nil) || ok != (k != nil) {
			t.Errorf("ParsePrivateKey(%x) = %v, %v", b, k, err)
		} else if !ok {
			if !strings.Contains(err.Error(), "zero, or not below the group order") {
				t.Errorf("ParsePrivateKey(%x): error %v", b, err)
			}
			continue
		}
		if !bytes.Equal(k.Bytes(), b) {
			t.Errorf("%x comes back as %x", b, k.Bytes())
		}
	}
	for _, n := range []int{0, 1, 31, 33, 64} {
		k, err := koblitz.ParsePrivateKey(make([]byte, n))
		if k != nil || err == nil || !strings.Contains(err.Error(), "want 32") {
			t.Errorf("ParsePrivateKey of %d bytes = %v, %v", n, k, err)
		}
	}
}

func TestPublicKeyOfPrivate(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		d := secret(r)
		k := reference.Must(koblitz.ParsePrivateKey(bytes32(d)))
		want := curve.ScalarMult(d, curve.G)
		blinded := k.Blinded()
		if r.IntN(2) == 0 { // compute the public key of either key; both share it
			k, blinded = blinded, k
		}
		if !bytes.Equal(k.PublicKey().Bytes(), compressed(want)) ||
			!bytes.Equal(blinded.PublicKey().Bytes(), compressed(want)) {
			t.Fatalf("public key of %x = %v, want %x", d, k.PublicKey(), compressed(want))
		}
		if !bytes.Equal(k.XOnlyPublicKey().Bytes(), bytes32(want.X)) {
			t.Fatalf("x-only key of %x = %v", d, k.XOnlyPublicKey())
		}
		if !k.Equal(blinded) || !bytes.Equal(blinded.Bytes(), k.Bytes()) {
			t.Fatal("Blinded is another key")
		}
		negative := k.Negate()
		if !negative.PublicKey().Equal(k.PublicKey().Negate()) || negative.Equal(k) ||
			!negative.Negate().Equal(k) {
			t.Fatalf("Negate of %x = %x", d, negative.Bytes())
		}
	}
}

// TestDerivedKeysAreBlinded checks that a key that a method derives from a blinded key is blinded,
// with another random number, and that no other derived key is. The methods are all that return a
// private key.
func TestDerivedKeysAreBlinded(t *testing.T) {
	tweak := bytes.Repeat([]byte{1}, 32)
	plain := koblitz.GenerateKey()
	for _, k := range []*koblitz.PrivateKey{plain, plain.Blinded()} {
		blinding := (*keys.Private)(k).Blinding()
		method, count := reflect.ValueOf(k), 0
		for i := range method.NumMethod() {
			m := method.Method(i).Type()
			if m.NumOut() == 0 || m.Out(0) != reflect.TypeFor[*koblitz.PrivateKey]() {
				continue
			}
			count++
			var in []reflect.Value
			if m.NumIn() == 1 {
				in = append(in, reflect.ValueOf(tweak))
			}
			name := method.Type().Method(i).Name
			derived := method.Method(i).Call(in)[0].Interface().(*koblitz.PrivateKey)
			got := (*keys.Private)(derived).Blinding()
			if want := blinding != nil || name == "Blinded"; (got != nil) != want {
				t.Errorf("%s: blinded %v, want %v", name, got != nil, want)
			}
			if got != nil && got == blinding {
				t.Errorf("%s: the random number of the key that it was derived from", name)
			}
			if name == "Blinded" || name == "Negate" {
				continue
			}
			want, err := koblitz.ParsePrivateKey(derived.Bytes())
			if err != nil || !derived.PublicKey().Equal(want.PublicKey()) {
				t.Errorf("%s: the public key is %v, want %v", name, derived.PublicKey(), want)
			}
		}
		if count != 6 {
			t.Errorf("%d methods return a private key, want 6", count)
		}
	}
}

// TestPublicKeyIsACopy checks that assigning to the result of PublicKey does not change the public
// key that the private key holds.
func TestPublicKeyIsACopy(t *testing.T) {
	k := koblitz.GenerateKey()
	p := k.PublicKey()
	*p = *koblitz.GenerateKey().PublicKey()
	if k.PublicKey().Equal(p) {
		t.Error("assigning to a returned public key changed the private key's own")
	}
}

// TestGenerateKeyAgain checks that GenerateKey draws again if the random bytes are not a valid key.
func TestGenerateKeyAgain(t *testing.T) {
	n := curve.Order
	last := new(big.Int).Sub(n, big.NewInt(1))
	source := crand.Reader
	defer func() { crand.Reader = source }()
	crand.Reader = io.MultiReader(bytes.NewReader(make([]byte, 32)), bytes.NewReader(bytes32(n)),
		bytes.NewReader(bytes.Repeat([]byte{0xff}, 32)), bytes.NewReader(bytes32(last)))
	if got := koblitz.GenerateKey().Bytes(); !bytes.Equal(got, bytes32(last)) {
		t.Errorf("the key is %x, want n - 1", got)
	}
}

func TestPrivateKeyEqual(t *testing.T) {
	a, b := koblitz.GenerateKey(), koblitz.GenerateKey()
	c := reference.Must(koblitz.ParsePrivateKey(a.Bytes()))
	copied := *a
	if !a.Equal(a) || !a.Equal(c) || !a.Equal(&copied) || a.Equal(b) {
		t.Error("Equal is wrong")
	}
	for _, zero := range []*koblitz.PrivateKey{nil, {}} {
		if zero.Equal(zero) || zero.Equal(a) || a.Equal(zero) {
			t.Error("a zero value equals something")
		}
	}
}

func TestZeroize(t *testing.T) {
	k := koblitz.GenerateKey()
	copied, blinded, negative := *k, k.Blinded(), k.Negate()
	cached := koblitz.GenerateKey()
	cached.PublicKey()
	copied.Zeroize()
	cached.Zeroize()
	for name, k := range map[string]*koblitz.PrivateKey{
		"nil": nil, "zero": {}, "the key": k, "the copy": &copied, "the blinded key": blinded,
		"with a cached public key": cached,
	} {
		k.Zeroize() // a second call does nothing
		if !k.IsZero() || k.Bytes() != nil || k.PublicKey() != nil || k.XOnlyPublicKey() != nil ||
			k.Negate() != nil || k.Blinded() != nil || k.Equal(k) {
			t.Errorf("%s is still a key", name)
		}
		for _, tweak := range []func([]byte) (*koblitz.PrivateKey, error){
			k.TweakAdd, k.TweakMul, k.TweakAddXOnly, k.TaprootTweak,
		} {
			if got, err := tweak(bytes32(big.NewInt(1))); got != nil || err != koblitz.ErrZeroKey {
				t.Errorf("%s is tweaked: %v", name, err)
			}
		}
	}
	if negative.IsZero() {
		t.Error("Zeroize reached a key of its own")
	}
}

func TestTweaks(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	n := curve.Order
	var edges []*big.Int
	for _, x := range reference.EdgeInts() {
		if x.Cmp(n) < 0 {
			edges = append(edges, x)
		}
	}
	for i := range 150 {
		d, tw := secret(r), edges[i%len(edges)]
		k := reference.Must(koblitz.ParsePrivateKey(bytes32(d)))
		odd := curve.ScalarMult(d, curve.G).Y.Bit(0) == 1
		even := new(big.Int).Set(d)
		if odd {
			even.Sub(n, d)
		}
		// In three of five rounds choose a tweak for which the tweaked key is zero or twice the
		// key.
		switch i % 5 {
		case 0:
			tw = new(big.Int).Sub(n, d)
		case 1:
			tw = d
		case 2:
			tw = new(big.Int).Sub(n, even)
		}
		b := bytes32(tw)
		mod := func(x *big.Int) *big.Int { return x.Mod(x, n) }
		for _, test := range []struct {
			name    string
			want    *big.Int
			private func([]byte) (*koblitz.PrivateKey, error)
			public  func([]byte) (*koblitz.PublicKey, error)
		}{
			{"TweakAdd", mod(new(big.Int).Add(d, tw)),
				k.TweakAdd, k.PublicKey().TweakAdd},
			{"TweakMul", mod(new(big.Int).Mul(d, tw)),
				k.TweakMul, k.PublicKey().TweakMul},
			{"x-only TweakAdd", mod(new(big.Int).Add(even, tw)),
				k.TweakAddXOnly, k.XOnlyPublicKey().TweakAdd},
		} {
			gotPrivate, errPrivate := test.private(b)
			gotPublic, errPublic := test.public(b)
			if test.want.Sign() == 0 {
				if gotPrivate != nil || gotPublic != nil || errPrivate == nil || errPublic == nil {
					t.Errorf("%s of %x by %x: %v, %v, want errors", test.name, d, b, errPrivate, errPublic)
				}
				continue
			}
			if errPrivate != nil || errPublic != nil {
				t.Fatalf("%s of %x by %x: %v, %v", test.name, d, b, errPrivate, errPublic)
			}
			if !bytes.Equal(gotPrivate.Bytes(), bytes32(test.want)) {
				t.Errorf("%s of %x by %x = %x, want %x", test.name, d, b, gotPrivate.Bytes(), test.want)
			}
			want := compressed(curve.ScalarMult(test.want, curve.G))
			if got := gotPublic.Bytes(); !bytes.Equal(got, want) {
				t.Errorf("%s of the public key of %x by %x = %x, want %x", test.name, d, b, got, want)
			}
		}
	}
	k := koblitz.GenerateKey()
	refused := func(err error) bool {
		return err != nil && strings.Contains(err.Error(), "tweak: ")
	}
	for _, bad := range [][]byte{
		nil, make([]byte, 31), make([]byte, 33), bytes32(n), bytes.Repeat([]byte{0xff}, 32),
	} {
		for _, tweak := range []func([]byte) (*koblitz.PrivateKey, error){
			k.TweakAdd, k.TweakMul, k.TweakAddXOnly,
		} {
			if got, err := tweak(bad); got != nil || !refused(err) {
				t.Errorf("a tweak of %x: %v, %v", bad, got, err)
			}
		}
		for _, tweak := range []func([]byte) (*koblitz.PublicKey, error){
			k.PublicKey().TweakAdd, k.PublicKey().TweakMul, k.XOnlyPublicKey().TweakAdd,
		} {
			if got, err := tweak(bad); got != nil || !refused(err) {
				t.Errorf("a tweak of %x: %v, %v", bad, got, err)
			}
		}
	}
}

// TestConcurrentUse checks that goroutines that read a key while another overwrites it get the
// whole key or none. The race detector finds other violations.
func TestConcurrentUse(t *testing.T) {
	for range 20 {
		k := koblitz.GenerateKey()
		secret, other := k.Bytes(), k.Negate()
		public := reference.Must(koblitz.ParsePrivateKey(secret)).PublicKey()
		var start, wg sync.WaitGroup
		start.Add(1)
		for i := range 8 {
			wg.Go(func() {
				start.Wait()
				if i == 7 {
					copied := *k
					copied.Zeroize()
					return
				}
				if b := k.Bytes(); b != nil && !bytes.Equal(b, secret) {
					t.Errorf("half a key: %x of %x", b, secret)
				}
				if p := k.PublicKey(); p != nil && !p.Equal(public) {
					t.Errorf("public key %v, want %v", p, public)
				}
				if n := k.Negate(); n != nil && !n.Equal(other) {
					t.Error("Negate is wrong")
				}
				k.Equal(other)
			})
		}
		start.Done()
		wg.Wait()
	}
}

func FuzzParsePrivateKey(f *testing.F) {
	f.Add(bytes32(big.NewInt(1)))
	f.Add(bytes32(curve.Order))
	f.Fuzz(func(t *testing.T, b []byte) {
		k, err := koblitz.ParsePrivateKey(b)
		if (k == nil) == (err == nil) {
			t.Fatalf("a key and the error %v", err)
		}
		if k != nil && !bytes.Equal(k.Bytes(), b) {
			t.Fatalf("%x comes back as %x", b, k.Bytes())
		}
	})
}
