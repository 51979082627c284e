package koblitz_test

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestTaprootTweak checks TaprootTweak of private and public keys, and CheckTaprootTweak, against
// package reference.
func TestTaprootTweak(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for i := range 100 {
		d := secret(r)
		k := reference.Must(koblitz.ParsePrivateKey(bytes32(d)))
		p := curve.ScalarMult(d, curve.G)
		if p.Y.Bit(0) == 1 {
			d.Sub(curve.Order, d)
		}
		root := [][]byte{nil, {}, bytes32(reference.RandInt(r))}[i%3]
		tweak := new(big.Int).SetBytes(reference.TaggedHash("TapTweak", bytes32(p.X), root))
		d.Add(d, tweak).Mod(d, curve.Order)
		output := curve.ScalarMult(d, curve.G)
		x, odd := bytes32(output.X), output.Y.Bit(0) == 1

		private, err := k.TaprootTweak(root)
		if err != nil || !bytes.Equal(private.Bytes(), bytes32(d)) {
			t.Fatalf("private key %x by root %x: %x, %v, want %x", k.Bytes(), root, private.Bytes(), err, d)
		}
		internal := k.XOnlyPublicKey()
		public, err := internal.TaprootTweak(root)
		if err != nil || !bytes.Equal(public.Bytes(), compressed(output)) {
			t.Fatalf("key %v by root %x: %v, %v, want %x", internal, root, public, err, compressed(output))
		}
		if !internal.CheckTaprootTweak(root, x, odd) {
			t.Errorf("key %v by root %x: the output %v is refused", internal, root, public)
		}
		other := bytes.Clone(x)
		other[i%32] ^= 1
		if internal.CheckTaprootTweak(root, x, !odd) || internal.CheckTaprootTweak(root, other, odd) ||
			internal.CheckTaprootTweak(bytes32(tweak), x, odd) {
			t.Errorf("key %v by root %x: a wrong output is accepted", internal, root)
		}
	}
	k := koblitz.GenerateKey()
	internal := k.XOnlyPublicKey()
	for _, n := range []int{1, 31, 33, 64} {
		root := make([]byte, n)
		if got, err := k.TaprootTweak(root); got != nil || err == nil ||
			!strings.Contains(err.Error(), "want 0 or 32") {
			t.Errorf("a private key by a root of %d bytes: %v, %v", n, got, err)
		}
		if got, err := internal.TaprootTweak(root); got != nil || err == nil ||
			!strings.Contains(err.Error(), "want 0 or 32") {
			t.Errorf("a key by a root of %d bytes: %v, %v", n, got, err)
		}
		output, _ := internal.TaprootTweak(nil)
		x := output.XOnlyPublicKey().Bytes()
		if internal.CheckTaprootTweak(root, x, !output.HasEvenY()) {
			t.Errorf("a root of %d bytes is accepted", n)
		}
	}
}

// TestCheckTweakAdd checks that CheckTweakAdd accepts exactly the sum that package reference
// computes, for tweaks at the edges, sums at infinity, and doublings.
func TestCheckTweakAdd(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	check := func(d, tweak *big.Int) {
		t.Helper()
		p := curve.ScalarMult(d, curve.G)
		if p.Y.Bit(0) == 1 {
			p = curve.Neg(p)
		}
		key := reference.Must(koblitz.ParseXOnlyPublicKey(bytes32(p.X)))
		sum := curve.Add(p, curve.ScalarMult(new(big.Int).Mod(tweak, curve.Order), curve.G))
		valid := tweak.Cmp(curve.Order) < 0 && !sum.IsInfinity()
		var x []byte
		if odd := false; sum.IsInfinity() {
			x = make([]byte, 32)
		} else {
			x, odd = bytes32(sum.X), sum.Y.Bit(0) == 1
			if key.CheckTweakAdd(bytes32(tweak), x, odd) != valid {
				t.Errorf("%v and the tweak %x: the answer is not %v", key, tweak, valid)
			}
			if key.CheckTweakAdd(bytes32(tweak), x, !odd) {
				t.Errorf("%v and the tweak %x: another parity is accepted", key, tweak)
			}
		}
		if !valid && (key.CheckTweakAdd(bytes32(tweak), x, false) ||
			key.CheckTweakAdd(bytes32(tweak), x, true)) {
			t.Errorf("%v and the tweak %x are accepted", key, tweak)
		}
		x[r.IntN(32)] ^= 1 << r.IntN(8)
		if key.CheckTweakAdd(bytes32(tweak), x, false) || key.CheckTweakAdd(bytes32(tweak), x, true) {
			t.Errorf("%v and the tweak %x: %x is accepted", key, tweak, x)
		}
	}
	for _, tweak := range reference.EdgeInts() {
		check(secret(r), tweak)
	}
	for range 20 {
		d := secret(r)
		check(d, d)
		check(d, new(big.Int).Sub(curve.Order, d))
	}

	// An output from p on is not reduced modulo p: 1 is the x coordinate of a point, and p + 1 is
	// not below 2^256.
	point, ok := curve.LiftX(big.NewInt(1), false)
	if !ok {
		t.Fatal("no point with x = 1")
	}
	key := reference.Must(koblitz.ParseXOnlyPublicKey(bytes32(point.X)))
	zero := make([]byte, 32)
	if !key.CheckTweakAdd(zero, bytes32(point.X), false) {
		t.Error("a tweak of zero is refused")
	}
	if key.CheckTweakAdd(zero, bytes32(new(big.Int).Add(reference.P(), point.X)), false) {
		t.Error("x + p is accepted")
	}
	for _, n := range []int{0, 31, 33} {
		output := append(bytes32(point.X), 0)[:n]
		if key.CheckTweakAdd(make([]byte, n), bytes32(point.X), false) ||
			key.CheckTweakAdd(zero, output, false) {
			t.Errorf("%d bytes are accepted", n)
		}
	}
	for _, none := range []*koblitz.XOnlyPublicKey{nil, {}} {
		if none.CheckTweakAdd(zero, zero, false) || none.CheckTaprootTweak(nil, zero, false) {
			t.Error("no key is accepted")
		}
	}
	output := bytes32(point.X)
	if allocs := testing.AllocsPerRun(5, func() {
		key.CheckTweakAdd(zero, output, false)
		key.CheckTaprootTweak(zero, output, false)
	}); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// TestChangingInternalKey tweaks and checks a key that changes when it is read again. The results
// are those for the first content: if the tweak is the hash of one key and is added to another,
// anyone can find keys for any output.
func TestChangingInternalKey(t *testing.T) {
	key, other := koblitz.GenerateKey().XOnlyPublicKey(), koblitz.GenerateKey().XOnlyPublicKey()
	want := reference.Must(key.TaprootTweak(nil))
	output, odd := want.XOnlyPublicKey().Bytes(), !want.HasEvenY()
	content := func(k *koblitz.XOnlyPublicKey) []byte {
		return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(k)), unsafe.Sizeof(*k)))
	}
	changing.Each(t, content(key), content(other), func(b []byte) {
		k := (*koblitz.XOnlyPublicKey)(unsafe.Pointer(&b[0]))
		if q, err := k.TaprootTweak(nil); err != nil || !q.Equal(want) {
			t.Errorf("TaprootTweak: %v, %v", q, err)
		}
	})
	changing.Each(t, content(key), content(other), func(b []byte) {
		k := (*koblitz.XOnlyPublicKey)(unsafe.Pointer(&b[0]))
		if !k.CheckTaprootTweak(nil, output, odd) {
			t.Error("CheckTaprootTweak: false")
		}
	})
}
