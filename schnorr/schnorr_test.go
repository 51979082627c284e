package schnorr_test

import (
	"bytes"
	"crypto/rand"
	"math/big"
	mathrand "math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
	"github.com/koblitz-go/koblitz/schnorr"
)

var curve = reference.Secp256k1()

func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

func private(b []byte) *koblitz.PrivateKey { return reference.Must(koblitz.ParsePrivateKey(b)) }

// forms holds the functions that sign, each in the form of a function that appends to dst.
var forms = map[string]func(
	dst []byte, k *koblitz.PrivateKey, msg []byte, o *schnorr.SignOptions,
) ([]byte, error){
	"Sign": func(
		dst []byte, k *koblitz.PrivateKey, msg []byte, o *schnorr.SignOptions,
	) ([]byte, error) {
		sig, err := schnorr.Sign(k, msg, o)
		return append(dst, sig...), err
	},
	"AppendSign": schnorr.AppendSign,
}

// TestSign checks that all functions that sign return the signature that package reference
// computes, for messages of many lengths.
func TestSign(t *testing.T) {
	r := mathrand.New(mathrand.NewPCG(1, 1))
	for i := range 60 {
		d, msg, aux := reference.Secret(r), reference.Bytes(r, i*i/8), reference.Bytes(r, 32)
		want, ok := reference.SignBIP340(d, msg, aux)
		if !ok {
			t.Fatal("the reference does not sign")
		}
		k := private(bytes32(d))
		for name, sign := range forms {
			for _, key := range []*koblitz.PrivateKey{k, k.Blinded()} {
				o := &schnorr.SignOptions{Aux: aux, Unchecked: i%2 == 1}
				sig, err := sign([]byte("dst"), key, msg, o)
				if err != nil || string(sig) != "dst"+string(want) {
					t.Fatalf("%s with %x of %d bytes = %x, %v, want %x", name, d, len(msg), sig, err, want)
				}
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
		seen := map[string]bool{}
		for _, o := range []*schnorr.SignOptions{nil, {}, {Unchecked: true}, {Unchecked: true}} {
			sig, err := sign(nil, k, []byte("message"), o)
			if err != nil || seen[string(sig)] || !verifies(t, k.XOnlyPublicKey(), []byte("message"), sig) {
				t.Errorf("%s with fresh randomness: %x, %v", name, sig, err)
			}
			seen[string(sig)] = true
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
		for _, unchecked := range []bool{false, true} {
			o := &schnorr.SignOptions{Aux: test.aux, Unchecked: unchecked}
			for name, sign := range forms {
				sig, err := sign([]byte("dst"), test.key, nil, o)
				if string(sig) != "dst" || err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s with %s: %x, %v, want dst alone and an error with %q",
						name, test.name, sig, err, test.want)
				}
			}
			if sig, err := schnorr.Sign(test.key, nil, o); sig != nil || err == nil {
				t.Errorf("%s: %x, %v", test.name, sig, err)
			}
		}
	}
}

// TestVerifyCrafted checks that signatures are refused if the nonce point R that verification
// computes is wrong in one way (it is infinity, has an odd y, or has another x than the signature),
// or if a number is out of range, which TestParseRanges checks too.
func TestVerifyCrafted(t *testing.T) {
	r := mathrand.New(mathrand.NewPCG(2, 2))
	n, p := curve.Order, reference.P()
	for range 20 {
		d, k := reference.Secret(r), reference.Secret(r)
		P := curve.ScalarMult(d, curve.G)
		if P.Y.Bit(0) == 1 {
			d.Sub(n, d)
		}
		key, msg := reference.Must(koblitz.ParseXOnlyPublicKey(bytes32(P.X))), reference.Bytes(r, 20)
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
}

// TestFlippedBits checks that every flipped bit of a signature, a message and a key is detected.
func TestFlippedBits(t *testing.T) {
	k, msg := koblitz.GenerateKey(), []byte("message")
	sig, key := reference.Must(schnorr.Sign(k, msg, nil)), k.XOnlyPublicKey().Bytes()
	var bits secrettest.Bits
	bits.AddEvery(1, "signature", sig)
	bits.AddEvery(1, "message", msg)
	bits.AddEvery(1, "key", key)
	for i := range bits {
		value := bits.Flip(i)
		public, err := koblitz.ParseXOnlyPublicKey(key)
		if err == nil && verifies(t, public, msg, sig) {
			t.Errorf("bit %d, of the %s, does not matter", i, value)
		}
		bits.Flip(i)
	}
}

func TestZeroKeys(t *testing.T) {
	k := koblitz.GenerateKey()
	sig, _ := schnorr.Sign(k, nil, nil)
	for _, sig := range [][]byte{sig, make([]byte, 64), nil} {
		for _, key := range []*koblitz.XOnlyPublicKey{nil, {}} {
			if verifies(t, key, nil, sig) {
				t.Error("a zero key verifies")
			}
		}
		for _, key := range []*koblitz.PreparedKey{nil, {}} {
			if schnorr.VerifyPrepared(key, nil, sig) {
				t.Error("a zero prepared key verifies")
			}
		}
	}
}

// ok reports whether a function returned no error.
func ok[T any](_ T, err error) bool { return err == nil }

func TestAllocations(t *testing.T) {
	k := koblitz.GenerateKey()
	blinded, key := k.Blinded(), k.XOnlyPublicKey()
	prepared := key.Prepare(1 << 10)
	msg, aux, buf := make([]byte, 100), make([]byte, 32), make([]byte, 0, 64)
	o, unchecked := schnorr.SignOptions{Aux: aux}, schnorr.SignOptions{Aux: aux, Unchecked: true}
	sig, _ := schnorr.Sign(k, msg, &o)
	raw := key.Bytes()
	// Under the race detector, a read of crypto/rand allocates.
	race := testing.AllocsPerRun(10, func() {
		var b [32]byte
		rand.Read(b[:])
	})
	for _, test := range []struct {
		name string
		max  float64
		f    func() bool
	}{
		{"Verify", 0, func() bool { return schnorr.Verify(key, msg, sig) }},
		{"VerifyPrepared", 0, func() bool { return schnorr.VerifyPrepared(prepared, msg, sig) }},
		{"NewXOnlyPublicKey and Verify", 0, func() bool {
			key, err := koblitz.ParseXOnlyPublicKey(raw)
			return err == nil && schnorr.Verify(key, msg, sig)
		}},
		{"AppendSign", 0, func() bool {
			return ok(schnorr.AppendSign(buf, k, msg, &schnorr.SignOptions{Aux: aux}))
		}},
		{"AppendSign, fresh randomness", race, func() bool {
			return ok(schnorr.AppendSign(buf, k, msg, nil))
		}},
		{"AppendSign, blinded", 0, func() bool { return ok(schnorr.AppendSign(buf, blinded, msg, &o)) }},
		{"AppendSign, unchecked", 0, func() bool {
			return ok(schnorr.AppendSign(buf, k, msg, &unchecked))
		}},
		{"Sign", 1, func() bool { return ok(schnorr.Sign(k, msg, &schnorr.SignOptions{Aux: aux})) }},
		{"Sign, unchecked", 1, func() bool { return ok(schnorr.Sign(k, msg, &unchecked)) }},
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

// TestConcurrentUse checks that many goroutines can use one prepared key, prepare the same public
// key, and sign with copies of one private key at a time. The race detector finds violations. A key
// that is zeroized while it signs must return a valid signature, or an error that does not say that
// the machine is faulty.
func TestConcurrentUse(t *testing.T) {
	msg := []byte("message")
	for range 30 {
		k := koblitz.GenerateKey()
		sig := reference.Must(schnorr.Sign(k, msg, nil))
		key := private(k.Bytes()).XOnlyPublicKey()
		shared := key.Prepare(1 << 10)
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				if !schnorr.VerifyPrepared(shared, msg, sig) ||
					!shared.PublicKey().XOnlyPublicKey().Equal(key) ||
					!schnorr.VerifyPrepared(key.Prepare(13<<10), msg, sig) {
					t.Error("does not verify")
				}
			})
			wg.Go(func() {
				copied := *k
				sig, err := schnorr.Sign(&copied, msg, &schnorr.SignOptions{Unchecked: i%2 == 0})
				if err == nil && !schnorr.Verify(key, msg, sig) {
					t.Error("signed with half a key")
				}
				if err != nil && !(k.IsZero() && strings.Contains(err.Error(), "zeroized")) {
					t.Error(err)
				}
			})
		}
		wg.Go(k.Zeroize)
		wg.Wait()
	}
}

// A readerFunc is an io.Reader.
type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// TestRandomnessFirst checks that signing reads the key after it has drawn random bytes. A reader
// of these bytes can need more stack than signing wipes; a key on the stack would stay in memory.
func TestRandomnessFirst(t *testing.T) {
	source := rand.Reader
	defer func() { rand.Reader = source }()
	for name, sign := range forms {
		k := koblitz.GenerateKey()
		rand.Reader = readerFunc(func(b []byte) (int, error) {
			k.Zeroize()
			return source.Read(b)
		})
		if sig, err := sign(nil, k, nil, nil); len(sig) != 0 || err != koblitz.ErrZeroKey {
			t.Errorf("%s: %x, %v: the key was read before the random bytes", name, sig, err)
		}
		rand.Reader = source
	}
}

// TestChangingKey verifies under a key that changes to another one or back when it is read again.
// The signature is computed from the challenge of one, and fulfils the equation of the other, so
// that it is a signature under neither.
func TestChangingKey(t *testing.T) {
	hashed, msg := koblitz.GenerateKey().XOnlyPublicKey(), []byte("message")
	var other *koblitz.XOnlyPublicKey
	var sig []byte
	for other == nil { // until both keys have an even y
		k, s := koblitz.GenerateKey(), koblitz.GenerateKey()
		sig = append(k.XOnlyPublicKey().Bytes(), s.Bytes()...)
		challenge := schnorr.TaggedHash("BIP0340/challenge", sig[:32], hashed.Bytes(), msg)
		var e, x, nonce group.Scalar
		e.SetBytesReduced(challenge[:])
		nonce.SetPrivateKey(k)
		x.SetPrivateKey(s)
		x.Mul(x.Sub(&x, &nonce), e.Invert(&e))
		p := reference.Must(x.PrivateKey()).PublicKey()
		if k.PublicKey().HasEvenY() && p.HasEvenY() {
			other = p.XOnlyPublicKey()
		}
	}
	for _, o := range [][2]*koblitz.XOnlyPublicKey{{hashed, other}, {other, hashed}} {
		changing.Each(t, content(o[0]), content(o[1]), func(b []byte) {
			if schnorr.Verify((*koblitz.XOnlyPublicKey)(unsafe.Pointer(&b[0])), msg, sig) {
				t.Error("valid under a key that changes")
			}
		})
		for _, size := range []int{0, 1 << 10} {
			first, second := o[0].Prepare(size), o[1].Prepare(size)
			changing.Each(t, content(first), content(second), func(b []byte) {
				if schnorr.VerifyPrepared((*koblitz.PreparedKey)(unsafe.Pointer(&b[0])), msg, sig) {
					t.Errorf("valid under a prepared key of %d bytes that changes", size)
				}
			})
			runtime.KeepAlive([]any{first, second}) // bytes keep no tables alive
		}
	}
}

// content returns the bytes of *p.
func content[T any](p *T) []byte {
	return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)))
}
