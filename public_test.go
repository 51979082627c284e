package koblitz_test

import (
	"bytes"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
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

func compressed(p reference.Point) []byte {
	return append([]byte{2 + byte(p.Y.Bit(0))}, bytes32(p.X)...)
}

func uncompressed(p reference.Point) []byte {
	return append(append([]byte{4}, bytes32(p.X)...), bytes32(p.Y)...)
}

func TestParsePublicKeyErrors(t *testing.T) {
	g := uncompressed(curve.G)
	with := func(b []byte, at int, v ...byte) []byte {
		b = bytes.Clone(b)
		copy(b[at:], v)
		return b
	}
	p := bytes32(reference.P())
	c := compressed(curve.G)
	for _, test := range []struct {
		name string
		b    []byte
		want string
	}{
		{"nil", nil, "0 bytes, want 33"},
		{"infinity", []byte{0}, "1 bytes, want 33"},
		{"x-only", c[1:], "32 bytes, want 33"},
		{"a byte more", append(bytes.Clone(c), 0), "34 bytes, want 33"},
		{"a byte less than uncompressed", g[:64], "64 bytes, want 33"},
		{"prefix 0 of 33", with(c, 0, 0), "byte 0 is 0x00, want 0x02 or 0x03"},
		{"prefix 4 of 33", with(c, 0, 4), "byte 0 is 0x04, want 0x02 or 0x03"},
		{"prefix 2 of 65", with(g, 0, 2), "byte 0 is 0x02, want 0x04"},
		{"prefix 5 of 65", with(g, 0, 5), "byte 0 is 0x05, want 0x04"},
		{"hybrid, even", with(g, 0, 6), "byte 0 is 0x06: hybrid"},
		{"hybrid, odd", with(g, 0, 7), "byte 0 is 0x07: hybrid"},
		{"x is p", with(c, 1, p...), "x (bytes 1 to 32) is not below the field prime"},
		{"x is 2^256-1", with(c, 1, bytes.Repeat([]byte{0xff}, 32)...),
			"x (bytes 1 to 32) is not below the field prime"},
		{"x is 0", with(c, 1, make([]byte, 32)...), "x (bytes 1 to 32) is not the x coordinate"},
		{"x is 5", with(c, 1, bytes32(big.NewInt(5))...), "x (bytes 1 to 32) is not the x coordinate"},
		{"x of 65 is p", with(g, 1, p...), "x (bytes 1 to 32) is not below the field prime"},
		{"y of 65 is p", with(g, 33, p...), "y (bytes 33 to 64) is not below the field prime"},
		{"another y", with(g, 64, g[64]^1), "(x, y) (bytes 1 to 64) is not a point"},
		{"the origin", with(make([]byte, 65), 0, 4), "(x, y) (bytes 1 to 64) is not a point"},
	} {
		k, err := koblitz.ParsePublicKey(test.b)
		if k != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: ParsePublicKey(%x) = %v, %v, want an error with %q",
				test.name, test.b, k, err, test.want)
		}
	}
}

func TestParseXOnlyPublicKeyErrors(t *testing.T) {
	for _, test := range []struct {
		b    []byte
		want string
	}{
		{nil, "0 bytes, want 32"},
		{compressed(curve.G), "33 bytes, want 32"},
		{bytes32(reference.P()), "x (bytes 0 to 31) is not below the field prime"},
		{bytes32(big.NewInt(0)), "x (bytes 0 to 31) is not the x coordinate"},
		{bytes32(big.NewInt(5)), "x (bytes 0 to 31) is not the x coordinate"},
	} {
		k, err := koblitz.ParseXOnlyPublicKey(test.b)
		if k != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("ParseXOnlyPublicKey(%x) = %v, %v, want an error with %q", test.b, k, err, test.want)
		}
	}
}

// TestPublicKeyEncodings checks that a key is accepted exactly if package reference finds a point,
// for every x near an edge of its range and both parities, and that encoding the key gives the same
// bytes.
func TestPublicKeyEncodings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	xs := reference.EdgeInts()
	for range 100 {
		xs = append(xs, reference.RandInt(r))
	}
	for _, x := range xs {
		for _, odd := range []bool{false, true} {
			in := append([]byte{2}, bytes32(x)...)
			if odd {
				in[0] = 3
			}
			k, err := koblitz.ParsePublicKey(in)
			want, ok := curve.LiftX(x, odd)
			if (err == nil) != ok {
				t.Fatalf("ParsePublicKey(%x): error %v, want a point: %v", in, err, ok)
			}
			if xk, err := koblitz.ParseXOnlyPublicKey(in[1:]); (err == nil) != ok {
				t.Fatalf("ParseXOnlyPublicKey(%x): error %v, want a point: %v", in[1:], err, ok)
			} else if ok && (!bytes.Equal(xk.Bytes(), in[1:]) || [32]byte(xk.Bytes()) != [32]byte(in[1:])) {
				t.Fatalf("x-only %x comes back as %x", in[1:], xk.Bytes())
			}
			if !ok {
				continue
			}
			c := [33]byte(k.Bytes())
			if !bytes.Equal(k.Bytes(), in) || !bytes.Equal(c[:], in) {
				t.Errorf("%x comes back as %x and %x", in, k.Bytes(), c)
			}
			if !bytes.Equal(k.UncompressedBytes(), uncompressed(want)) {
				t.Errorf("%x uncompressed = %x, want %x", in, k.UncompressedBytes(), uncompressed(want))
			}
			long := reference.Must(koblitz.ParsePublicKey(uncompressed(want)))
			if !long.Equal(k) || !bytes.Equal(long.Bytes(), in) {
				t.Errorf("%x: the uncompressed key is another", in)
			}
			if k.HasEvenY() == odd {
				t.Errorf("%x: HasEvenY = %v", in, k.HasEvenY())
			}
			if got := k.AppendBytes([]byte("dst")); !bytes.Equal(got, append([]byte("dst"), in...)) {
				t.Errorf("AppendBytes = %x", got)
			}
			appended := slices.Concat([]byte("dst"), uncompressed(want))
			if got := k.AppendUncompressedBytes([]byte("dst")); !bytes.Equal(got, appended) {
				t.Errorf("AppendUncompressedBytes = %x", got)
			}
			xonly := k.XOnlyPublicKey()
			appended = slices.Concat([]byte{1}, in[1:])
			if !bytes.Equal(xonly.Bytes(), in[1:]) ||
				!bytes.Equal(xonly.AppendBytes([]byte{1}), appended) {
				t.Errorf("%x: x-only %x", in, k.XOnlyPublicKey().Bytes())
			}
			even, _ := curve.LiftX(x, false)
			if got := k.XOnlyPublicKey().PublicKey().Bytes(); !bytes.Equal(got, compressed(even)) {
				t.Errorf("%x: the point of the x-only key is %x, want %x", in, got, compressed(even))
			}
			if got := k.Negate().Bytes(); !bytes.Equal(got, compressed(curve.Neg(want))) {
				t.Errorf("%x: Negate = %x", in, got)
			}
			if k.Negate().Equal(k) || !k.Negate().Negate().Equal(k) ||
				!k.Negate().XOnlyPublicKey().Equal(k.XOnlyPublicKey()) {
				t.Errorf("%x: Negate is not its own inverse", in)
			}
		}
	}
}

func TestPublicKeyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var ks []*koblitz.PublicKey
	for range 20 {
		k := reference.Must(koblitz.ParsePublicKey(compressed(curve.ScalarMult(secret(r), curve.G))))
		ks = append(ks, k, k.Negate())
	}
	slices.SortFunc(ks, (*koblitz.PublicKey).Compare)
	for i := range ks[1:] {
		a, b := ks[i], ks[i+1]
		if bytes.Compare(a.Bytes(), b.Bytes()) > 0 {
			t.Errorf("%v sorts before %v", a, b)
		}
		if a.Compare(b) != -b.Compare(a) || (a.Compare(b) == 0) != a.Equal(b) {
			t.Errorf("Compare of %v and %v is no order", a, b)
		}
		x, y := a.XOnlyPublicKey(), b.XOnlyPublicKey()
		if got, want := x.Compare(y), bytes.Compare(x.Bytes(), y.Bytes()); got != want {
			t.Errorf("x-only Compare of %v and %v = %d, want %d", a, b, got, want)
		}
		if got, want := x.Equal(y), bytes.Equal(x.Bytes(), y.Bytes()); got != want {
			t.Errorf("x-only Equal of %v and %v = %v", a, b, got)
		}
	}
}

func TestPublicKeyMarshalling(t *testing.T) {
	k := reference.Must(koblitz.ParsePublicKey(compressed(curve.G)))
	type both struct {
		Key  koblitz.PublicKey
		Ptr  *koblitz.PublicKey
		X    koblitz.XOnlyPublicKey
		None koblitz.PublicKey `json:",omitzero"`
	}
	in := both{Key: *k, Ptr: k, X: *k.XOnlyPublicKey()}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	const x = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
	if want := `{"Key":"02` + x + `","Ptr":"02` + x + `","X":"` + x + `"}`; string(text) != want {
		t.Errorf("JSON = %s, want %s", text, want)
	}
	var out both
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	if !out.Key.Equal(k) || !out.Ptr.Equal(k) || !out.X.Equal(k.XOnlyPublicKey()) ||
		!out.None.IsZero() {
		t.Errorf("JSON comes back as %v", out)
	}
	type exported struct{ Key koblitz.PublicKey }
	var buf bytes.Buffer
	var fromGob exported
	if err := gob.NewEncoder(&buf).Encode(exported{*k}); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&buf).Decode(&fromGob); err != nil || !fromGob.Key.Equal(k) {
		t.Errorf("gob: %v, %v", fromGob, err)
	}
	if k.String() != "02"+x || k.XOnlyPublicKey().String() != x {
		t.Errorf("String = %v, %v", k, k.XOnlyPublicKey())
	}

	long := hex.EncodeToString(uncompressed(curve.G))
	if err := out.Key.UnmarshalText([]byte(long)); err != nil || !out.Key.Equal(k) {
		t.Errorf("the uncompressed form as text: %v", err)
	}
	err = out.X.UnmarshalText([]byte("zz"))
	if err == nil || !strings.Contains(err.Error(), "x-only public key: ") {
		t.Errorf("x-only UnmarshalText: error %v", err)
	}
	before := out.Key.Bytes()
	for _, bad := range []string{"", "02", "zz", "02" + x + "0", x} {
		err = out.Key.UnmarshalText([]byte(bad))
		if err == nil || !bytes.Equal(out.Key.Bytes(), before) {
			t.Errorf("UnmarshalText(%q): error %v, key now %v", bad, err, out.Key)
		}
		if err := out.X.UnmarshalText([]byte("0" + bad)); err == nil || !out.X.Equal(k.XOnlyPublicKey()) {
			t.Errorf("x-only UnmarshalText(%q): error %v, key now %v", bad, err, out.X)
		}
	}
}

// TestZeroPublicKey checks comparisons of zero keys with others, and what zero keys append and
// print. TestZeroValues checks their other methods.
func TestZeroPublicKey(t *testing.T) {
	k := reference.Must(koblitz.ParsePublicKey(compressed(curve.G)))
	x := k.XOnlyPublicKey()
	var tweaks []func([]byte) (*koblitz.PublicKey, error)
	for _, zero := range []*koblitz.PublicKey{nil, {}} {
		if zero.Equal(k) || k.Equal(zero) || zero.Compare(k) != -1 || k.Compare(zero) != 1 {
			t.Error("a zero value equals something or does not sort first")
		}
		if string(zero.AppendBytes([]byte("x"))) != "x" ||
			string(zero.AppendUncompressedBytes([]byte("x"))) != "x" {
			t.Error("a zero value has an encoding")
		}
		tweaks = append(tweaks, zero.TweakAdd, zero.TweakMul)
	}
	for _, zero := range []*koblitz.XOnlyPublicKey{nil, {}} {
		if zero.Equal(x) || x.Equal(zero) || zero.Compare(x) != -1 ||
			string(zero.AppendBytes([]byte("x"))) != "x" {
			t.Error("an x-only zero value equals something, sorts late or has an encoding")
		}
		tweaks = append(tweaks, zero.TweakAdd, zero.TaprootTweak)
	}
	for i, tweak := range tweaks {
		if got, err := tweak(bytes32(big.NewInt(1))); got != nil || err != koblitz.ErrZeroKey {
			t.Errorf("method %d tweaks a zero value: %v, %v", i, got, err)
		}
	}
	for want, zero := range map[string]any{
		"koblitz.PublicKey(zero)":      koblitz.PublicKey{},
		"koblitz.PreparedKey(zero)":    koblitz.PreparedKey{},
		"koblitz.XOnlyPublicKey(zero)": koblitz.XOnlyPublicKey{},
	} {
		if got := fmt.Sprint(zero); got != want {
			t.Errorf("String = %q, want %q", got, want)
		}
	}
}

func FuzzParsePublicKey(f *testing.F) {
	f.Add(compressed(curve.G))
	f.Add(uncompressed(curve.G))
	f.Add(append([]byte{3}, bytes32(reference.P())...))
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, b []byte) {
		k, err := koblitz.ParsePublicKey(b)
		if (k == nil) == (err == nil) {
			t.Fatalf("a key %v and the error %v", k, err)
		}
		if k != nil {
			var out []byte
			if len(b) == 33 {
				out = k.Bytes()
			} else {
				out = k.UncompressedBytes()
			}
			if !bytes.Equal(out, b) {
				t.Fatalf("%x comes back as %x", b, out)
			}
			u := k.UncompressedBytes()
			p := reference.Point{X: new(big.Int).SetBytes(u[1:33]), Y: new(big.Int).SetBytes(u[33:])}
			if !curve.IsOnCurve(p) {
				t.Fatalf("%x is not on the curve", u)
			}
		}
		x, err := koblitz.ParseXOnlyPublicKey(b)
		if (x == nil) == (err == nil) || x != nil && !bytes.Equal(x.Bytes(), b) {
			t.Fatalf("x-only key %v and the error %v for %x", x, err, b)
		}
	})
}

func FuzzPublicKeyText(f *testing.F) {
	f.Add([]byte(hex.EncodeToString(compressed(curve.G))))
	f.Add([]byte("04"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var k koblitz.PublicKey
		if err := k.UnmarshalText(text); (err != nil) != k.IsZero() {
			t.Fatalf("key %v and the error %v", k, err)
		}
		var x koblitz.XOnlyPublicKey
		if err := x.UnmarshalText(text); (err != nil) != x.IsZero() {
			t.Fatalf("x-only key %v and the error %v", x, err)
		}
	})
}

// TestFaultInTweakMul changes bits of the point that TweakMul multiplies. There must be an error:
// on another curve the result could reveal the tweak.
func TestFaultInTweakMul(t *testing.T) {
	k, tweak := koblitz.GenerateKey().PublicKey(), koblitz.GenerateKey().Bytes()
	var bits secrettest.Bits
	bits.AddEvery(3, "point", (*keys.Public)(k).Affine())
	for i := range bits {
		bits.Flip(i)
		if q, err := k.TweakMul(tweak); q != nil || err == nil {
			t.Fatalf("bit %d: %v, %v", i, q, err)
		}
		bits.Flip(i)
	}
	if _, err := k.TweakMul(tweak); err != nil {
		t.Error(err)
	}
}
