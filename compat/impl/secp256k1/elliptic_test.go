package secp256k1_test

import (
	"bytes"
	stdecdsa "crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"math/big"
	mathrand "math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var _ elliptic.Curve = secp256k1.S256()

func TestParams(t *testing.T) {
	checkParams(t)
	c, params := secp256k1.S256(), secp256k1.Params()
	if secp256k1.S256() != c || secp256k1.Params() != params || c.Params() != c.CurveParams {
		t.Error("addresses differ from call to call")
	}
}

// checkParams checks the parameters of the curve. Other tests of this file call it too, because
// they could change the parameters.
func checkParams(t *testing.T) {
	t.Helper()
	c, q := secp256k1.S256().Params(), secp256k1.Params()
	if c.P.Cmp(p) != 0 || c.N.Cmp(n) != 0 || c.B.Cmp(curve.B) != 0 || c.Gx.Cmp(curve.G.X) != 0 ||
		c.Gy.Cmp(curve.G.Y) != 0 || c.BitSize != 256 || c.Name != "secp256k1" {
		t.Errorf("the curve is %+v", c)
	}
	if q.P.Cmp(p) != 0 || q.N.Cmp(n) != 0 || q.Gx.Cmp(curve.G.X) != 0 || q.Gy.Cmp(curve.G.Y) != 0 ||
		q.BitSize != 256 || q.ByteSize != 32 || q.H != 1 {
		t.Errorf("the parameters are %+v", q)
	}
}

// pointOf returns the point with the coordinates x and y modulo p, where (0, 0) is infinity.
func pointOf(x, y *big.Int) reference.Point {
	a := reference.Point{X: new(big.Int).Mod(x, p), Y: new(big.Int).Mod(y, p)}
	if a.X.Sign() == 0 && a.Y.Sign() == 0 {
		return reference.Point{}
	}
	return a
}

// is reports whether x and y are the coordinates of the point a, reduced modulo p.
func is(a reference.Point, x, y *big.Int) bool {
	if a.IsInfinity() {
		return x.Sign() == 0 && y.Sign() == 0
	}
	return x.Cmp(a.X) == 0 && y.Cmp(a.Y) == 0
}

// coordinates returns the coordinates of the point a, sometimes not reduced modulo p.
func coordinates(r *mathrand.Rand, a reference.Point) (x, y *big.Int) {
	if a.IsInfinity() {
		a = reference.Point{X: new(big.Int), Y: new(big.Int)}
	}
	x, y = new(big.Int).Set(a.X), new(big.Int).Set(a.Y)
	switch r.IntN(4) {
	case 0:
		x.Sub(x, p)
		y.Sub(y, p)
	case 1:
		x.Add(x, new(big.Int).Lsh(p, 70))
	}
	return x, y
}

func TestCurve(t *testing.T) {
	defer checkParams(t)
	c := secp256k1.S256()
	r := mathrand.New(mathrand.NewPCG(17, 18))
	var points []reference.Point
	for k := int64(-3); k <= 3; k++ {
		points = append(points, curve.ScalarMult(big.NewInt(k), curve.G))
	}
	sizes := []int{0, 1, 31, 32, 33, 40, 64, 65, 100}
	for i, a := range points {
		for j := range 2 {
			x, y := coordinates(r, a)
			if c.IsOnCurve(x, y) == a.IsInfinity() {
				t.Errorf("(%x, %x) is on the curve: %v", x, y, c.IsOnCurve(x, y))
			}
			if c.IsOnCurve(x, new(big.Int).Add(y, big.NewInt(1))) {
				t.Errorf("(%x, %x + 1) is on the curve", x, y)
			}
			if gx, gy := c.Double(x, y); !is(curve.Double(a), gx, gy) {
				t.Errorf("2·(%x, %x) = (%x, %x)", x, y, gx, gy)
			}
			for _, b := range points {
				x2, y2 := coordinates(r, b)
				// If one point is (0, 0), Add must return the coordinates of the other point
				// unchanged.
				gx, gy := c.Add(x, y, x2, y2)
				if got := pointOf(gx, gy); !got.Equal(curve.Add(a, b)) {
					t.Errorf("(%x, %x) + (%x, %x) = (%x, %x)", x, y, x2, y2, gx, gy)
				}
			}
			for l := range 3 {
				k := make([]byte, sizes[(6*i+3*j+l)%len(sizes)])
				for m := range k {
					k[m] = byte(r.Uint32()) | 0x80*byte(r.IntN(2))
				}
				s := new(big.Int).SetBytes(k)
				s.Mod(s, n)
				if gx, gy := c.ScalarMult(x, y, k); !is(curve.ScalarMult(s, a), gx, gy) {
					t.Errorf("%x·(%x, %x) = (%x, %x)", k, x, y, gx, gy)
				}
				if gx, gy := c.ScalarBaseMult(k); !is(curve.ScalarMult(s, curve.G), gx, gy) {
					t.Errorf("%x·G = (%x, %x)", k, gx, gy)
				}
			}
		}
	}
	for _, k := range [][]byte{
		n.Bytes(), append([]byte{1}, make([]byte, 32)...), append(n.Bytes(), n.Bytes()...),
	} {
		s := new(big.Int).Mod(new(big.Int).SetBytes(k), n)
		if x, y := c.ScalarBaseMult(k); !is(curve.ScalarMult(s, curve.G), x, y) {
			t.Errorf("%x·G = (%x, %x)", k, x, y)
		}
	}
	// For points off the curve, Add must follow the addition formulas, and multiples must be those
	// of the function multOffCurve.
	x, y := big.NewInt(3), big.NewInt(5)
	three := secp256k1.MakeJacobianPoint(fieldVal(x), fieldVal(y), fieldVal(big.NewInt(1)))
	if gx, gy := c.ScalarMult(x, y, []byte{7}); !is(multOffCurve(big.NewInt(7), three), gx, gy) {
		t.Errorf("7·(3, 5) = (%x, %x)", gx, gy)
	}
	if gx, gy := c.Double(x, y); !is(curve.Double(reference.Point{X: x, Y: y}), gx, gy) {
		t.Errorf("2·(3, 5) = (%x, %x)", gx, gy)
	}
	zero := new(big.Int)
	if gx, gy := c.Double(zero, y); !is(curve.Double(reference.Point{X: zero, Y: y}), gx, gy) {
		t.Errorf("2·(0, 5) = (%x, %x)", gx, gy)
	}
	if gx, gy := c.Double(x, new(big.Int)); gx.Sign() != 0 || gy.Sign() != 0 {
		t.Errorf("2·(3, 0) = (%x, %x)", gx, gy)
	}
}

// TestToECDSA checks that crypto/ecdsa signs and verifies with the converted keys.
func TestToECDSA(t *testing.T) {
	defer checkParams(t)
	d := new(big.Int).Sub(n, big.NewInt(98765))
	key := secp256k1.NewPrivateKey(modNScalar(d))
	std := key.ToECDSA()
	a := curve.ScalarMult(d, curve.G)
	if std.D.Cmp(d) != 0 || std.X.Cmp(a.X) != 0 || std.Y.Cmp(a.Y) != 0 ||
		std.Curve != elliptic.Curve(secp256k1.S256()) || !key.PubKey().ToECDSA().Equal(&std.PublicKey) {
		t.Errorf("the key is %+v", std)
	}
	hash := sha256.Sum256([]byte("message"))
	r, s, err := stdecdsa.Sign(rand.Reader, std, hash[:])
	if err != nil {
		t.Fatal(err)
	}
	if !stdecdsa.Verify(&std.PublicKey, hash[:], r, s) || !reference.VerifyECDSA(a, hash[:], r, s) {
		t.Errorf("(%x, %x) does not verify", r, s)
	}
}

// TestConcurrentUse checks that several goroutines may use the lazily made parameters and the same
// keys: the race detector must report nothing.
func TestConcurrentUse(t *testing.T) {
	key := secp256k1.NewPrivateKey(modNScalar(big.NewInt(5)))
	pub, want := key.PubKey(), secp256k1.NewPrivateKey(modNScalar(big.NewInt(5))).PubKey()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if secp256k1.S256().Params().P.Cmp(secp256k1.Params().P) != 0 {
				t.Error("two primes")
			}
			x, y := secp256k1.S256().ScalarBaseMult([]byte{5})
			if !secp256k1.S256().IsOnCurve(x, y) || x.Cmp(pub.X()) != 0 || *key.PubKey() != *want {
				t.Errorf("5·G = (%x, %x)", x, y)
			}
			secp256k1.GenerateSharedSecret(key, pub)
			pub.SerializeCompressed()
		})
	}
	wg.Wait()
}

// TestDoubleInfinity checks that the zeros that Double returns for infinity are equal to
// new(big.Int) for reflect.DeepEqual.
func TestDoubleInfinity(t *testing.T) {
	x, y := secp256k1.S256().Double(big.NewInt(3), new(big.Int))
	if !reflect.DeepEqual([]*big.Int{x, y}, []*big.Int{new(big.Int), new(big.Int)}) {
		t.Errorf("(%v, %v) with words %v, %v", x, y, x.Bits(), y.Bits())
	}
}

// TestStrayKey checks that signatures made without a private key do not verify under a key that is
// not on the curve. If the key's multiples were infinity, the nonce point would be z/s·G for the
// hash z, and anyone could choose t and sign with s = z/t and r = x(t·G).
func TestStrayKey(t *testing.T) {
	key := &stdecdsa.PublicKey{Curve: secp256k1.S256(), X: big.NewInt(3), Y: big.NewInt(5)}
	hash := bytes.Repeat([]byte{7}, 32)
	for k := range int64(20) {
		d := big.NewInt(k + 2)
		s := new(big.Int).ModInverse(d, n)
		s.Mul(s, new(big.Int).SetBytes(hash)).Mod(s, n)
		if stdecdsa.Verify(key, hash, curve.ScalarMult(d, curve.G).X, s) {
			t.Errorf("a signature with the nonce %d verifies", d)
		}
	}
}
