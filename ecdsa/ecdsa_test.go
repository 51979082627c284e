package ecdsa_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
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

// secret returns a number in [1, n), near an edge as often as not.
func secret(r *rand.Rand) *big.Int {
	for {
		if d := reference.RandInt(r); d.Sign() > 0 && d.Cmp(curve.Order) < 0 {
			return d
		}
	}
}

func private(t testing.TB, d *big.Int) *koblitz.PrivateKey {
	t.Helper()
	k, err := koblitz.NewPrivateKey(bytes32(d))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func public(t testing.TB, p reference.Point) *koblitz.PublicKey {
	t.Helper()
	k, err := koblitz.NewPublicKey(append(append([]byte{4}, bytes32(p.X)...), bytes32(p.Y)...))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func parse(t testing.TB, b []byte) *ecdsa.Signature {
	t.Helper()
	sig, err := ecdsa.ParseSignature(b)
	if err != nil {
		t.Fatal(err)
	}
	return sig
}

func pair(r, s *big.Int) []byte { return append(bytes32(r), bytes32(s)...) }

// A few vectors that many implementations share; the rest are in the vectors
// module.
func TestVectors(t *testing.T) {
	nMinus1 := new(big.Int).Sub(curve.Order, big.NewInt(1))
	for _, test := range []struct {
		key *big.Int
		msg string
		sig string
	}{
		{big.NewInt(1), "Satoshi Nakamoto", "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8" +
			"2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5"},
		{nMinus1, "Satoshi Nakamoto", "fd567d121db66e382991534ada77a6bd3106f0a1098c231e47993447cd6af2d0" +
			"6b39cd0eb1bc8603e159ef5c20a5c8ad685a45b06ce9bebed3f153d10d93bed5"},
		{big.NewInt(1), "All those moments will be lost in time, like tears in rain. Time to die...",
			"8600dbd41e348fe5c9465ab92d23e3db8b98b873beecd930736488696438cb6b" +
				"547fe64427496db33bf66019dacbf0039c04199abb0122918601db38a72cfc21"},
	} {
		h := sha256.Sum256([]byte(test.msg))
		sig, err := ecdsa.Sign(private(t, test.key), h[:])
		if err != nil || hex.EncodeToString(sig.Bytes()) != test.sig {
			t.Errorf("signature of %q = %x, %v, want %s", test.msg, sig.Bytes(), err, test.sig)
		}
	}
}

// appends are the functions that append a signature.
var appends = map[string]struct {
	sign        func([]byte, *koblitz.PrivateKey, []byte, ...ecdsa.Option) ([]byte, error)
	recoverable bool
}{
	"AppendSign":                   {ecdsa.AppendSign, false},
	"AppendSignChecked":            {ecdsa.AppendSignChecked, false},
	"AppendSignRecoverable":        {ecdsa.AppendSignRecoverable, true},
	"AppendSignRecoverableChecked": {ecdsa.AppendSignRecoverableChecked, true},
}

// Signing, all forms of it, against the reference, for hashes and entropy of
// many lengths.
func TestSign(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 80 {
		d := secret(r)
		hash, extra := random(r, i), random(r, []int{0, 1, 32, 200}[i%4])
		if i == 32 {
			hash = bytes32(curve.Order) // the number zero mod n
		}
		nonce := reference.NoncesRFC6979(d, hash, extra)()
		wantR, wantS, id, ok := reference.SignECDSA(d, hash, nonce)
		if !ok {
			t.Fatal("the reference does not sign")
		}
		wantS, id = reference.LowS(wantS, id)
		want := pair(wantR, wantS)

		k := private(t, d)
		opts := []ecdsa.Option{ecdsa.WithEntropy([]byte("overridden")), ecdsa.WithEntropy(extra), {}}
		if len(extra) == 0 && i%8 == 0 {
			opts = nil
		}
		for name, sign := range map[string]func(*koblitz.PrivateKey, []byte, ...ecdsa.Option) (*ecdsa.Signature, error){
			"Sign": ecdsa.Sign, "SignChecked": ecdsa.SignChecked,
		} {
			for _, key := range []*koblitz.PrivateKey{k, k.Blinded()} {
				sig, err := sign(key, hash, opts...)
				if err != nil || !bytes.Equal(sig.Bytes(), want) {
					t.Fatalf("%s with %x of %x = %x, %v, want %x", name, d, hash, sig.Bytes(), err, want)
				}
				if !sig.IsLowS() || !verifies(t, k.PublicKey(), hash, sig) || !verifiesLowS(t, k.PublicKey(), hash, sig) {
					t.Fatalf("%s with %x of %x does not verify", name, d, hash)
				}
			}
		}
		sig65 := append(bytes.Clone(want), byte(id))
		for name, sign := range map[string]func(*koblitz.PrivateKey, []byte, ...ecdsa.Option) ([]byte, error){
			"SignRecoverable": ecdsa.SignRecoverable, "SignRecoverableChecked": ecdsa.SignRecoverableChecked,
		} {
			if got, err := sign(k, hash, opts...); err != nil || !bytes.Equal(got, sig65) {
				t.Fatalf("%s with %x of %x = %x, %v, want %x", name, d, hash, got, err, sig65)
			}
		}
		for name, form := range appends {
			want := want
			if form.recoverable {
				want = sig65
			}
			if got, err := form.sign([]byte("dst"), k, hash, opts...); err != nil || string(got) != "dst"+string(want) {
				t.Fatalf("%s = %x, %v", name, got, err)
			}
		}
		if got, err := ecdsa.Recover(hash, sig65); err != nil || !got.Equal(k.PublicKey()) {
			t.Fatalf("Recover = %v, %v, want %v", got, err, k.PublicKey())
		}
	}
}

func TestSignWithoutKey(t *testing.T) {
	wiped := koblitz.GenerateKey()
	wiped.Zeroize()
	hash := make([]byte, 32)
	for name, k := range map[string]*koblitz.PrivateKey{"nil": nil, "zero": {}, "zeroized": wiped} {
		if sig, err := ecdsa.Sign(k, hash); sig != nil || err == nil {
			t.Errorf("Sign with a %s key: %v, %v", name, sig, err)
		}
		if sig, err := ecdsa.SignChecked(k, hash); sig != nil || err == nil {
			t.Errorf("SignChecked with a %s key: %v, %v", name, sig, err)
		}
		if b, err := ecdsa.SignRecoverable(k, hash); b != nil || err == nil {
			t.Errorf("SignRecoverable with a %s key: %v, %v", name, b, err)
		}
		if b, err := ecdsa.SignRecoverableChecked(k, hash); b != nil || err == nil {
			t.Errorf("SignRecoverableChecked with a %s key: %v, %v", name, b, err)
		}
		for form, f := range appends {
			if b, err := f.sign([]byte("dst"), k, hash); string(b) != "dst" || err == nil || !strings.Contains(err.Error(), "zero") {
				t.Errorf("%s with a %s key: %v, %v", form, name, b, err)
			}
		}
	}
}

// A signature is made here backwards, from u1 and u2 of the verification
// equation, so that any R can be had without its discrete logarithm: R near n
// and p, R = ±G, ±Q, infinity, u1 = 0.
func TestVerifyCrafted(t *testing.T) {
	n := curve.Order
	mod := func(x *big.Int) *big.Int { return x.Mod(x, n) }
	r := rand.New(rand.NewPCG(2, 2))
	small := []*big.Int{big.NewInt(1), big.NewInt(2), big.NewInt(3), new(big.Int).Sub(n, big.NewInt(1)), new(big.Int).Sub(n, big.NewInt(2)), reference.Lambda(), new(big.Int).Sub(n, reference.Lambda())}
	var ds []*big.Int
	ds = append(ds, small...)
	ds = append(ds, secret(r), secret(r))
	for _, d := range ds {
		q := curve.ScalarMult(d, curve.G)
		key := public(t, q)
		for i := range 2 * len(small) {
			u2 := small[i%len(small)]
			u1 := secret(r)
			switch i % 4 {
			case 0:
				u1 = new(big.Int)
			case 1: // R is infinity
				u1 = mod(new(big.Int).Neg(new(big.Int).Mul(u2, d)))
			case 2:
				u1 = small[(i/4)%len(small)]
			}
			R := curve.Add(curve.ScalarMult(u1, curve.G), curve.ScalarMult(u2, q))
			var rr *big.Int
			if R.IsInfinity() {
				rr = secret(r)
			} else {
				rr = mod(new(big.Int).Set(R.X))
			}
			if rr.Sign() == 0 {
				continue
			}
			s := mod(new(big.Int).Mul(rr, new(big.Int).ModInverse(u2, n)))
			z := bytes32(mod(new(big.Int).Mul(u1, s)))
			sig := parse(t, pair(rr, s))
			want := reference.VerifyECDSA(q, z, rr, s)
			if want == R.IsInfinity() {
				t.Fatal("the test is wrong")
			}
			if got := verifies(t, key, z, sig); got != want {
				t.Errorf("Verify of u1 = %x, u2 = %x, d = %x = %v, want %v", u1, u2, d, got, want)
			}
			low := new(big.Int).Lsh(s, 1).Cmp(n) <= 0
			if got := verifiesLowS(t, key, z, sig); got != (want && low) {
				t.Errorf("VerifyLowS of u1 = %x, u2 = %x, d = %x = %v", u1, u2, d, got)
			}
			if sig.IsLowS() != low || !sig.Normalize().IsLowS() || verifies(t, key, z, sig.Normalize()) != want {
				t.Errorf("low s of %x", s)
			}
		}
	}
}

// Numbers r that are not the x coordinate of R mod n, but near: those that r + n
// would be taken for if it were let pass p, and its neighbours.
func TestVerifyWrongR(t *testing.T) {
	n, p := curve.Order, reference.P()
	r := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		d, u1, u2 := secret(r), secret(r), secret(r)
		q := curve.ScalarMult(d, curve.G)
		R := curve.Add(curve.ScalarMult(u1, curve.G), curve.ScalarMult(u2, q))
		if R.IsInfinity() {
			continue
		}
		for name, x := range map[string]*big.Int{
			"x":           new(big.Int).Set(R.X),
			"x - n mod p": new(big.Int).Sub(R.X, n),
			"x + n mod p": new(big.Int).Add(R.X, n),
			"x - p mod n": new(big.Int).Mod(new(big.Int).Sub(R.X, p), n),
			"x + 1":       new(big.Int).Add(R.X, big.NewInt(1)),
			"x of λ·R":    curve.MulBeta(R).X,
		} {
			x.Mod(x, p)
			if x.Sign() == 0 || x.Cmp(n) >= 0 {
				continue
			}
			s := new(big.Int).Mul(x, new(big.Int).ModInverse(u2, n))
			s.Mod(s, n)
			z := new(big.Int).Mul(u1, s)
			hash := bytes32(z.Mod(z, n))
			want := reference.VerifyECDSA(q, hash, x, s)
			if want != (name == "x") {
				t.Fatal("the test is wrong")
			}
			if got := verifies(t, public(t, q), hash, parse(t, pair(x, s))); got != want {
				t.Errorf("r is %s: Verify = %v", name, got)
			}
		}
	}
}

// Nonce points whose x coordinate is n or more, up to p: r is x - n, and no
// honest signer ever finds one. All four recovery ids.
func TestLargeX(t *testing.T) {
	n, p := curve.Order, reference.P()
	one := big.NewInt(1)
	span := new(big.Int).Sub(p, n)
	rnd := rand.New(rand.NewPCG(3, 3))
	var rs []*big.Int
	for i := int64(1); i < 12; i++ {
		rs = append(rs, big.NewInt(i), new(big.Int).Sub(span, big.NewInt(i)), new(big.Int).Add(span, big.NewInt(i-1)))
	}
	for _, shift := range []uint{63, 64, 65, 127, 128} { // the limbs of p - n
		x := new(big.Int).Rsh(span, shift)
		x.Lsh(x, shift)
		rs = append(rs, x, new(big.Int).Add(x, one), new(big.Int).Sub(x, one), new(big.Int).Lsh(one, shift))
	}
	found := [4]int{}
	for _, r := range rs {
		for id := range 4 {
			s, hash := secret(rnd), random(rnd, 32)
			want, ok := reference.RecoverECDSA(hash, r, s, id)
			sig65 := append(pair(r, s), byte(id))
			key, err := ecdsa.Recover(hash, sig65)
			if ok != (err == nil) {
				t.Errorf("Recover(%x): error %v, want a key: %v", sig65, err, ok)
			}
			if !ok {
				continue
			}
			found[id]++
			if !key.Equal(public(t, want)) {
				t.Errorf("Recover(%x) = %v, want %x", sig65, key, want.X)
			}
			if !verifies(t, key, hash, parse(t, sig65[:64])) {
				t.Errorf("the signature %x with id %d does not verify under the recovered key", sig65, id)
			}
			if verifies(t, key.Negate(), hash, parse(t, sig65[:64])) {
				t.Errorf("the signature %x verifies under the negated key", sig65)
			}
		}
	}
	for id, count := range found {
		if count < 5 {
			t.Errorf("only %d keys recovered with id %d", count, id)
		}
	}
}

func TestRecoverErrors(t *testing.T) {
	n := curve.Order
	r := rand.New(rand.NewPCG(4, 4))
	// s·R = z·G with R = G: the key would be infinity.
	gx := reference.Gx()
	hash := random(r, 32)
	z := new(big.Int).Mod(reference.HashInt(hash), n)
	good := pair(gx, z)
	with := func(at int, v ...byte) []byte {
		b := append(bytes.Clone(good), 0)
		copy(b[at:], v)
		return b
	}
	for _, test := range []struct {
		name string
		sig  []byte
		want string
	}{
		{"nil", nil, "0 bytes, want 65"},
		{"64 bytes", good, "64 bytes, want 65"},
		{"66 bytes", append(with(0), 0), "66 bytes, want 65"},
		{"id 4", with(64, 4), "byte 64, the recovery id, is 4, want 0 to 3"},
		{"id 27", with(64, 27), "byte 64, the recovery id, is 27"},
		{"r is zero", with(0, make([]byte, 32)...), "r (from byte 0) is zero"},
		{"s is zero", with(32, make([]byte, 32)...), "s (from byte 32) is zero"},
		{"r is n", with(0, bytes32(n)...), "r (from byte 0) is not below the group order"},
		{"s is n", with(32, bytes32(n)...), "s (from byte 32) is not below the group order"},
		{"r + n is over p", with(64, 2), "r + n is not below the field prime"},
		{"no such point", with(0, bytes32(big.NewInt(5))...), "no point of the curve"},
		{"infinity", with(64, byte(reference.Gy().Bit(0))), "infinity"},
	} {
		key, err := ecdsa.Recover(hash, test.sig)
		if key != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, %v, want an error with %q", test.name, key, err, test.want)
		}
	}
}

// Every flipped bit of a signature, a hash and a key is found.
func TestFlippedBits(t *testing.T) {
	k := koblitz.GenerateKey()
	hash := sha256.Sum256([]byte("message"))
	sig, err := ecdsa.Sign(k, hash[:])
	if err != nil {
		t.Fatal(err)
	}
	key := k.PublicKey()
	flip := func(b []byte, i int) []byte {
		b = bytes.Clone(b)
		b[i/8] ^= 1 << (i % 8)
		return b
	}
	for i := range 512 {
		if bad, err := ecdsa.ParseSignature(flip(sig.Bytes(), i)); err == nil && verifies(t, key, hash[:], bad) {
			t.Errorf("bit %d of the signature does not matter", i)
		}
	}
	for i := range 256 {
		if verifies(t, key, flip(hash[:], i), sig) {
			t.Errorf("bit %d of the hash does not matter", i)
		}
	}
	for i := range 264 {
		if bad, err := koblitz.NewPublicKey(flip(key.Bytes(), i)); err == nil && verifies(t, bad, hash[:], sig) {
			t.Errorf("bit %d of the key does not matter", i)
		}
	}
}

// Of a hash longer than 32 bytes the rest does not count, and a shorter one is
// a number: SEC 1, section 4.1.3.
func TestHashLengths(t *testing.T) {
	k := koblitz.GenerateKey()
	long := sha256.Sum256([]byte("message"))
	sig, _ := ecdsa.Sign(k, long[:])
	if !verifies(t, k.PublicKey(), append(long[:], "and more"...), sig) {
		t.Error("more than 256 bits count")
	}
	sig, _ = ecdsa.Sign(k, []byte{1, 2, 3})
	if !verifies(t, k.PublicKey(), append(make([]byte, 29), 1, 2, 3), sig) || verifies(t, k.PublicKey(), []byte{1, 2, 3, 0}, sig) {
		t.Error("a short hash is not the number that it spells")
	}
	sig, _ = ecdsa.Sign(k, nil)
	if !verifies(t, k.PublicKey(), make([]byte, 32), sig) || !verifies(t, k.PublicKey(), nil, sig) {
		t.Error("an empty hash is not zero")
	}
}

func TestZeroValues(t *testing.T) {
	k := koblitz.GenerateKey()
	hash := make([]byte, 32)
	good, _ := ecdsa.Sign(k, hash)
	for _, sig := range []*ecdsa.Signature{nil, {}} {
		if verifies(t, k.PublicKey(), hash, sig) || verifiesLowS(t, k.PublicKey(), hash, sig) || sig.IsLowS() || !sig.IsZero() {
			t.Error("a zero value verifies")
		}
		if sig.Bytes() != nil || sig.DER() != nil || string(sig.AppendBytes([]byte("x"))) != "x" || string(sig.AppendDER([]byte("x"))) != "x" ||
			sig.R() != [32]byte{} || sig.S() != [32]byte{} || !sig.Normalize().IsZero() {
			t.Error("a zero value has an encoding")
		}
	}
	for _, key := range []*koblitz.PublicKey{nil, {}} {
		if verifies(t, key, hash, good) || verifiesLowS(t, key, hash, good) || verifies(t, key, hash, nil) {
			t.Error("a zero key verifies")
		}
	}
}

func TestAllocations(t *testing.T) {
	k := koblitz.GenerateKey()
	blinded := k.Blinded()
	key := k.PublicKey()
	hash, entropy := sha256.Sum256([]byte("message")), make([]byte, 32)
	sig, _ := ecdsa.Sign(k, hash[:])
	high := parse(t, sig.Bytes())
	buf := make([]byte, 0, 72)
	raw, der, compact := sig.Bytes(), sig.DER(), key.Bytes()
	sig65, _ := ecdsa.SignRecoverable(k, hash[:])
	for _, test := range []struct {
		name string
		max  float64
		f    func() bool
	}{
		{"Verify", 0, func() bool { return ecdsa.Verify(key, hash[:], high) }},
		{"VerifyLowS", 0, func() bool { return ecdsa.VerifyLowS(key, hash[:], sig) }},
		{"AppendSign", 0, func() bool { _, err := ecdsa.AppendSign(buf, k, hash[:]); return err == nil }},
		{"AppendSign, blinded", 0, func() bool { _, err := ecdsa.AppendSign(buf, blinded, hash[:]); return err == nil }},
		{"AppendSign with entropy", 0, func() bool {
			_, err := ecdsa.AppendSign(buf, k, hash[:], ecdsa.WithEntropy(entropy))
			return err == nil
		}},
		{"AppendSign with much entropy in a local variable", 0, func() bool {
			var local [100]byte
			_, err := ecdsa.AppendSign(buf, k, hash[:], ecdsa.Option{}, ecdsa.WithEntropy(local[:]))
			return err == nil
		}},
		{"AppendSignRecoverable", 0, func() bool { _, err := ecdsa.AppendSignRecoverable(buf, k, hash[:]); return err == nil }},
		{"AppendSignChecked", 0, func() bool { _, err := ecdsa.AppendSignChecked(buf, k, hash[:]); return err == nil }},
		{"AppendSignRecoverableChecked", 0, func() bool {
			_, err := ecdsa.AppendSignRecoverableChecked(buf, blinded, hash[:], ecdsa.WithEntropy(entropy))
			return err == nil
		}},
		{"AppendBytes", 0, func() bool { return len(sig.AppendBytes(buf)) == 64 }},
		{"AppendDER", 0, func() bool { return len(sig.AppendDER(buf)) >= 64 }},
		{"Parse and Verify", 0, func() bool {
			sig, err := ecdsa.ParseSignature(raw)
			return err == nil && ecdsa.Verify(key, hash[:], sig)
		}},
		{"ParseDER, NewPublicKey and Verify", 0, func() bool {
			sig, err1 := ecdsa.ParseDER(der)
			key, err2 := koblitz.NewPublicKey(compact)
			return err1 == nil && err2 == nil && ecdsa.Verify(key, hash[:], sig)
		}},
		{"ParseDERLax", 0, func() bool { sig, err := ecdsa.ParseDERLax(der); return err == nil && sig.IsLowS() }},
		{"Recover", 1, func() bool { k, err := ecdsa.Recover(hash[:], sig65); return err == nil && !k.IsZero() }},
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

// Many goroutines share a key pair and a signature. For the race detector.
func TestConcurrentUse(t *testing.T) {
	k := koblitz.GenerateKey()
	blinded := k.Blinded()
	key := mustRecoverable(t, k)
	hash := sha256.Sum256([]byte("message"))
	sig, _ := ecdsa.Sign(k, hash[:])
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 5 {
				signer := k
				if i%2 == 0 {
					signer = blinded
				}
				if got, err := ecdsa.SignChecked(signer, hash[:]); err != nil || *got != *sig {
					t.Errorf("%v, %v", got, err)
				}
				if !ecdsa.Verify(key, hash[:], sig) || !ecdsa.Verify(signer.PublicKey(), hash[:], sig) {
					t.Error("does not verify")
				}
			}
		})
	}
	wg.Wait()

	// Whoever signs while the key is wiped gets an error or a good signature.
	public := k.PublicKey()
	for i := range 8 {
		wg.Go(func() {
			if i == 4 {
				k.Zeroize()
			}
			if got, err := ecdsa.Sign(k, hash[:]); err == nil && !ecdsa.Verify(public, hash[:], got) {
				t.Error("signed with half a key")
			}
		})
	}
	wg.Wait()

	// That is no fault of the machine.
	for range 30 {
		k := koblitz.GenerateKey()
		k.PublicKey()
		wg.Go(k.Zeroize)
		if _, err := ecdsa.SignChecked(k, hash[:]); err != nil && !strings.Contains(err.Error(), "zeroized") {
			t.Error(err)
		}
		if _, err := ecdsa.SignRecoverableChecked(k, hash[:]); err != nil && !strings.Contains(err.Error(), "zeroized") {
			t.Error(err)
		}
		wg.Wait()
	}
	if _, err := ecdsa.Sign(blinded, hash[:]); err == nil {
		t.Error("the blinded key survives Zeroize")
	}
}

func mustRecoverable(t *testing.T, k *koblitz.PrivateKey) *koblitz.PublicKey {
	t.Helper()
	sig, err := ecdsa.SignRecoverable(k, make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.Recover(make([]byte, 32), sig)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func FuzzSignVerifyRecover(f *testing.F) {
	f.Add(bytes32(big.NewInt(1)), []byte("hash"), []byte{})
	f.Add(bytes32(new(big.Int).Sub(curve.Order, big.NewInt(1))), make([]byte, 32), []byte("entropy"))
	f.Fuzz(func(t *testing.T, secret, hash, entropy []byte) {
		k, err := koblitz.NewPrivateKey(secret)
		if err != nil {
			return
		}
		sig65, err := ecdsa.SignRecoverable(k, hash, ecdsa.WithEntropy(entropy))
		if err != nil {
			t.Fatal(err)
		}
		sig := parse(t, sig65[:64])
		if !verifiesLowS(t, k.PublicKey(), hash, sig) {
			t.Fatal("does not verify")
		}
		if key, err := ecdsa.Recover(hash, sig65); err != nil || !key.Equal(k.PublicKey()) {
			t.Fatalf("recovers %v, %v", key, err)
		}
		other, err := ecdsa.ParseDER(sig.DER())
		if err != nil || *other != *sig {
			t.Fatalf("DER comes back as %v, %v", other, err)
		}
		if len(hash) > 0 && len(hash) <= 32 {
			hash[len(hash)-1] ^= 1
			if verifies(t, k.PublicKey(), hash, sig) && !bytes.Equal(hash, bytes32(curve.Order)) {
				t.Fatal("verifies for another hash")
			}
		}
	})
}

// Any 65 bytes: the recovered key verifies, and is the reference's, which is
// slow and asked where there is an error, and now and then.
func FuzzRecover(f *testing.F) {
	f.Add(make([]byte, 32), append(pair(reference.Gx(), big.NewInt(1)), 1))
	f.Add([]byte("hash"), append(pair(big.NewInt(1), curve.Order), 2))
	f.Fuzz(func(t *testing.T, hash, sig65 []byte) {
		key, err := ecdsa.Recover(hash, sig65)
		if (key == nil) == (err == nil) {
			t.Fatalf("%v, %v", key, err)
		}
		if len(sig65) != 65 {
			return
		}
		if err != nil || sig65[63]%64 == 0 {
			want, ok := reference.RecoverECDSA(hash, new(big.Int).SetBytes(sig65[:32]), new(big.Int).SetBytes(sig65[32:64]), int(sig65[64]))
			if ok != (err == nil) || ok && !key.Equal(public(t, want)) {
				t.Fatalf("Recover = %v, %v, want %v, %v", key, err, want, ok)
			}
		}
		if err == nil && !verifies(t, key, hash, parse(t, sig65[:64])) {
			t.Fatal("does not verify under the recovered key")
		}
	})
}

// twin returns the signature with n - s for s.
func twin(sig *ecdsa.Signature) *ecdsa.Signature {
	r, s := sig.R(), sig.S()
	other := new(big.Int).Sub(curve.Order, new(big.Int).SetBytes(s[:]))
	t, err := ecdsa.ParseSignature(append(r[:], bytes32(other)...))
	if err != nil {
		panic(err)
	}
	return t
}

// TestEntropyIsRead: an option has no copy of the entropy, which is read as each
// signature is made, and may be overwritten after it.
func TestEntropyIsRead(t *testing.T) {
	key, h := private(t, big.NewInt(3)), make([]byte, 32)
	entropy := []byte{1, 2, 3}
	option := ecdsa.WithEntropy(entropy)
	for _, want := range [][]byte{{1, 2, 3}, {0, 0, 0}} {
		copy(entropy, want)
		got, err := ecdsa.Sign(key, h, option)
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := ecdsa.Sign(key, h, ecdsa.WithEntropy(bytes.Clone(want)))
		if err != nil {
			t.Fatal(err)
		}
		if *got != *fresh {
			t.Errorf("with %x: another signature than with entropy that is %x from the start", entropy, want)
		}
	}
}
