package schnorr_test

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/compat/impl/btcec/schnorr"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var (
	curve = reference.Secp256k1()
	n     = reference.N()
)

func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

func modNScalar(x *big.Int) *secp256k1.ModNScalar {
	s := new(secp256k1.ModNScalar)
	s.SetByteSlice(bytes32(new(big.Int).Mod(x, n)))
	return s
}

func fieldVal(x *big.Int) *secp256k1.FieldVal {
	f := new(secp256k1.FieldVal)
	f.SetByteSlice(bytes32(x))
	return f
}

func publicKey(a reference.Point) *secp256k1.PublicKey {
	return secp256k1.NewPublicKey(fieldVal(a.X), fieldVal(a.Y))
}

// inOrder returns a random number in [1, n), often an edge case.
func inOrder(r *rand.Rand) *big.Int {
	for {
		x := new(big.Int).Mod(reference.RandInt(r), n)
		if x.Sign() != 0 {
			return x
		}
	}
}

// deterministic returns the signature by the key d with the nonce of RFC 6979.
func deterministic(d *big.Int, message []byte) []byte {
	P := curve.ScalarMult(d, curve.G)
	if P.Y.Bit(0) == 1 {
		d = new(big.Int).Sub(n, d)
	}
	extra := sha256.Sum256([]byte("BIP-340"))
	// NonceRFC6979 does not reduce a message of n or more, although RFC 6979 does.
	k := secp256k1.NonceRFC6979(bytes32(d), message, extra[:], nil, 0).Bytes()
	sig, _ := signature(d, new(big.Int).SetBytes(k[:]), bytes32(P.X), message)
	return sig
}

// signature returns two signatures by the key d, one with the nonce k and one with the nonce −k.
// The nonce point of the first signature has an even y, as BIP-340 requires, and that of the second
// has an odd y.
func signature(d, k *big.Int, px, message []byte) (valid, invalid []byte) {
	R := curve.ScalarMult(k, curve.G)
	if R.Y.Bit(0) == 1 {
		k = new(big.Int).Sub(n, k)
	}
	e := challenge(bytes32(R.X), px, message)
	e.Mul(e, d)
	s := new(big.Int).Add(k, e)
	other := new(big.Int).Sub(e, k)
	return append(bytes32(R.X), bytes32(s.Mod(s, n))...),
		append(bytes32(R.X), bytes32(other.Mod(other, n))...)
}

func challenge(r, px, message []byte) *big.Int {
	e := new(big.Int).SetBytes(reference.TaggedHash("BIP0340/challenge", r, px, message))
	return e.Mod(e, n)
}

// TestSign checks that signatures equal those of package reference, with every kind of nonce, with
// and without the final check.
func TestSign(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	odd := 0
	for range 12 {
		d, message := inOrder(r), bytes32(reference.RandInt(r))
		aux := [32]byte(bytes32(reference.RandInt(r)))
		key := secp256k1.NewPrivateKey(modNScalar(d))
		before, wasMessage := *key, bytes.Clone(message)
		odd += int(curve.ScalarMult(d, curve.G).Y.Bit(0))

		custom, ok := reference.SignBIP340(d, message, aux[:])
		if !ok {
			t.Fatal("the oracle does not sign")
		}
		for _, test := range []struct {
			name    string
			options []schnorr.SignOption
			want    []byte
		}{
			{"default", nil, deterministic(d, message)},
			{"fast", []schnorr.SignOption{schnorr.FastSign()}, deterministic(d, message)},
			{"custom", []schnorr.SignOption{schnorr.CustomNonce(aux)}, custom},
			{"both", []schnorr.SignOption{schnorr.CustomNonce(aux), schnorr.FastSign()}, custom},
			{"the last nonce", []schnorr.SignOption{
				schnorr.CustomNonce([32]byte{1}), schnorr.CustomNonce(aux)}, custom},
		} {
			sig, err := schnorr.Sign(key, message, test.options...)
			if err != nil || !bytes.Equal(sig.Serialize(), test.want) {
				t.Errorf("%s: %x of %x: %v, %v, want %x", test.name, d, message, sig, err, test.want)
			} else if !sig.Verify(message, key.PubKey()) {
				t.Errorf("%s: %x of %x does not verify", test.name, d, message)
			}
		}
		if *key != before || !bytes.Equal(message, wasMessage) {
			t.Error("an argument was changed")
		}
	}
	if odd == 0 || odd == 12 {
		t.Errorf("%d keys have an odd y", odd)
	}
}

func TestVerify(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 8 {
		d, k, message := inOrder(r), inOrder(r), bytes32(reference.RandInt(r))
		P := curve.ScalarMult(d, curve.G)
		px := bytes32(P.X)
		if P.Y.Bit(0) == 1 {
			d.Sub(n, d)
		}
		good, odd := signature(d, k, px, message)
		infinite := new(big.Int).Mul(challenge(good[:32], px, message), d)
		notOnCurve := new(big.Int).Add(P.X, big.NewInt(1))
		for _, ok := curve.LiftX(notOnCurve, false); ok; _, ok = curve.LiftX(notOnCurve, false) {
			notOnCurve.Add(notOnCurve, big.NewInt(1))
		}
		other := secp256k1.NewPublicKey(fieldVal(P.X), fieldVal(new(big.Int).Add(P.Y, big.NewInt(1))))
		check := func(name string, sig, message []byte, key *secp256k1.PublicKey, want bool) {
			t.Helper()
			s, err := schnorr.ParseSignature(sig)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			was, wasKey := *s, *key
			if got := s.Verify(message, key); got != want {
				t.Errorf("%s: %x of %x: %v", name, sig, message, got)
			}
			if *s != was || *key != wasKey {
				t.Errorf("%s: an argument was changed", name)
			}
		}
		flip := func(b []byte, i int) []byte {
			b = bytes.Clone(b)
			b[i] ^= 1
			return b
		}
		check("as it is", good, message, publicKey(P), true)
		check("the opposite key", good, message, publicKey(curve.Neg(P)), true)
		check("the x of a key on another curve", good, message, other, true)
		check("an x of no point", good, message, secp256k1.NewPublicKey(fieldVal(notOnCurve),
			fieldVal(P.Y)), false)
		check("no key", good, message, new(secp256k1.PublicKey), false)
		check("an odd R", odd, message, publicKey(P), false)
		check("infinity", append(good[:32:32], bytes32(infinite.Mod(infinite, n))...), message,
			publicKey(P), false)
		check("another s", flip(good, 63), message, publicKey(P), false)
		check("another message", good, flip(message, 0), publicKey(P), false)
		check("another key", good, message, publicKey(curve.Double(P)), false)
		check("a short message", good, message[:31], publicKey(P), false)
		check("a long message", good, append(bytes.Clone(message), 0), publicKey(P), false)
		check("no message", good, nil, publicKey(P), false)
		// A ModNScalar holds s + n reduced modulo n, so this signature verifies.
		if s := new(big.Int).Add(n, new(big.Int).SetBytes(good[32:])); s.BitLen() <= 256 {
			check("s + n", append(good[:32:32], bytes32(s)...), message, publicKey(P), true)
		}
	}
	if new(schnorr.Signature).Verify(make([]byte, 32), publicKey(curve.G)) {
		t.Error("the zero value verifies")
	}
}

// TestSignFindsFaults signs before and after a fault in memory changes the key to a number of n or
// more. After the fault, Sign must return an error.
func TestSignFindsFaults(t *testing.T) {
	key := secp256k1.NewPrivateKey(modNScalar(big.NewInt(3)))
	words := unsafe.Slice((*byte)(unsafe.Pointer(key)), unsafe.Sizeof(*key))
	for _, faulty := range []bool{false, true} {
		if faulty {
			copy(words, bytes.Repeat([]byte{0xff}, len(words)))
		}
		for _, o := range [][]schnorr.SignOption{nil, {schnorr.CustomNonce([32]byte{})}} {
			sig, err := schnorr.Sign(key, make([]byte, 32), o...)
			if (sig == nil) != faulty || (err != nil) != faulty {
				t.Errorf("faulty: %t, %v, %v", faulty, sig, err)
			}
		}
	}
}

// TestVerifyAllocations checks that verification does not allocate, and that signing allocates only
// its result.
func TestVerifyAllocations(t *testing.T) {
	key, message := secp256k1.NewPrivateKey(modNScalar(big.NewInt(3))), make([]byte, 32)
	pub := key.PubKey()
	sig, err := schnorr.Sign(key, message)
	if err != nil {
		t.Fatal(err)
	}
	if count := testing.AllocsPerRun(10, func() {
		if !sig.Verify(message, pub) {
			t.Error("it does not verify")
		}
	}); count != 0 {
		t.Errorf("Verify allocates %v times", count)
	}
	if count := testing.AllocsPerRun(10, func() { schnorr.Sign(key, message) }); count > 2 {
		t.Errorf("Sign allocates %v times", count)
	}
}
