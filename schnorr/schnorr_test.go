package schnorr_test

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

var curve = reference.Secp256k1()

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// secret returns a random number in [1, n). Many of these numbers are near 0, n or another edge.
func secret(r *rand.Rand) *big.Int {
	for {
		if d := reference.RandInt(r); d.Sign() > 0 && d.Cmp(curve.Order) < 0 {
			return d
		}
	}
}

func private(t testing.TB, b []byte) *koblitz.PrivateKey {
	t.Helper()
	k, err := koblitz.ParsePrivateKey(b)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func xonly(t testing.TB, b []byte) *koblitz.XOnlyPublicKey {
	t.Helper()
	k, err := koblitz.ParseXOnlyPublicKey(b)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestVectors checks that signing and verification give the results of the first test vectors of
// BIP-340. The vectors module checks all of them.
func TestVectors(t *testing.T) {
	for i, test := range []struct{ secret, public, aux, msg, sig string }{
		{
			"0000000000000000000000000000000000000000000000000000000000000003",
			"f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
			"0000000000000000000000000000000000000000000000000000000000000000",
			"0000000000000000000000000000000000000000000000000000000000000000",
			"e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215" +
				"25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0",
		},
		{
			"b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef",
			"dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659",
			"0000000000000000000000000000000000000000000000000000000000000001",
			"243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89",
			"6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de3341" +
				"8906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a",
		},
	} {
		k := private(t, unhex(t, test.secret))
		if got := k.XOnlyPublicKey().String(); got != test.public {
			t.Errorf("vector %d: key %s, want %s", i, got, test.public)
		}
		sig, err := schnorr.Sign(k, unhex(t, test.msg), &schnorr.SignOptions{Aux: unhex(t, test.aux)})
		if err != nil || hex.EncodeToString(sig) != test.sig {
			t.Errorf("vector %d: signature %x, %v, want %s", i, sig, err, test.sig)
		}
		if !verifies(t, xonly(t, unhex(t, test.public)), unhex(t, test.msg), unhex(t, test.sig)) {
			t.Errorf("vector %d does not verify", i)
		}
	}
}

// A form is one of the functions that sign, wrapped in a function that appends the signature to
// dst.
type form func(dst []byte, k *koblitz.PrivateKey, msg, aux []byte) ([]byte, error)

var forms = map[string]form{
	"Sign":                  signForm(false),
	"AppendSign":            appendForm(false),
	"Sign, unchecked":       signForm(true),
	"AppendSign, unchecked": appendForm(true),
}

func signForm(unchecked bool) form {
	return func(dst []byte, k *koblitz.PrivateKey, msg, aux []byte) ([]byte, error) {
		sig, err := schnorr.Sign(k, msg, &schnorr.SignOptions{Aux: aux, Unchecked: unchecked})
		return append(dst, sig...), err
	}
}

func appendForm(unchecked bool) form {
	return func(dst []byte, k *koblitz.PrivateKey, msg, aux []byte) ([]byte, error) {
		return schnorr.AppendSign(dst, k, msg, &schnorr.SignOptions{Aux: aux, Unchecked: unchecked})
	}
}

// TestSign checks that all functions that sign return the signature that package reference
// computes, for messages of many lengths.
func TestSign(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 60 {
		d, msg, aux := secret(r), random(r, i*i/8), random(r, 32)
		want, ok := reference.SignBIP340(d, msg, aux)
		if !ok {
			t.Fatal("the reference does not sign")
		}
		k := private(t, bytes32(d))
		for name, sign := range forms {
			key := k
			if i%2 == 1 {
				key = k.Blinded()
			}
			sig, err := sign([]byte("dst"), key, msg, aux)
			if err != nil || string(sig) != "dst"+string(want) {
				t.Fatalf("%s with %x of %d bytes = %x, %v, want %x", name, d, len(msg), sig, err, want)
			}
		}
		if !verifies(t, k.XOnlyPublicKey(), msg, want) {
			t.Fatalf("the signature %x does not verify", want)
		}
		if verifies(t, k.XOnlyPublicKey(), append(msg, 0), want) {
			t.Fatal("a longer message verifies")
		}
	}

	k := koblitz.GenerateKey()
	for name, sign := range forms {
		a, err1 := sign(nil, k, []byte("message"), nil)
		b, err2 := sign(nil, k, []byte("message"), nil)
		if err1 != nil || err2 != nil || bytes.Equal(a, b) ||
			!verifies(t, k.XOnlyPublicKey(), []byte("message"), a) ||
			!verifies(t, k.XOnlyPublicKey(), []byte("message"), b) {
			t.Errorf("%s with fresh randomness: %x, %v, %x, %v", name, a, err1, b, err2)
		}
	}
}

func TestSignErrors(t *testing.T) {
	good, wiped := koblitz.GenerateKey(), koblitz.GenerateKey()
	wiped.Zeroize()
	for _, test := range []struct {
		name string
		key  *koblitz.PrivateKey
		aux  []byte
		want string
	}{
		{"a nil key", nil, nil, "a zero value or zeroized"},
		{"a zero key", &koblitz.PrivateKey{}, nil, "a zero value or zeroized"},
		{"a zeroized key", wiped, make([]byte, 32), "a zero value or zeroized"},
		{"empty aux", good, []byte{}, "0 bytes, want 32, or nil"},
		{"31 bytes of aux", good, make([]byte, 31), "31 bytes, want 32, or nil"},
		{"33 bytes of aux", good, make([]byte, 33), "33 bytes, want 32, or nil"},
	} {
		for name, sign := range forms {
			sig, err := sign([]byte("dst"), test.key, nil, test.aux)
			if string(sig) != "dst" || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s with %s: %x, %v, want dst alone and an error with %q",
					name, test.name, sig, err, test.want)
			}
		}
		sig, err := schnorr.Sign(test.key, nil, &schnorr.SignOptions{Aux: test.aux})
		if sig != nil || err == nil {
			t.Errorf("%s: %x, %v", test.name, sig, err)
		}
	}
}

// TestVerifyCrafted checks that signatures are refused if the nonce point R that verification
// computes is wrong in one way (it is infinity, has an odd y, or has another x than the signature),
// or if a number is out of range.
func TestVerifyCrafted(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	n, p := curve.Order, reference.P()
	for range 20 {
		d, k := secret(r), secret(r)
		P := curve.ScalarMult(d, curve.G)
		if P.Y.Bit(0) == 1 {
			d.Sub(n, d)
		}
		key, msg := xonly(t, bytes32(P.X)), random(r, 20)
		challenge := func(rx []byte) *big.Int {
			e := new(big.Int).SetBytes(reference.TaggedHash("BIP0340/challenge", rx, bytes32(P.X), msg))
			return e.Mod(e, n)
		}
		sign := func(k *big.Int, rx []byte) []byte {
			s := new(big.Int).Mul(challenge(rx), d)
			s.Add(s, k).Mod(s, n)
			return append(bytes.Clone(rx), bytes32(s)...)
		}
		check := func(name string, sig []byte, want bool) {
			t.Helper()
			got := verifies(t, key, msg, sig)
			if got != want || reference.VerifyBIP340(bytes32(P.X), msg, sig) != want {
				t.Errorf("%s: Verify(%x) = %v, want %v", name, sig, got, want)
			}
		}
		R := curve.ScalarMult(k, curve.G)
		odd := R.Y.Bit(0) == 1
		check("k", sign(k, bytes32(R.X)), !odd)
		good := sign(new(big.Int).Sub(n, k), bytes32(R.X))
		check("-k", good, odd)
		if !odd {
			good = sign(k, bytes32(R.X))
		}
		check("R is infinity", sign(new(big.Int), bytes32(R.X)), false)
		check("R is infinity and r zero", sign(new(big.Int), make([]byte, 32)), false)
		check("another R", sign(k, bytes32(P.X)), false)
		check("R is G", sign(big.NewInt(1), bytes32(reference.Gx())), true)
		check("R is P", sign(d, bytes32(P.X)), true)

		// Signatures with numbers out of range, an r that no point has as x, or a wrong length must
		// be refused.
		s := new(big.Int).SetBytes(good[32:])
		if s.Add(s, n).BitLen() <= 256 {
			check("s + n", append(bytes.Clone(good[:32]), bytes32(s)...), false)
		}
		check("s is n", append(bytes.Clone(good[:32]), bytes32(n)...), false)
		check("r is p", append(bytes32(p), good[32:]...), false)
		check("r is not on the curve", append(bytes32(big.NewInt(5)), good[32:]...), false)
		for _, length := range []int{0, 63} {
			check("short", good[:length], false)
		}
		check("long", append(bytes.Clone(good), 0), false)
		check("zeros", make([]byte, 64), false)
		check("ones", bytes.Repeat([]byte{0xff}, 64), false)
	}
	// r = p + i is congruent to i, but is not below p, so it must be refused.
	k := koblitz.GenerateKey()
	for i := range int64(20) {
		sig := append(bytes32(new(big.Int).Add(p, big.NewInt(i))), make([]byte, 32)...)
		if verifies(t, k.XOnlyPublicKey(), nil, sig) {
			t.Errorf("r = p + %d verifies", i)
		}
	}
}

// TestFlippedBits checks that every flipped bit of a signature, a message and a key is detected.
func TestFlippedBits(t *testing.T) {
	k := koblitz.GenerateKey()
	key, msg := k.XOnlyPublicKey(), []byte("message")
	sig, err := schnorr.Sign(k, msg, nil)
	if err != nil {
		t.Fatal(err)
	}
	flip := func(b []byte, i int) []byte {
		b = bytes.Clone(b)
		b[i/8] ^= 1 << (i % 8)
		return b
	}
	for i := range 512 {
		if verifies(t, key, msg, flip(sig, i)) {
			t.Errorf("bit %d of the signature does not matter", i)
		}
	}
	for i := range 8 * len(msg) {
		if verifies(t, key, flip(msg, i), sig) {
			t.Errorf("bit %d of the message does not matter", i)
		}
	}
	for i := range 256 {
		bad, err := koblitz.ParseXOnlyPublicKey(flip(key.Bytes(), i))
		if err == nil && verifies(t, bad, msg, sig) {
			t.Errorf("bit %d of the key does not matter", i)
		}
	}
}

func TestZeroKeys(t *testing.T) {
	k := koblitz.GenerateKey()
	sig, _ := schnorr.Sign(k, nil, nil)
	for _, key := range []*koblitz.XOnlyPublicKey{nil, {}} {
		if verifies(t, key, nil, sig) || verifies(t, key, nil, make([]byte, 64)) ||
			verifies(t, key, nil, nil) {
			t.Error("a zero key verifies")
		}
	}
}

func TestAllocations(t *testing.T) {
	k := koblitz.GenerateKey()
	blinded, key := k.Blinded(), k.XOnlyPublicKey()
	msg, aux, buf := make([]byte, 100), make([]byte, 32), make([]byte, 0, 64)
	sig, _ := schnorr.Sign(k, msg, &schnorr.SignOptions{Aux: aux})
	raw := key.Bytes()
	for _, test := range []struct {
		name string
		max  float64
		f    func() bool
	}{
		{"Verify", 0, func() bool { return schnorr.Verify(key, msg, sig) }},
		{"NewXOnlyPublicKey and Verify", 0, func() bool {
			key, err := koblitz.ParseXOnlyPublicKey(raw)
			return err == nil && schnorr.Verify(key, msg, sig)
		}},
		{"AppendSign", 0, func() bool {
			_, err := schnorr.AppendSign(buf, k, msg, &schnorr.SignOptions{Aux: aux})
			return err == nil
		}},
		{"AppendSign, fresh randomness", race, func() bool {
			_, err := schnorr.AppendSign(buf, k, msg, nil)
			return err == nil
		}},
		{"AppendSign, blinded", 0, func() bool {
			_, err := schnorr.AppendSign(buf, blinded, msg, &schnorr.SignOptions{Aux: aux})
			return err == nil
		}},
		{"AppendSign, unchecked", 0, func() bool {
			_, err := schnorr.AppendSign(buf, k, msg, &schnorr.SignOptions{Aux: aux, Unchecked: true})
			return err == nil
		}},
		{"Sign", 1, func() bool {
			_, err := schnorr.Sign(k, msg, &schnorr.SignOptions{Aux: aux})
			return err == nil
		}},
		{"Sign, unchecked", 1, func() bool {
			_, err := schnorr.Sign(k, msg, &schnorr.SignOptions{Aux: aux, Unchecked: true})
			return err == nil
		}},
	} {
		if n := testing.AllocsPerRun(10, func() {
			if !test.f() {
				t.Errorf("%s fails", test.name)
			}
		}); n > test.max {
			t.Errorf("%s: %v allocations", test.name, n)
		}
	}
}

// TestConcurrentUse checks that many goroutines can use copies of one private key at a time, while
// one of them zeroizes it. Every signature that Sign returns must be valid.
func TestConcurrentUse(t *testing.T) {
	for range 5 {
		k := koblitz.GenerateKey()
		key := private(t, k.Bytes()).XOnlyPublicKey()
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				copied := *k
				sig, err := schnorr.Sign(&copied, []byte("message"), &schnorr.SignOptions{Unchecked: true})
				if err == nil && !schnorr.Verify(key, []byte("message"), sig) {
					t.Error("signed with half a key")
				}
				if err != nil && i != 7 && !k.IsZero() {
					t.Error(err)
				}
				if i == 7 {
					k.Zeroize()
				}
			})
		}
		wg.Wait()
	}

	// Signing while Zeroize runs must not report a fault of the machine.
	for range 30 {
		k := koblitz.GenerateKey()
		k.PublicKey()
		var wg sync.WaitGroup
		wg.Go(k.Zeroize)
		_, err := schnorr.Sign(k, []byte("message"), nil)
		if err != nil && !strings.Contains(err.Error(), "zeroized") {
			t.Error(err)
		}
		wg.Wait()
	}
}

func FuzzSignVerify(f *testing.F) {
	f.Add(bytes32(big.NewInt(1)), []byte("message"), make([]byte, 32))
	f.Add(bytes32(new(big.Int).Sub(curve.Order, big.NewInt(1))), []byte{},
		bytes.Repeat([]byte{0xff}, 32))
	f.Fuzz(func(t *testing.T, secret, msg, aux []byte) {
		k, err := koblitz.ParsePrivateKey(secret)
		if err != nil || len(aux) != 32 {
			return
		}
		sig, err := schnorr.Sign(k, msg, &schnorr.SignOptions{Aux: aux})
		if err != nil {
			t.Fatal(err)
		}
		key := k.XOnlyPublicKey()
		if !verifies(t, key, msg, sig) || !reference.VerifyBIP340(key.Bytes(), msg, sig) {
			t.Fatalf("%x does not verify", sig)
		}
		if verifies(t, key, append(bytes.Clone(msg), 0), sig) {
			t.Fatal("verifies for another message")
		}
	})
}

// FuzzVerify compares the verdicts on any bytes with those of package reference. Because that
// package is slow, it is called only if Verify accepts, and now and then otherwise.
func FuzzVerify(f *testing.F) {
	f.Add(bytes32(reference.Gx()), []byte("message"), make([]byte, 64))
	f.Add(unhex(f, "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"),
		make([]byte, 32),
		unhex(f, "e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215"+
			"25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0"))
	f.Fuzz(func(t *testing.T, key, msg, sig []byte) {
		k, _ := koblitz.ParseXOnlyPublicKey(key)
		got := verifies(t, k, msg, sig)
		if got || len(sig) > 0 && sig[len(sig)-1]%64 == 0 {
			if want := reference.VerifyBIP340(key, msg, sig); got != want {
				t.Fatalf("Verify = %v, want %v", got, want)
			}
		}
	})
}
