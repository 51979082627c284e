package hash

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

func TestPrefixes(t *testing.T) {
	for tag, prefix := range map[string]*[64]byte{
		"BIP0340/aux":       &auxPrefix,
		"BIP0340/nonce":     &noncePrefix,
		"BIP0340/challenge": &challengePrefix,
		"TapTweak":          &tapTweakPrefix,
		"BIP0352/Inputs":    &inputsPrefix,
		"BIP0352/Label":     &labelPrefix,

		"BIP0352/SharedSecret":       &sharedSecretPrefix,
		"bip324_ellswift_xonly_ecdh": &ellswiftPrefix,
	} {
		sum := sha256.Sum256([]byte(tag))
		if !bytes.Equal(prefix[:32], sum[:]) || !bytes.Equal(prefix[32:], sum[:]) {
			t.Errorf("the prefix of %q is not its hash twice", tag)
		}
	}
}

func TestTagged(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 300 {
		a, b, msg := random(r), random(r), make([]byte, n)
		for i := range msg {
			msg[i] = byte(r.Uint32())
		}
		var got [32]byte
		got = b
		MaskKey(&got, &a)
		for i, x := range reference.TaggedHash("BIP0340/aux", a[:]) {
			if got[i] != b[i]^x {
				t.Fatalf("MaskKey(%x, %x) = %x", b, a, got)
			}
		}
		Challenge(&got, &a, &b, msg)
		want := reference.TaggedHash("BIP0340/challenge", a[:], b[:], msg)
		if !bytes.Equal(got[:], want) {
			t.Fatalf("Challenge of a %d-byte message = %x, want %x", n, got, want)
		}
		Tagged(&got, "a tag", a[:], msg, b[:])
		if want := reference.TaggedHash("a tag", a[:], msg, b[:]); !bytes.Equal(got[:], want) {
			t.Fatalf("Tagged of a %d-byte part = %x, want %x", n, got, want)
		}
		got = a
		TapTweak(&got, &got, msg)
		if want := reference.TaggedHash("TapTweak", a[:], msg); !bytes.Equal(got[:], want) {
			t.Fatalf("TapTweak of a %d-byte root = %x, want %x", n, got, want)
		}
		got = a
		Nonce(&got, &got, &b, msg)
		if want := reference.TaggedHash("BIP0340/nonce", a[:], b[:], msg); !bytes.Equal(got[:], want) {
			t.Fatalf("Nonce of a %d-byte message = %x, want %x", n, got, want)
		}
	}
}

// TestNonces checks that all nonces of a sequence are those of package reference. Signing uses the
// second nonce only if the first is not in [1, n), so no test of signatures covers the nonces after
// the first.
func TestNonces(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for i := range 200 {
		key, hash := random(r), random(r)
		if i == 0 {
			key, hash = [32]byte{31: 1}, [32]byte{}
		}
		extra := make([]byte, []int{0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 200}[i%11])
		for j := range extra {
			extra[j] = byte(r.Uint32())
		}
		// Callers of Init must reduce the hash modulo n (bits2octets).
		reduced := new(big.Int).SetBytes(hash[:])
		reduced.Mod(reduced, reference.N()).FillBytes(hash[:])

		var s Nonces
		s.Init(&key, &hash, extra)
		next := reference.NoncesRFC6979(new(big.Int).SetBytes(key[:]), hash[:], extra)
		for j := range 4 {
			var got [32]byte
			s.Next(&got)
			if want := next(); new(big.Int).SetBytes(got[:]).Cmp(want) != 0 {
				t.Fatalf("nonce %d of key %x, hash %x, extra %x = %x, want %x", j, key, hash, extra, got, want)
			}
		}
		s.Wipe()
		if s != (Nonces{}) {
			t.Fatal("Wipe left something")
		}
	}
}

// TestSilentPayments compares the hashes of BIP-352 with the specification's.
func TestSilentPayments(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 20 {
		x, y := random(r), random(r)
		point := [33]byte(append([]byte{3}, x[:]...))
		outpoint := [36]byte(append(y[:], 1, 2, 3, 4))
		number := r.Uint32()
		encoded := binary.BigEndian.AppendUint32(nil, number)
		var got [32]byte
		Inputs(&got, &outpoint, &point)
		want := reference.TaggedHash("BIP0352/Inputs", outpoint[:], point[:])
		if !bytes.Equal(got[:], want) {
			t.Errorf("Inputs = %x, want %x", got, want)
		}
		SharedSecret(&got, &point, number)
		want = reference.TaggedHash("BIP0352/SharedSecret", point[:], encoded)
		if !bytes.Equal(got[:], want) {
			t.Errorf("SharedSecret = %x, want %x", got, want)
		}
		got = y
		Label(&got, &got, number)
		if want := reference.TaggedHash("BIP0352/Label", y[:], encoded); !bytes.Equal(got[:], want) {
			t.Errorf("Label = %x, want %x", got, want)
		}
	}
}

func TestAppendCompressed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 20 {
		x := random(r)
		b := [33]byte(append([]byte{2}, x[:]...))
		want := sha256.Sum256(b[:])
		if got := AppendCompressed([]byte("dst"), &b); string(got) != "dst"+string(want[:]) {
			t.Errorf("the hash of %x is %x, want %x", b, got, want)
		}
	}
}

func TestZeroAllocations(t *testing.T) {
	var a, b, out [32]byte
	msg := make([]byte, 200)
	var point [33]byte
	var outpoint [36]byte
	sum := make([]byte, 0, 32)
	var outs [20][32]byte
	var challenges [Sixteen][32]byte
	var rows [Sixteen * RowSize]byte
	messages := make([][]byte, len(outs))
	for i := range messages {
		messages[i] = msg[i:]
	}
	for name, f := range map[string]func(){
		"MaskKey":          func() { MaskKey(&out, &a) },
		"Nonce":            func() { Nonce(&out, &a, &b, msg) },
		"Challenge":        func() { Challenge(&out, &a, &b, msg) },
		"TapTweak":         func() { TapTweak(&out, &a, b[:]) },
		"Inputs":           func() { Inputs(&out, &outpoint, &point) },
		"SharedSecret":     func() { SharedSecret(&out, &point, 1) },
		"Label":            func() { Label(&out, &a, 1) },
		"Tagged":           func() { Tagged(&out, "tag", msg, b[:]) },
		"AppendCompressed": func() { AppendCompressed(sum, &point) },
		"Keccak256":        func() { Keccak256(&out, msg) },
		"Keccak256Each":    func() { Keccak256Each(outs[:], messages) },
		"SHA256Each":       func() { SHA256Each(outs[:], messages) },
		"DoubleSHA256Each": func() { DoubleSHA256Each(outs[:], messages) },
		"Nonces": func() {
			var s Nonces
			s.Init(&a, &b, msg)
			s.Next(&out)
			s.Next(&out)
			s.Wipe()
		},
		"Challenges": func() { Challenges(&challenges, &rows, Sixteen) },
		"Expand":     func() { Expand(&challenges, &a, 1) },
	} {
		cputest.Run(t, func(t *testing.T) {
			if n := testing.AllocsPerRun(10, f); n != 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
	}
}

func BenchmarkChallenge(b *testing.B) {
	var r, p, out [32]byte
	msg := make([]byte, 32)
	b.ReportAllocs()
	for b.Loop() {
		Challenge(&out, &r, &p, msg)
	}
}

func BenchmarkNonces(b *testing.B) {
	var key, hash, out [32]byte
	b.ReportAllocs()
	for b.Loop() {
		var s Nonces
		s.Init(&key, &hash, nil)
		s.Next(&out)
		s.Wipe()
	}
}

func random(r *rand.Rand) (b [32]byte) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestLeftmost checks that Leftmost returns the number that package reference computes, for hashes
// of any length.
func TestLeftmost(t *testing.T) {
	for n := range 70 {
		h := make([]byte, n)
		for i := range h {
			h[i] = byte(0x80 + i)
		}
		b := [32]byte{1, 2, 3} // old contents, which Leftmost must overwrite
		Leftmost(&b, h)
		want := reference.HashInt(h)
		if new(big.Int).SetBytes(b[:]).Cmp(want) != 0 {
			t.Errorf("the number of %x is %x, want %x", h, b, want)
		}
	}
}
