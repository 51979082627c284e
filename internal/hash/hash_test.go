package hash

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestTagged compares the functions for tagged hashes with package reference, for messages of many
// lengths. Where a digest may be an argument, it is.
func TestTagged(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 300 {
		check := func(tag string, got [32]byte, parts ...[]byte) {
			t.Helper()
			if want := reference.TaggedHash(tag, parts...); got != [32]byte(want) {
				t.Fatalf("%s of %x = %x, want %x", tag, parts, got, want)
			}
		}
		a, b, msg := random(r), random(r), reference.Bytes(r, n)
		if n == 299 {
			msg = reference.Bytes(r, 1<<18+5) // more than a part of ChallengeInParts
		}
		point, outpoint := [33]byte(reference.Bytes(r, 33)), [36]byte(reference.Bytes(r, 36))
		keys, number := [2][64]byte{}, r.Uint32()
		copy(keys[1][:], reference.Bytes(r, 64))
		encoded := binary.BigEndian.AppendUint32(nil, number)

		d := b
		MaskKey(&d, &a)
		for i := range d {
			d[i] ^= b[i]
		}
		check("BIP0340/aux", d, a[:])
		d = a
		Nonce(&d, &d, &b, msg)
		check("BIP0340/nonce", d, a[:], b[:], msg)
		Challenge(&d, &a, &b, msg)
		check("BIP0340/challenge", d, a[:], b[:], msg)
		var nonce [32]byte
		ChallengeAndNonce(&d, &nonce, &a, &b, &a, msg)
		check("BIP0340/challenge", d, a[:], a[:], msg)
		check("BIP0340/nonce", nonce, b[:], a[:], msg)
		calls := 0
		next := func() error { calls++; return nil }
		if err := ChallengeInParts(&d, &a, &b, msg, next); err != nil || calls != (len(msg)+1<<18-1)>>18 {
			t.Fatalf("%d bytes in %d parts: %v", len(msg), calls, err)
		}
		check("BIP0340/challenge", d, a[:], b[:], msg)
		stop := errors.New("stop")
		err := ChallengeInParts(&d, &a, &b, msg, func() error { return stop })
		if n > 0 && err != stop {
			t.Fatalf("%d bytes: %v, want %v", len(msg), err, stop)
		}
		d = a
		TapTweak(&d, &d, msg)
		check("TapTweak", d, a[:], msg)
		d = a
		Ellswift(&d, &keys[0], &keys[1], &d)
		check("bip324_ellswift_xonly_ecdh", d, keys[0][:], keys[1][:], a[:])
		Inputs(&d, &outpoint, &point)
		check("BIP0352/Inputs", d, outpoint[:], point[:])
		SharedSecret(&d, &point, number)
		check("BIP0352/SharedSecret", d, point[:], encoded)
		d = a
		Label(&d, &d, number)
		check("BIP0352/Label", d, a[:], encoded)
		Tagged(&d, "a tag", a[:], msg, b[:])
		check("a tag", d, a[:], msg, b[:])
		want := sha256.Sum256(point[:])
		if got := AppendCompressed([]byte("dst"), &point); string(got) != "dst"+string(want[:]) {
			t.Fatalf("the hash of %x is %x, want %x", point, got, want)
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
		extra := reference.Bytes(r, []int{0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 200}[i%11])
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

func TestZeroAllocations(t *testing.T) {
	var a, b, out [32]byte
	msg := make([]byte, 200)
	var point [33]byte
	var outpoint [36]byte
	sum := make([]byte, 0, 32)
	var outs [20][32]byte
	var sixteen [Sixteen][32]byte
	var lanes NonceLanes
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
		"Challenges": func() { Challenges(&sixteen, &rows, Sixteen) },
		"NonceLanes": func() {
			lanes.RFC6979(Sixteen)
			lanes.BIP340(Sixteen)
		},
		"Expand": func() { Expand(&sixteen, &a, 1) },
	} {
		cputest.Run(t, func(t *testing.T) {
			if n := testing.AllocsPerRun(10, f); n != 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}, cputest.Portable, cputest.SHANI, cputest.AVX512F)
	}
}

func random(r *rand.Rand) [32]byte { return [32]byte(reference.Bytes(r, 32)) }

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
