package ecdsa_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/ecdsa"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var (
	curve = reference.Secp256k1()
	n     = reference.N()
)

func modNScalar(x *big.Int) *secp256k1.ModNScalar {
	s := new(secp256k1.ModNScalar)
	s.SetBytes((*[32]byte)(x.FillBytes(make([]byte, 32))))
	return s
}

// integer returns a scalar as a big.Int.
func integer(s secp256k1.ModNScalar) *big.Int {
	b := s.Bytes()
	return new(big.Int).SetBytes(b[:])
}

// signature returns the signature (r mod n, s mod n).
func signature(r, s *big.Int) *ecdsa.Signature {
	return ecdsa.NewSignature(modNScalar(r), modNScalar(s))
}

func privateKey(d *big.Int) *secp256k1.PrivateKey { return secp256k1.NewPrivateKey(modNScalar(d)) }

func publicKey(a reference.Point) *secp256k1.PublicKey {
	var x, y secp256k1.FieldVal
	if !a.IsInfinity() {
		x.SetByteSlice(a.X.Bytes())
		y.SetByteSlice(a.Y.Bytes())
	}
	return secp256k1.NewPublicKey(&x, &y)
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

// digests calls f with hashes of every length from 0 to 40, including edge cases.
func digests(r *rand.Rand, f func(hash []byte)) {
	for size := range 41 {
		hash := make([]byte, size)
		if size%32 == 0 {
			f(hash)
		}
		for i := range hash {
			hash[i] = byte(r.Uint32())
		}
		f(hash)
	}
	for i, x := range reference.EdgeInts() {
		if i%10 == 0 {
			f(x.FillBytes(make([]byte, 32)))
		}
	}
	f(n.Bytes())
	f(reference.P().Bytes())
	f(new(big.Int).Add(n, big.NewInt(1)).Bytes())
}

// kind returns the kind of an error of this package, or nil if err is nil. It fails the test for
// other errors.
func kind(t *testing.T, err error) error {
	t.Helper()
	if err == nil {
		return nil
	}
	var e ecdsa.Error
	var k ecdsa.ErrorKind
	if !errors.As(err, &e) || !errors.As(err, &k) || !errors.Is(err, k) {
		t.Fatalf("%v is no error of this package with a kind", err)
	}
	if e.Description == "" || err.Error() != e.Description || e.Unwrap() != error(k) ||
		k.Error() != string(k) {
		t.Fatalf("%#v: the text or the kind is wrong", err)
	}
	return k
}
