package ecdsa_test

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/ecdsa"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// forged returns a signature and a hash that verify under q, made without the private key: with the
// nonce point R = a·G + b·q, r is the x coordinate of R, s is r/b, and the hash is a·s. Callers
// choose a and b so that adding the two products meets exceptional cases.
func forged(q reference.Point, a, b *big.Int) (r, s *big.Int, hash []byte, ok bool) {
	R := curve.Add(curve.ScalarMult(a, curve.G), curve.ScalarMult(b, q))
	if R.IsInfinity() || b.Sign() == 0 {
		return nil, nil, nil, false
	}
	r = new(big.Int).Mod(R.X, n)
	s = new(big.Int).ModInverse(b, n)
	s.Mul(s, r).Mod(s, n)
	z := new(big.Int).Mul(a, s)
	return r, s, z.Mod(z, n).FillBytes(make([]byte, 32)), r.Sign() != 0
}

func TestVerify(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	good := 0
	for range 20 {
		d := inOrder(r)
		if r.IntN(3) == 0 {
			d = big.NewInt(r.Int64N(4) + 1)
		}
		q := curve.ScalarMult(d, curve.G)
		x, s, hash, ok := forged(q, inOrder(r), inOrder(r))
		if !ok {
			continue
		}
		good++
		key := publicKey(q)
		check := func(
			name string, sig *ecdsa.Signature, hash []byte, key *secp256k1.PublicKey, want bool,
		) {
			t.Helper()
			beforeSig, beforeHash, beforeKey := *sig, bytes.Clone(hash), *key
			if got := sig.Verify(hash, key); got != want {
				t.Errorf("%s: (%x, %x) of %x: %v", name, x, s, hash, got)
			}
			if *sig != beforeSig || !bytes.Equal(hash, beforeHash) || *key != beforeKey {
				t.Errorf("%s: an argument was changed", name)
			}
		}
		check("as it is", signature(x, s), hash, key, true)
		check("the other s", signature(x, new(big.Int).Sub(n, s)), hash, key, true)
		check("a longer hash", signature(x, s), append(bytes.Clone(hash), 1, 2), key, true)
		if hash[0] == 0 {
			check("a shorter hash", signature(x, s), hash[1:], key, true)
		}
		one := big.NewInt(1)
		check("r + 1", signature(new(big.Int).Add(x, one), s), hash, key, false)
		check("−r", signature(new(big.Int).Sub(n, x), s), hash, key, false)
		check("s + 1", signature(x, new(big.Int).Add(s, one)), hash, key, false)
		check("r = 0", signature(new(big.Int), s), hash, key, false)
		check("s = 0", signature(x, new(big.Int)), hash, key, false)
		check("the zero value", new(ecdsa.Signature), hash, key, false)
		other := bytes.Clone(hash)
		other[31] ^= 1
		check("another hash", signature(x, s), other, key, false)
		check("the opposite key", signature(x, s), hash, publicKey(curve.Neg(q)),
			reference.VerifyECDSA(curve.Neg(q), hash, x, s))
		check("another key", signature(x, s), hash, publicKey(curve.Add(q, curve.G)),
			reference.VerifyECDSA(curve.Add(q, curve.G), hash, x, s))
		check("no key", signature(x, s), hash, new(secp256k1.PublicKey), false)
		var X, Y secp256k1.FieldVal
		X.SetByteSlice(q.X.Bytes())
		Y.SetByteSlice(q.Y.Bytes())
		check("no point", signature(x, s), hash, secp256k1.NewPublicKey(&X, Y.AddInt(1)), false)
	}
	if good < 12 {
		t.Errorf("only %d signatures", good)
	}
}

// TestVerifyOffCurve checks that a signature does not verify under a key Q that is not on the
// curve. For the hash 0 and r = s, the sum that verification computes is Q itself, so that r = s =
// x(Q) is a signature under any point Q.
func TestVerifyOffCurve(t *testing.T) {
	hash := make([]byte, 32)
	for k := range int64(20) {
		q := curve.ScalarMult(big.NewInt(k+2), curve.G)
		sig := signature(q.X, q.X)
		if !sig.Verify(hash, publicKey(q)) {
			t.Errorf("the sum %x does not verify", q)
		}
		q.Y.Add(q.Y, big.NewInt(1))
		if sig.Verify(hash, publicKey(q)) {
			t.Errorf("a signature verifies under %x, which is no point", q)
		}
	}
}

// TestVerifyOfNothing checks that a signature with z = −r·d, for which z/s·G + r/s·Q is infinity,
// does not verify. z is the hash, and d the private key of Q.
func TestVerifyOfNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		d, x, s := inOrder(r), inOrder(r), inOrder(r)
		z := new(big.Int).Mul(x, d)
		z.Neg(z).Mod(z, n)
		key := privateKey(d).PubKey()
		if signature(x, s).Verify(z.FillBytes(make([]byte, 32)), key) {
			t.Errorf("(%x, %x) verifies, and R is infinity", x, s)
		}
	}
}

func signature32(r, s *big.Int) []byte {
	return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
}

// TestReducedX checks that signatures verify and recover keys if the x coordinate of the nonce
// point is r + n, which is rare.
func TestReducedX(t *testing.T) {
	p := reference.P()
	found := 0
	for x := new(big.Int).Set(n); found < 8 && x.Cmp(p) < 0; x.Add(x, big.NewInt(1)) {
		R, ok := curve.LiftX(x, found%2 == 1)
		if !ok {
			continue
		}
		found++
		r := new(big.Int).Sub(x, n)
		if r.Sign() == 0 {
			continue
		}
		// Any s and hash make a valid signature under the key that is recovered from them.
		s, hash := big.NewInt(int64(1000+found)), bytes.Repeat([]byte{byte(found)}, 32)
		id := 2 | byte(R.Y.Bit(0))
		q, ok := reference.RecoverECDSA(hash, r, s, int(id))
		if !ok {
			t.Fatalf("no key for r = %x", r)
		}
		key, _, err := ecdsa.RecoverCompact(append([]byte{27 + id}, signature32(r, s)...), hash)
		if err != nil || *key != *publicKey(q) {
			t.Errorf("r = %x: %v, %v", r, key, err)
		}
		if !signature(r, s).Verify(hash, publicKey(q)) {
			t.Errorf("r = %x does not verify", r)
		}
	}
	if found < 8 {
		t.Errorf("only %d", found)
	}
}

// recoverReference computes the expected result of RecoverCompact.
func recoverReference(b, hash []byte) (q reference.Point, compressed bool, err error) {
	if len(b) != 65 {
		return q, false, ecdsa.ErrSigInvalidLen
	}
	if b[0] < 27 || b[0] > 34 {
		return q, false, ecdsa.ErrSigInvalidRecoveryCode
	}
	r, s := new(big.Int).SetBytes(b[1:33]), new(big.Int).SetBytes(b[33:])
	id := int(b[0]-27) & 3
	switch {
	case r.Cmp(n) >= 0:
		return q, false, ecdsa.ErrSigRTooBig
	case r.Sign() == 0:
		return q, false, ecdsa.ErrSigRIsZero
	case s.Cmp(n) >= 0:
		return q, false, ecdsa.ErrSigSTooBig
	case s.Sign() == 0:
		return q, false, ecdsa.ErrSigSIsZero
	case id >= 2 && new(big.Int).Add(r, n).Cmp(reference.P()) >= 0:
		return q, false, ecdsa.ErrSigOverflowsPrime
	}
	q, ok := reference.RecoverECDSA(hash, r, s, id)
	if !ok {
		return q, false, ecdsa.ErrPointNotOnCurve
	}
	return q, b[0] >= 31, nil
}

func checkRecover(t *testing.T, b, hash []byte) error {
	t.Helper()
	before, beforeHash := bytes.Clone(b), bytes.Clone(hash)
	key, compressed, err := ecdsa.RecoverCompact(b, hash)
	q, wantCompressed, want := recoverReference(b, hash)
	if got := kind(t, err); got != want || compressed != wantCompressed {
		t.Fatalf("RecoverCompact(%x, %x): %v, %v, want %v", b, hash, compressed, err, want)
	}
	if (key == nil) != (want != nil) || key != nil && *key != *publicKey(q) {
		t.Fatalf("RecoverCompact(%x, %x) = %v, want %x", b, hash, key, q)
	}
	if !bytes.Equal(b, before) || !bytes.Equal(hash, beforeHash) {
		t.Fatalf("RecoverCompact changes %x or %x", before, beforeHash)
	}
	return want
}

func TestRecoverCompact(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	count := map[error]int{}
	try := func(b, hash []byte) { count[checkRecover(t, b, hash)]++ }
	hash := []byte("a hash of as many bytes as it has")
	for size := range 70 {
		try(bytes.Repeat([]byte{28}, size), hash)
	}
	valid := ecdsa.SignCompact(privateKey(big.NewInt(5)), hash, true)
	edges := []*big.Int{
		new(big.Int), big.NewInt(1), new(big.Int).Sub(n, big.NewInt(1)), n,
		new(big.Int).Add(n, big.NewInt(1)), new(big.Int).Sub(reference.P(), n),
		new(big.Int).Sub(new(big.Int).Sub(reference.P(), n), big.NewInt(1)),
		new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)),
	}
	for first := range 256 {
		b := bytes.Clone(valid)
		b[0] = byte(first)
		try(b, hash)
	}
	for first := 27; first < 35; first++ {
		for _, x := range edges {
			for _, s := range edges {
				try(append([]byte{byte(first)}, signature32(x, s)...), hash)
			}
		}
	}
	digests(r, func(hash []byte) {
		try(append([]byte{byte(27 + r.IntN(8))}, signature32(inOrder(r), inOrder(r))...), hash)
	})
	// The recovered key is (s·R − z·G)/r, which is infinity for R = G and z = s.
	s := big.NewInt(77)
	nothing := append([]byte{byte(27 + curve.G.Y.Bit(0))}, signature32(curve.G.X, s)...)
	err := checkRecover(t, nothing, s.FillBytes(make([]byte, 32)))
	if err != ecdsa.ErrPointNotOnCurve {
		t.Errorf("infinity was recovered: %v", err)
	}
	for _, want := range []error{
		nil, ecdsa.ErrSigInvalidLen, ecdsa.ErrSigInvalidRecoveryCode, ecdsa.ErrSigRTooBig,
		ecdsa.ErrSigRIsZero, ecdsa.ErrSigSTooBig, ecdsa.ErrSigSIsZero, ecdsa.ErrSigOverflowsPrime,
		ecdsa.ErrPointNotOnCurve,
	} {
		if count[want] < 5 {
			t.Errorf("%v came up %d times", want, count[want])
		}
	}
}

func FuzzRecoverCompact(f *testing.F) {
	hash := []byte("a hash of as many bytes as it has")
	f.Add(ecdsa.SignCompact(privateKey(big.NewInt(5)), hash, true), hash)
	f.Add(append([]byte{29}, signature32(big.NewInt(1), big.NewInt(1))...), hash)
	f.Add([]byte{27}, []byte(nil))
	f.Fuzz(func(t *testing.T, b, hash []byte) { checkRecover(t, b, hash) })
}
