package group

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/reference"
)

func toScalar(x *big.Int) *Scalar {
	b := new(big.Int).Mod(x, reference.N()).FillBytes(make([]byte, 32))
	return reference.Must(new(Scalar).SetBytes(b))
}

func encode(p reference.Point) []byte {
	b := make([]byte, PointSize)
	if !p.IsInfinity() {
		b[0] = 2 + byte(p.Y.Bit(0))
		p.X.FillBytes(b[1:])
	}
	return b
}

func wantScalar(t testing.TB, what string, s *Scalar, x *big.Int) {
	t.Helper()
	var b [32]byte
	if want := new(big.Int).Mod(x, reference.N()).FillBytes(b[:]); !bytes.Equal(s.Bytes(), want) {
		t.Errorf("%s: %x, want %x", what, s.Bytes(), want)
	}
}

func wantPoint(t testing.TB, what string, p *Point, want reference.Point) {
	t.Helper()
	if got := p.Bytes(); !bytes.Equal(got, encode(want)) {
		t.Errorf("%s: %x, want %x", what, got, encode(want))
	}
}

func TestScalar(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 500 {
		x, y := reference.RandInt(r), reference.RandInt(r)
		a, b := toScalar(x), toScalar(y)
		var s Scalar
		wantScalar(t, "sum", s.Add(a, b), new(big.Int).Add(x, y))
		wantScalar(t, "difference", s.Sub(a, b), new(big.Int).Sub(x, y))
		wantScalar(t, "product", s.Mul(a, b), new(big.Int).Mul(x, y))
		wantScalar(t, "opposite", s.Negate(a), new(big.Int).Neg(x))
		wantScalar(t, "copy", s.Set(a), x)
		inverse := new(big.Int).ModInverse(new(big.Int).Mod(x, reference.N()), reference.N())
		if inverse == nil {
			inverse = new(big.Int)
		}
		wantScalar(t, "inverse", s.Invert(a), inverse)
		difference := new(big.Int).Sub(x, y)
		if a.Equal(b) != (difference.Mod(difference, reference.N()).Sign() == 0) || !a.Equal(a) {
			t.Error("Equal")
		}
		if a.IsZero() != (new(big.Int).Mod(x, reference.N()).Sign() == 0) {
			t.Error("IsZero")
		}
		for _, size := range []int{48, 57, 64} {
			u := make([]byte, size)
			r.Read(u)
			if r.Intn(4) == 0 {
				u = bytes.Repeat([]byte{0xff}, size)
			}
			reference.Must(s.SetUniformBytes(u))
			wantScalar(t, "uniform bytes", &s, new(big.Int).SetBytes(u))
		}
	}
	var s Scalar
	wantScalar(t, "zero value", &s, new(big.Int))
	wantScalar(t, "SetUint64", s.SetUint64(1<<64-1), new(big.Int).SetUint64(1<<64-1))
	if a, b := RandomScalar(), RandomScalar(); a.Equal(b) || a.IsZero() {
		t.Error("RandomScalar is not random")
	}
	s.Zeroize()
	wantScalar(t, "zeroized", &s, new(big.Int))
}

// TestSetBytesReduced checks that SetBytesReduced gives the same results as math/big, for numbers
// around 0, n and 2²⁵⁶ and for random ones, and that SetBytes accepts those below n. Some numbers
// are between n and 2²⁵⁶, where a uniform number practically never is.
func TestSetBytesReduced(t *testing.T) {
	n := reference.N()
	top := new(big.Int).Lsh(big.NewInt(1), 256)
	var numbers []*big.Int
	for d := int64(-3); d <= 3; d++ {
		for _, x := range []*big.Int{new(big.Int), n, top} {
			numbers = append(numbers, new(big.Int).Add(x, big.NewInt(d)))
		}
	}
	r := rand.New(rand.NewSource(7))
	above := new(big.Int).Sub(top, n)
	for range 300 {
		numbers = append(numbers, reference.RandInt(r), new(big.Int).Rand(r, top),
			new(big.Int).Add(n, new(big.Int).Rand(r, above)))
	}
	for _, x := range numbers {
		if x.Sign() < 0 || x.Cmp(top) >= 0 {
			continue
		}
		b := x.FillBytes(make([]byte, ScalarSize))
		before := bytes.Clone(b)
		s := new(Scalar).SetUint64(7)
		if got, err := s.SetBytesReduced(b); err != nil || got != s || !bytes.Equal(b, before) {
			t.Fatalf("%x, now %x: %v", before, b, err)
		}
		wantScalar(t, "reduced", s, x)
		strict, err := new(Scalar).SetBytes(b)
		if inRange := x.Cmp(n) < 0; inRange != (err == nil) || inRange && !strict.Equal(s) {
			t.Errorf("SetBytes of %x: %v", b, err)
		}
	}
}

// TestScalarRefused checks that bytes that are not the encoding of a scalar give an error and leave
// the receiver unchanged.
func TestScalarRefused(t *testing.T) {
	s := new(Scalar).SetUint64(7)
	for name, f := range map[string]func(b []byte) (*Scalar, error){
		"SetBytes": s.SetBytes, "SetBytesReduced": s.SetBytesReduced,
		"SetUniformBytes": s.SetUniformBytes,
	} {
		for size := range 70 {
			ok := size == ScalarSize
			if name == "SetUniformBytes" {
				ok = size >= 48 && size <= 64
			}
			if got, err := f(make([]byte, size)); ok != (err == nil) || ok != (got == s) {
				t.Errorf("%s of %d bytes: %v", name, size, err)
			}
			if !ok {
				wantScalar(t, "after errors", s, big.NewInt(7))
			}
			s.SetUint64(7)
		}
	}
	if got, err := s.SetBytes(reference.N().Bytes()); err == nil || got != nil {
		t.Error("n is accepted")
	}
	if _, err := s.SetPrivateKey(nil); err == nil {
		t.Error("no private key is accepted")
	}
	if _, err := new(Scalar).PrivateKey(); err == nil {
		t.Error("0 is a private key")
	}
	wantScalar(t, "after errors", s, big.NewInt(7))
}

// points returns points whose sums are exceptional cases of the addition formulas, each point both
// with denominator 1 and with another denominator.
func points() (ps []*Point, want []reference.Point) {
	c := reference.Secp256k1()
	for _, k := range []int64{0, 1, -1, 2, 3, -3} {
		q := c.ScalarMult(big.NewInt(k), c.G)
		p := reference.Must(new(Point).SetBytes(encode(q)))
		scaled := new(Point).ScalarBaseMult(toScalar(big.NewInt(k)))
		ps, want = append(ps, p, scaled), append(want, q, q)
	}
	return ps, want
}

func TestPointAdditions(t *testing.T) {
	c := reference.Secp256k1()
	ps, want := points()
	for i, a := range ps {
		var p Point
		wantPoint(t, "copy", p.SetGenerator().Set(a), want[i]) // in place of one with denominator 1
		wantPoint(t, "opposite", p.SetGenerator().Negate(a), c.Neg(want[i]))
		wantPoint(t, "double", p.Double(a), c.Double(want[i]))
		if a.IsIdentity() != want[i].IsInfinity() {
			t.Errorf("IsIdentity of %d", i)
		}
		for j, b := range ps {
			wantPoint(t, "sum", p.Add(a, b), c.Add(want[i], want[j]))
			wantPoint(t, "difference", p.Sub(a, b), c.Add(want[i], c.Neg(want[j])))
			if a.Equal(b) != want[i].Equal(want[j]) {
				t.Errorf("Equal of %d and %d", i, j)
			}
		}
	}
}

func TestPointMultiplications(t *testing.T) {
	c := reference.Secp256k1()
	r := rand.New(rand.NewSource(2))
	ps, want := points()
	for round := range 20 {
		x, y := reference.RandInt(r), reference.RandInt(r)
		if round == 0 {
			x, y = new(big.Int), big.NewInt(1)
		}
		k, l := toScalar(x), toScalar(y)
		x.Mod(x, c.Order)
		y.Mod(y, c.Order)
		base := c.ScalarMult(x, c.G)
		// The receiver has the denominator 1, and the result has another one.
		p := func() *Point { return new(Point).SetGenerator() }
		wantPoint(t, "k·G", p().ScalarBaseMult(k), base)
		wantPoint(t, "k·G, vartime", p().ScalarBaseMultVartime(k), base)
		i := r.Intn(len(ps))
		if round < 2 {
			i = 0
		}
		product := c.ScalarMult(x, want[i])
		wantPoint(t, "k·P", p().ScalarMult(k, ps[i]), product)
		wantPoint(t, "k·P, vartime", p().ScalarMultVartime(k, ps[i]), product)
		sum := c.Add(base, c.ScalarMult(y, want[i]))
		wantPoint(t, "k·G + l·P", p().DoubleScalarBaseMultVartime(k, l, ps[i]), sum)
	}
}

// badPoints returns bytes that are not the encoding of a point.
func badPoints() [][]byte {
	good := new(Point).SetGenerator().Bytes()
	bad := func(i int, v byte) []byte {
		b := bytes.Clone(good)
		b[i] = v
		return b
	}
	noPoint := append([]byte{2}, make([]byte, 32)...)
	noPoint[32] = 5
	return [][]byte{
		nil, {0}, good[:32], append(bytes.Clone(good), 0), bad(0, 4), bad(0, 0), bad(0, 6), noPoint,
		append([]byte{2}, reference.P().Bytes()...), bytes.Repeat([]byte{0xff}, 33),
	}
}

// TestPointEncoding checks encodings and, in every form, that bytes that are not one give an error
// and leave the receiver unchanged.
func TestPointEncoding(t *testing.T) {
	var p Point
	wantPoint(t, "zero value", &p, reference.Point{})
	wantPoint(t, "generator", p.SetGenerator(), reference.Secp256k1().G)
	if got := p.AppendBytes([]byte{9}); len(got) != 34 || got[0] != 9 {
		t.Error("AppendBytes does not append")
	}
	text, _ := p.MarshalText()
	texts := [][]byte{
		text[:64], append(bytes.Clone(text), '0', '0'), append(bytes.Clone(text[:65]), 'g'),
		bytes.Repeat([]byte("0"), 1<<20), append([]byte("0x"), text[:64]...),
	}
	for _, b := range badPoints() {
		if got, err := p.SetBytes(b); err == nil || got != nil {
			t.Errorf("%x is accepted", b)
		}
		if err := p.UnmarshalBinary(b); err == nil {
			t.Errorf("%x is accepted by UnmarshalBinary", b)
		}
		texts = append(texts, []byte(hex.EncodeToString(b)))
	}
	for _, b := range texts {
		if err := p.UnmarshalText(b); err == nil {
			t.Errorf("the text %.80s is accepted", b)
		}
	}
	for _, b := range []string{`{}`, `1`, `"00"`, `[]`} {
		if err := json.Unmarshal([]byte(b), &p); err == nil {
			t.Errorf("%s is accepted as JSON", b)
		}
	}
	wantPoint(t, "after errors", &p, reference.Secp256k1().G)
	if _, err := p.SetBytes(make([]byte, 33)); err != nil || !p.IsIdentity() {
		t.Error("the identity is not read back")
	}
	p.SetGenerator()
	p.Zeroize()
	wantPoint(t, "zeroized", &p, reference.Point{})
}

func TestKeys(t *testing.T) {
	key := koblitz.GenerateKey()
	d := reference.Must(new(Scalar).SetPrivateKey(key))
	if !bytes.Equal(d.Bytes(), key.Bytes()) || !reference.Must(d.PrivateKey()).Equal(key) {
		t.Fatal("another private key")
	}
	p := new(Point).ScalarBaseMult(d)
	if q := reference.Must(new(Point).SetPublicKey(key.PublicKey())); !p.Equal(q) ||
		!reference.Must(p.PublicKey()).Equal(key.PublicKey()) {
		t.Error("another public key")
	}
	even := reference.Must(new(Point).SetXOnlyPublicKey(key.XOnlyPublicKey()))
	if even.Bytes()[0] != 2 || !even.Equal(p) && !even.Negate(even).Equal(p) {
		t.Error("another x-only key")
	}
	if _, err := new(Point).SetPublicKey(nil); err == nil {
		t.Error("no public key is accepted")
	}
	if _, err := new(Point).SetXOnlyPublicKey(new(koblitz.XOnlyPublicKey)); err == nil {
		t.Error("no x-only key is accepted")
	}
	if _, err := new(Point).PublicKey(); err == nil {
		t.Error("the identity is a public key")
	}
}

func TestBatchNormalize(t *testing.T) {
	BatchNormalize(nil)
	ps, want := points()
	list := make([]Point, len(ps))
	for i := range list {
		list[i].Set(ps[i])
	}
	BatchNormalize(list)
	for i := range list {
		if !list[i].group().IsAffine() {
			t.Errorf("point %d is not normalized", i)
		}
		wantPoint(t, "normalized", &list[i], want[i])
		var p Point
		wantPoint(t, "normalized and doubled",
			p.Add(&list[i], ps[i]), reference.Secp256k1().Double(want[i]))
		wantPoint(t, "normalized and multiplied",
			p.ScalarMult(new(Scalar).SetUint64(1), &list[i]), want[i])
	}
	all := make([]Point, 3) // identities only
	BatchNormalize(all)
	wantPoint(t, "identity", &all[1], reference.Point{})
}

func FuzzPoint(f *testing.F) {
	f.Add(make([]byte, 33))
	f.Add(new(Point).SetGenerator().Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := new(Point).SetBytes(b)
		if err != nil {
			return
		}
		if got := p.Bytes(); !bytes.Equal(got, b) {
			t.Errorf("%x comes back as %x", b, got)
		}
	})
}
