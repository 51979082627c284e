package secp256k1_test

import (
	"bytes"
	"errors"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// kind returns the kind of an error of parsing, or nil if err is nil. It fails the test for other
// errors.
func kind(t *testing.T, err error) error {
	t.Helper()
	if err == nil {
		return nil
	}
	var e secp256k1.Error
	var k secp256k1.ErrorKind
	if !errors.As(err, &e) || !errors.As(err, &k) || !errors.Is(err, k) {
		t.Fatalf("%v is no error of this package with a kind", err)
	}
	if e.Description == "" || err.Error() != e.Description || e.Unwrap() != error(k) ||
		k.Error() != string(k) {
		t.Fatalf("%#v: the text or the kind is lost", err)
	}
	return k
}

// parseReference computes the expected result of ParsePubKey.
func parseReference(b []byte) (reference.Point, error) {
	var first byte
	if len(b) > 0 {
		first = b[0]
	}
	switch len(b) {
	case 33:
		if first != 2 && first != 3 {
			return reference.Point{}, secp256k1.ErrPubKeyInvalidFormat
		}
		x := new(big.Int).SetBytes(b[1:])
		if x.Cmp(p) >= 0 {
			return reference.Point{}, secp256k1.ErrPubKeyXTooBig
		}
		a, ok := curve.LiftX(x, first == 3)
		if !ok {
			return reference.Point{}, secp256k1.ErrPubKeyNotOnCurve
		}
		return a, nil
	case 65:
		a := reference.Point{X: new(big.Int).SetBytes(b[1:33]), Y: new(big.Int).SetBytes(b[33:])}
		switch {
		case first != 4 && first != 6 && first != 7:
			return a, secp256k1.ErrPubKeyInvalidFormat
		case a.X.Cmp(p) >= 0:
			return a, secp256k1.ErrPubKeyXTooBig
		case a.Y.Cmp(p) >= 0:
			return a, secp256k1.ErrPubKeyYTooBig
		case first != 4 && a.Y.Bit(0) != uint(first&1):
			return a, secp256k1.ErrPubKeyMismatchedOddness
		case !curve.IsOnCurve(a):
			return a, secp256k1.ErrPubKeyNotOnCurve
		}
		return a, nil
	}
	return reference.Point{}, secp256k1.ErrPubKeyInvalidLen
}

// checkParse parses b, compares the result with that of parseReference, and returns the kind of the
// error, or nil if there is no error.
func checkParse(t *testing.T, b []byte) error {
	t.Helper()
	before := bytes.Clone(b)
	key, err := secp256k1.ParsePubKey(b)
	a, want := parseReference(b)
	if got := kind(t, err); got != want {
		t.Fatalf("ParsePubKey(%x): %v, want %v", b, err, want)
	}
	if !bytes.Equal(b, before) {
		t.Fatalf("ParsePubKey changes %x", before)
	}
	if want != nil {
		if key != nil {
			t.Fatalf("ParsePubKey(%x) returns a key and %v", b, err)
		}
		return want
	}
	if *key != *secp256k1.NewPublicKey(fieldVal(a.X), fieldVal(a.Y)) {
		t.Fatalf("ParsePubKey(%x) = %x", b, key.SerializeUncompressed())
	}
	return nil
}

func encode(first byte, numbers ...*big.Int) []byte {
	b := []byte{first}
	for _, x := range numbers {
		b = append(b, x.FillBytes(make([]byte, 32))...)
	}
	return b
}

func TestParsePubKey(t *testing.T) {
	count := map[error]int{}
	for size := range 70 {
		for _, first := range []byte{0, 2, 3, 4, 6, 7} {
			b := make([]byte, size)
			if size > 0 {
				b[0] = first
			}
			count[checkParse(t, b)]++
		}
	}
	r := rand.New(rand.NewPCG(9, 10))
	for _, x := range reference.EdgeInts() {
		for _, first := range []byte{2, 3} {
			count[checkParse(t, encode(first, x))]++
		}
		a, ok := curve.LiftX(x, r.IntN(2) == 0)
		if !ok {
			a = reference.Point{X: x, Y: reference.RandInt(r)}
		}
		minus := new(big.Int).Mod(new(big.Int).Neg(a.Y), p)
		for first := range byte(9) {
			for _, y := range []*big.Int{a.Y, minus, p, new(big.Int).Add(p, big.NewInt(1)), x} {
				count[checkParse(t, encode(first, x, y))]++
			}
		}
	}
	for first := range 256 {
		count[checkParse(t, encode(byte(first), curve.G.X))]++
		count[checkParse(t, encode(byte(first), curve.G.X, curve.G.Y))]++
	}
	for _, want := range []error{
		nil, secp256k1.ErrPubKeyInvalidLen, secp256k1.ErrPubKeyInvalidFormat,
		secp256k1.ErrPubKeyXTooBig, secp256k1.ErrPubKeyYTooBig, secp256k1.ErrPubKeyNotOnCurve,
		secp256k1.ErrPubKeyMismatchedOddness,
	} {
		if count[want] < 10 {
			t.Errorf("%v came up %d times", want, count[want])
		}
	}
}

func FuzzParsePubKey(f *testing.F) {
	for _, b := range [][]byte{
		nil, encode(2, curve.G.X), encode(4, curve.G.X, curve.G.Y), encode(6, curve.G.X, curve.G.Y),
		encode(7, curve.G.X, curve.G.Y), encode(3, p), encode(4, curve.G.X, p),
	} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkParse(t, b) })
}

// TestPublicKey checks that one key made in different ways is equal by ==, by reflection and by
// IsEqual.
func TestPublicKey(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var last *secp256k1.PublicKey
	for i := range 12 {
		d := new(big.Int).Mod(reference.RandInt(r), n)
		if d.Sign() == 0 {
			continue
		}
		a := curve.ScalarMult(d, curve.G)
		odd := byte(a.Y.Bit(0))
		private := secp256k1.NewPrivateKey(modNScalar(d))
		key := private.PubKey()
		keys := []*secp256k1.PublicKey{key, private.PubKey()}
		for _, b := range [][]byte{
			encode(2|odd, a.X), encode(4, a.X, a.Y), encode(6|odd, a.X, a.Y),
			key.SerializeCompressed(), key.SerializeUncompressed(),
		} {
			parsed, err := secp256k1.ParsePubKey(b)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, parsed)
		}
		// Use coordinates that are not canonical, if they fit in 256 bits.
		x, y := new(big.Int).Add(a.X, p), new(big.Int).Add(a.Y, p)
		if x.BitLen() > 256 {
			x = a.X
		}
		if y.BitLen() > 256 {
			y = a.Y
		}
		keys = append(keys, secp256k1.NewPublicKey(fieldVal(x), fieldVal(y)))
		var q secp256k1.JacobianPoint
		secp256k1.ScalarBaseMultNonConst(modNScalar(d), &q)
		q.ToAffine()
		keys = append(keys, secp256k1.NewPublicKey(&q.X, &q.Y))

		for j, k := range keys {
			if *k != *key || !reflect.DeepEqual(k, key) || !k.IsEqual(key) || !key.IsEqual(k) {
				t.Errorf("key %d differs: %v, %v", j, k, key)
			}
			if last != nil && (*k == *last || k.IsEqual(last) || last.IsEqual(k)) {
				t.Errorf("key %d equals the previous one", j)
			}
		}
		minus := secp256k1.NewPublicKey(fieldVal(a.X), fieldVal(a.Y).Negate(1))
		if key.IsEqual(minus) || *minus == *key {
			t.Errorf("%d: opposite keys are equal", i)
		}
		if !bytes.Equal(key.SerializeCompressed(), encode(2|odd, a.X)) ||
			!bytes.Equal(key.SerializeUncompressed(), encode(4, a.X, a.Y)) ||
			!bytes.Equal(minus.SerializeCompressed(), encode(3^odd, a.X)) {
			t.Errorf("%x is encoded as %x", a, key.SerializeCompressed())
		}
		if key.X().Cmp(a.X) != 0 || key.Y().Cmp(a.Y) != 0 || !key.IsOnCurve() {
			t.Errorf("%x, %x: %v, %v", key.X(), key.Y(), a, key.IsOnCurve())
		}
		key.AsJacobian(&q)
		if q != jacobian(a, big.NewInt(1)) {
			t.Errorf("AsJacobian: %v", q)
		}
		last = key
	}
}

// TestNewPublicKey checks that a key that is not a point keeps its coordinates.
func TestNewPublicKey(t *testing.T) {
	pairs(func(a, b *big.Int) {
		x, y := new(big.Int).Mod(a, p), new(big.Int).Mod(b, p)
		f, g := fieldVal(a), fieldVal(b)
		key := secp256k1.NewPublicKey(f, g)
		if *f != *fieldVal(a) || *g != *fieldVal(b) {
			t.Errorf("NewPublicKey changes %x or %x", a, b)
		}
		if !bytes.Equal(key.SerializeUncompressed(), encode(4, x, y)) ||
			!bytes.Equal(key.SerializeCompressed(), encode(byte(2|y.Bit(0)), x)) {
			t.Errorf("(%x, %x) is encoded as %x", a, b, key.SerializeUncompressed())
		}
		if key.IsOnCurve() != curve.IsOnCurve(reference.Point{X: x, Y: y}) {
			t.Errorf("(%x, %x) is on the curve: %v", a, b, key.IsOnCurve())
		}
	})
}

// A named is a type whose underlying type is that of PublicKey, as a program may define it.
type named secp256k1.PublicKey

func TestConversions(t *testing.T) {
	key := secp256k1.NewPublicKey(fieldVal(curve.G.X), fieldVal(curve.G.Y))
	if k := named(*key); *(*secp256k1.PublicKey)(&k) != *key {
		t.Error("a conversion changes the key")
	}
	if m := map[secp256k1.PublicKey]int{*key: 1}; m[*key] != 1 {
		t.Error("a key is no key of a map")
	}
	var f secp256k1.FieldVal64 = *fieldVal(curve.G.X)
	if !f.Equals(fieldVal(curve.G.X)) {
		t.Error("FieldVal64 is another type")
	}
}
