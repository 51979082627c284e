package secp256k1_test

import (
	"bytes"
	stdecdsa "crypto/ecdsa"
	"crypto/sha256"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// The program lab/oracle compares every call with that of the replaced module. The tests of this
// package are about what it cannot compare: intended differences, unlikely nonces, memory,
// goroutines, and the coordinates of points.

var (
	n     = reference.N()
	curve = reference.Secp256k1()
)

// fieldVal returns x < 2²⁵⁶ as a FieldVal, which is not canonical if x is p or more.
func fieldVal(x *big.Int) *secp256k1.FieldVal {
	f := new(secp256k1.FieldVal)
	f.SetBytes((*[32]byte)(x.FillBytes(make([]byte, 32))))
	return f
}

// modNScalar returns x modulo n as a ModNScalar. x must be less than 2²⁵⁶.
func modNScalar(x *big.Int) *secp256k1.ModNScalar {
	s := new(secp256k1.ModNScalar)
	s.SetBytes((*[32]byte)(x.FillBytes(make([]byte, 32))))
	return s
}

// integer returns a scalar as a big.Int.
func integer(s *secp256k1.ModNScalar) *big.Int {
	b := s.Bytes()
	return new(big.Int).SetBytes(b[:])
}

// jacobian returns the finite point a in canonical Jacobian coordinates with Z = z.
func jacobian(a reference.Point, z *big.Int) secp256k1.JacobianPoint {
	f := fieldVal(z)
	square := new(secp256k1.FieldVal).SquareVal(f)
	x := fieldVal(a.X).Mul(square).Normalize()
	y := fieldVal(a.Y).Mul(square.Mul(f)).Normalize()
	return secp256k1.MakeJacobianPoint(x, y, f)
}

// TestNotOnCurve checks that multiples of points of other curves y² = x³ + b are pseudorandom: they
// reveal nothing about the scalar, and cannot be computed without it. The multiple by 0 is
// infinity.
func TestNotOnCurve(t *testing.T) {
	for k := int64(0); k < 4; k++ {
		for _, z := range []int64{1, 5} {
			for i, change := range []func(q *secp256k1.JacobianPoint){
				func(q *secp256k1.JacobianPoint) { q.X.AddInt(1) },
				func(q *secp256k1.JacobianPoint) { q.Y.AddInt(1) },
				func(q *secp256k1.JacobianPoint) { q.Y.Zero() },
				func(q *secp256k1.JacobianPoint) { q.X.Zero() },
				func(q *secp256k1.JacobianPoint) { q.Z.MulBy2() },
			} {
				q := jacobian(curve.ScalarMult(big.NewInt(k+2), curve.G), big.NewInt(z))
				change(&q)
				off := q
				off.ToAffine()
				extra := slices.Concat(off.Y.Bytes()[:], []byte("a multiple of no point"), make([]byte, 10))
				nonce := reference.NoncesRFC6979(big.NewInt(k), off.X.Bytes()[:], extra)()
				want := secp256k1.JacobianPoint{Z: *new(secp256k1.FieldVal).SetInt(1)}
				if k > 0 {
					want = jacobian(curve.ScalarMult(nonce, curve.G), big.NewInt(1))
				}
				secp256k1.ScalarMultNonConst(modNScalar(big.NewInt(k)), &q, &q)
				if q.ToAffine(); q != want {
					t.Errorf("%d·Q over %d, change %d: %v, want %v", k, z, i, q, want)
				}
			}
		}
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

// TestSignSchnorr checks that for a signature (r, s), its challenge e and the public key Q, the
// point s·G + e·Q has the x coordinate r and an even y. SignSchnorr must have used the first nonce
// that the function challenge accepts.
func TestSignSchnorr(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for i := range 16 {
		d := new(big.Int).Add(new(big.Int).Mod(reference.RandInt(r), big.NewInt(1<<62)), big.NewInt(1))
		key := modNScalar(d)
		hash, extra := [32]byte{byte(i)}, [32]byte{1, byte(i)}
		var x secp256k1.FieldVal
		var s, e secp256k1.ModNScalar
		asked := 0
		challenge := func(v *secp256k1.ModNScalar, x *secp256k1.FieldVal) bool {
			b := sha256.Sum256(x.Bytes()[:])
			v.SetBytes(&b)
			e = *v
			asked++
			return asked > i%3
		}
		secp256k1.SignSchnorr(key, &hash, &extra, challenge, &x, &s)
		b := key.Bytes()
		k := integer(secp256k1.NonceRFC6979(b[:], hash[:], extra[:], nil, uint32(i%3)))
		R := curve.ScalarMult(k, curve.G)
		if R.Y.Bit(0) == 1 {
			k.Sub(n, k)
		}
		want := new(big.Int).Mul(integer(&e), d)
		want.Sub(k, want).Mod(want, n)
		if x != *fieldVal(R.X) || integer(&s).Cmp(want) != 0 || *key != *modNScalar(d) ||
			asked != i%3+1 {
			t.Errorf("(%v, %v) after %d nonces, want (%x, %x)", x, s, asked, R.X, want)
		}
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
