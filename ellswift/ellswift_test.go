package ellswift_test

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/swiftec"
)

// BIP-324's vectors, in the module vectors, have each case of the maps, and lab/bench/differential
// compares keys and secrets with those of libsecp256k1.

var p = reference.P()

func number(x int64) *big.Int { return big.NewInt(x) }

// pair returns the encoding of u and t, which may be p or more.
func pair(u, t *big.Int) []byte {
	b := make([]byte, 64)
	u.FillBytes(b[:32])
	t.FillBytes(b[32:])
	return b
}

func privateKey(k *big.Int) *koblitz.PrivateKey {
	return reference.Must(koblitz.ParsePrivateKey(k.FillBytes(make([]byte, 32))))
}

// special returns encodings in which a number is 0 modulo p, or from p to 2^256 − 1.
func special() (all [][]byte) {
	most := new(big.Int).Sub(new(big.Int).Lsh(number(1), 256), number(1))
	edges := []*big.Int{number(0), number(1), number(2), new(big.Int).Sub(p, number(1)), p,
		new(big.Int).Add(p, number(1)), most}
	for _, u := range edges {
		for _, v := range edges {
			all = append(all, pair(u, v))
		}
	}
	return all
}

// TestEncode checks that encodings decode to the key, that equal randomness gives equal encodings,
// and that other randomness or another key gives others.
func TestEncode(t *testing.T) {
	seen := map[string]bool{}
	aux := make([]byte, 32)
	for k := int64(1); k < 60; k++ {
		key := privateKey(number(k))
		for i := range byte(3) {
			aux[31] = i
			for _, encode := range []func() ([]byte, error){
				func() ([]byte, error) { return ellswift.Encode(key.PublicKey(), aux) },
				func() ([]byte, error) { return ellswift.Create(key, aux) },
				func() ([]byte, error) { return ellswift.Encode(key.PublicKey(), nil) },
				func() ([]byte, error) { return ellswift.Create(key, nil) },
			} {
				b, err := encode()
				if err != nil || len(b) != ellswift.Size {
					t.Fatalf("key %d: %x, %v", k, b, err)
				}
				if got := reference.Must(ellswift.Decode(b)); !got.Equal(key.PublicKey()) {
					t.Errorf("key %d: %x encodes %v", k, b, got)
				}
				if seen[string(b)] {
					t.Errorf("key %d: %x again", k, b)
				}
				seen[string(b)] = true
			}
			if !seen[string(reference.Must(ellswift.Encode(key.PublicKey(), aux)))] ||
				!seen[string(reference.Must(ellswift.Create(key, aux)))] {
				t.Errorf("key %d: equal randomness gives other encodings", k)
			}
		}
	}
}

// TestUniform counts the values of each byte in encodings of random keys. The statistic chi², with
// 255 degrees of freedom, is above 400 with a probability of 10^-8. An encoder that always chose a
// u below p/2, or an odd t, would be far above. In some encodings it also counts the branches.
func TestUniform(t *testing.T) {
	const encodings = 4096
	var counts [64][256]int
	var branches [8]int
	for n := range encodings {
		key := koblitz.GenerateKey()
		b := reference.Must(ellswift.Create(key, nil))
		for i, x := range b {
			counts[i][x]++
		}
		if n >= 400 {
			continue
		}
		var u, x, v, w field.Element
		u.SetBytes((*[32]byte)(b[:32]))
		v.SetBytes((*[32]byte)(b[32:]))
		x.SetBytes((*[32]byte)(key.XOnlyPublicKey().Bytes()))
		for branch := range branches {
			if swiftec.Inverse(&w, &u, &x, branch) && w.Equal(&v).Bool() {
				branches[branch]++
			}
		}
	}
	chi := func(counts []int) (sum float64) {
		mean := 0.
		for _, c := range counts {
			mean += float64(c) / float64(len(counts))
		}
		for _, c := range counts {
			sum += (float64(c) - mean) * (float64(c) - mean) / mean
		}
		return sum
	}
	for i := range counts {
		if x := chi(counts[i][:]); x > 400 {
			t.Errorf("byte %d: chi² = %v", i, x)
		}
	}
	if x := chi(branches[:]); x > 50 {
		t.Errorf("the branches %v: chi² = %v", branches, x)
	}
}

// TestSharedSecret compares secrets with hashes of ECDH, for special encodings and others, in both
// roles.
func TestSharedSecret(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	encodings := special()
	for range 30 {
		encodings = append(encodings, pair(reference.RandInt(r), reference.RandInt(r)))
	}
	ours := pair(reference.RandInt(r), reference.RandInt(r))
	for i, theirs := range encodings {
		key := privateKey(reference.Secret(r))
		x := reference.Must(ecdh.SharedX(key, reference.Must(ellswift.Decode(theirs))))
		for _, initiating := range []bool{false, true} {
			first, second := theirs, ours
			if initiating {
				first, second = second, first
			}
			want := reference.TaggedHash("bip324_ellswift_xonly_ecdh", first, second, x)
			got, err := ellswift.SharedSecret(key, ours, theirs, initiating)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("encoding %d, %v: %x, %v, want %x", i, initiating, got, err, want)
			}
			got, err = ellswift.AppendSharedSecret([]byte("dst"), key, ours, theirs, initiating)
			if err != nil || string(got) != "dst"+string(want) {
				t.Errorf("encoding %d, %v: %x, %v, want %x after dst", i, initiating, got, err, want)
			}
		}
	}
	key, dst := privateKey(number(7)), make([]byte, 0, 32)
	if n := testing.AllocsPerRun(10, func() {
		ellswift.AppendSharedSecret(dst, key, ours, ours, true)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestHandshake checks that both parties derive the same secret, and that they do not if they take
// the same role, if one has received another encoding of the same key, or if one uses another
// encoding than it has sent.
func TestHandshake(t *testing.T) {
	a, b := koblitz.GenerateKey(), koblitz.GenerateKey()
	encode := func(k *koblitz.PrivateKey) []byte { return reference.Must(ellswift.Create(k, nil)) }
	ofA, ofB, again := encode(a), encode(b), encode(a)
	secret := func(k *koblitz.PrivateKey, ours, theirs []byte, initiating bool) string {
		return string(reference.Must(ellswift.SharedSecret(k, ours, theirs, initiating)))
	}
	want := secret(a, ofA, ofB, true)
	if secret(b, ofB, ofA, false) != want {
		t.Error("the secrets differ")
	}
	for name, other := range map[string]string{
		"the same role":                    secret(b, ofB, ofA, true),
		"another encoding of the peer":     secret(b, ofB, again, false),
		"another encoding than was sent":   secret(a, again, ofB, true),
		"the encodings exchanged":          secret(a, ofB, ofA, true),
		"the peer's encoding sent back":    secret(a, ofA, ofA, true),
		"the negated t, which has the x":   secret(b, ofB, negated(ofA), false),
		"u + p, which is the same element": secret(a, ofA, pair(p, number(1)), true),
	} {
		if other == want {
			t.Errorf("%s gives the same secret", name)
		}
	}
	if secret(a, ofA, pair(p, number(1)), true) == secret(a, ofA, pair(number(0), number(1)), true) {
		t.Error("two encodings of one element give the same secret")
	}
}

// negated returns the encoding with −t in place of t: that of the negative key.
func negated(b []byte) []byte {
	return pair(new(big.Int).SetBytes(b[:32]), new(big.Int).Sub(p, new(big.Int).SetBytes(b[32:])))
}

func TestErrors(t *testing.T) {
	key, zeroized := privateKey(number(5)), privateKey(number(6))
	public, ok := key.PublicKey(), make([]byte, 64)
	zeroized.Zeroize()
	refused := func(b []byte, err error, want string) {
		t.Helper()
		if b != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%x, %v, want an error with %q", b, err, want)
		}
	}
	for _, size := range []int{0, 63, 65, 33} {
		bad := make([]byte, size)
		if k, err := ellswift.Decode(bad); k != nil {
			t.Errorf("%d bytes: %v", size, k)
		} else {
			refused(nil, err, "ellswift: encoding: ")
		}
		b, err := ellswift.SharedSecret(key, bad, ok, true)
		refused(b, err, ": ours: ")
		b, err = ellswift.SharedSecret(key, ok, bad, true)
		refused(b, err, ": theirs: ")
		b, err = ellswift.Encode(public, bad)
		refused(b, err, "ellswift: aux: ")
		b, err = ellswift.Create(key, bad)
		refused(b, err, "ellswift: aux: ")
	}
	for _, none := range []*koblitz.PrivateKey{nil, new(koblitz.PrivateKey), zeroized} {
		b, err := ellswift.Create(none, nil)
		refused(b, err, koblitz.ErrZeroKey.Error())
		b, err = ellswift.SharedSecret(none, ok, ok, true)
		refused(b, err, koblitz.ErrZeroKey.Error())
		b, err = ellswift.AppendSharedSecret([]byte("dst"), none, ok, ok, true)
		if string(b) != "dst" || err == nil {
			t.Errorf("AppendSharedSecret without a key: %x, %v", b, err)
		}
	}
	for _, none := range []*koblitz.PublicKey{nil, new(koblitz.PublicKey)} {
		b, err := ellswift.Encode(none, nil)
		refused(b, err, koblitz.ErrZeroKey.Error())
	}
}

// FuzzDecode checks that every 64 bytes decode to a key, that other lengths are refused, and that a
// new encoding of the key decodes to it.
func FuzzDecode(f *testing.F) {
	for _, b := range special() {
		f.Add(b)
	}
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, b []byte) {
		key, err := ellswift.Decode(b)
		if len(b) != 64 {
			if err == nil || key != nil {
				t.Errorf("%d bytes: %v, %v", len(b), key, err)
			}
			return
		}
		if err != nil {
			t.Fatalf("%x: %v", b, err)
		}
		again, err := ellswift.Encode(key, b[:32])
		if err != nil || !reference.Must(ellswift.Decode(again)).Equal(key) {
			t.Errorf("%x is encoded as %x, %v", b, again, err)
		}
	})
}
