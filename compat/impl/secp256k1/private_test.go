package secp256k1_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"io"
	"math/big"
	"math/rand/v2"
	"reflect"
	stdslices "slices"
	"testing"
	"testing/iotest"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
)

func TestPrivKeyFromBytes(t *testing.T) {
	slices(func(b []byte, x *big.Int) {
		key := secp256k1.PrivKeyFromBytes(b)
		want := secp256k1.NewPrivateKey(modNScalar(x))
		if *key != *want || !reflect.DeepEqual(key, want) || key.Key != *modNScalar(x) {
			t.Errorf("PrivKeyFromBytes(%x) = %x", b, key.Serialize())
		}
		reduced := new(big.Int).Mod(x, n)
		if !bytes.Equal(key.Serialize(), reduced.FillBytes(make([]byte, 32))) {
			t.Errorf("PrivKeyFromBytes(%x) is encoded as %x", b, key.Serialize())
		}
		a := curve.ScalarMult(reduced, curve.G)
		if reduced.Sign() == 0 {
			a = reference.Point{X: new(big.Int), Y: new(big.Int)}
		}
		if pub := key.PubKey(); *pub != *secp256k1.NewPublicKey(fieldVal(a.X), fieldVal(a.Y)) {
			t.Errorf("the public key of %x is %x", b, pub.SerializeUncompressed())
		}
		if key.Zero(); *key != (secp256k1.PrivateKey{}) {
			t.Errorf("Zero leaves %v", key.Key)
		}
	})
}

// TestNewPrivateKey checks that NewPrivateKey copies the scalar.
func TestNewPrivateKey(t *testing.T) {
	s := modNScalar(big.NewInt(5))
	key := secp256k1.NewPrivateKey(s)
	if *s != *modNScalar(big.NewInt(5)) {
		t.Errorf("NewPrivateKey changes the scalar to %v", s)
	}
	s.SetInt(6)
	if key.Key != *modNScalar(big.NewInt(5)) {
		t.Errorf("the key is %v", key.Key)
	}
}

func TestGeneratePrivateKeyFromRand(t *testing.T) {
	five := encode(0, big.NewInt(5))[1:]
	refused := stdslices.Concat(
		make([]byte, 32), n.Bytes(), p.Bytes(), bytes.Repeat([]byte{0xff}, 32))
	for _, b := range [][]byte{
		five, append(bytes.Clone(refused), five...), append(bytes.Clone(five), 1, 2, 3),
	} {
		for _, r := range []io.Reader{bytes.NewReader(b), iotest.OneByteReader(bytes.NewReader(b))} {
			key, err := secp256k1.GeneratePrivateKeyFromRand(r)
			if err != nil || key.Key != *modNScalar(big.NewInt(5)) {
				t.Errorf("of %x: %v, %v", b, key, err)
			}
		}
	}
	last := new(big.Int).Sub(n, big.NewInt(1))
	key, err := secp256k1.GeneratePrivateKeyFromRand(bytes.NewReader(last.Bytes()))
	if err != nil || key.Key != *modNScalar(last) {
		t.Errorf("of n − 1: %v, %v", key, err)
	}

	for _, test := range []struct {
		r    io.Reader
		want error
	}{
		{bytes.NewReader(nil), io.EOF},
		{bytes.NewReader(refused), io.EOF},
		{bytes.NewReader(five[:31]), io.ErrUnexpectedEOF},
		{iotest.ErrReader(io.ErrNoProgress), io.ErrNoProgress},
	} {
		key, err := secp256k1.GeneratePrivateKeyFromRand(test.r)
		if key != nil || !errors.Is(err, test.want) {
			t.Errorf("%v, %v, want %v", key, err, test.want)
		}
	}

	key, err = secp256k1.GeneratePrivateKey()
	other, err2 := secp256k1.GeneratePrivateKey()
	if err != nil || err2 != nil || *key == *other || key.Key.IsZero() || !key.PubKey().IsOnCurve() {
		t.Errorf("%v, %v, %v, %v", key, err, other, err2)
	}
}

func TestGenerateSharedSecret(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 12 {
		d, e := new(big.Int).Mod(reference.RandInt(r), n), new(big.Int).Mod(reference.RandInt(r), n)
		ours, theirs := secp256k1.NewPrivateKey(modNScalar(d)), secp256k1.NewPrivateKey(modNScalar(e))
		want := make([]byte, 32)
		if a := curve.ScalarMult(d, curve.ScalarMult(e, curve.G)); !a.IsInfinity() {
			a.X.FillBytes(want)
		}
		if got := secp256k1.GenerateSharedSecret(ours, theirs.PubKey()); !bytes.Equal(got, want) {
			t.Errorf("%x and %x share %x, want %x", d, e, got, want)
		}
	}
	key := secp256k1.NewPrivateKey(modNScalar(big.NewInt(5)))
	off := secp256k1.NewPublicKey(fieldVal(curve.G.X), fieldVal(curve.G.X))
	var q secp256k1.JacobianPoint
	off.AsJacobian(&q)
	for _, test := range []struct {
		pub  *secp256k1.PublicKey
		want *big.Int
	}{{new(secp256k1.PublicKey), new(big.Int)}, {off, multOffCurve(big.NewInt(5), q).X}} {
		got := secp256k1.GenerateSharedSecret(key, test.pub)
		if !bytes.Equal(got, test.want.FillBytes(make([]byte, 32))) {
			t.Errorf("what is no point shares %x", got)
		}
	}
}

// nonces returns a function whose calls return the successive nonces of RFC 6979, section 3.2. seed
// holds the data that is hashed after the value V in the first steps.
func nonces(seed []byte) func() *big.Int {
	k, v := make([]byte, 32), bytes.Repeat([]byte{1}, 32)
	mac := func(parts ...[]byte) []byte {
		h := hmac.New(sha256.New, k)
		h.Write(stdslices.Concat(parts...))
		return h.Sum(nil)
	}
	for i := range byte(2) {
		k = mac(v, []byte{i}, seed)
		v = mac(v)
	}
	return func() *big.Int {
		for {
			v = mac(v)
			x := new(big.Int).SetBytes(v)
			k = mac(v, []byte{0})
			v = mac(v)
			if x.Sign() > 0 && x.Cmp(n) < 0 {
				return x
			}
		}
	}
}

func TestNonceRFC6979(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	random := func(size int) []byte {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	check := func(key, hash, extra, version []byte) {
		t.Helper()
		keyBytes, hashBytes := make([]byte, 32), make([]byte, 32)
		new(big.Int).SetBytes(key[:min(len(key), 32)]).FillBytes(keyBytes)
		reference.HashInt(hash).FillBytes(hashBytes) // not reduced modulo n
		seed := stdslices.Concat(keyBytes, hashBytes)
		if len(extra) == 32 {
			seed = append(seed, extra...)
		}
		if len(version) == 16 {
			seed = append(append(seed, make([]byte, 96-len(seed))...), version...)
		}
		next := nonces(seed)
		for i := range uint32(3) {
			want := next()
			if got := secp256k1.NonceRFC6979(key, hash, extra, version, i); integer(got).Cmp(want) != 0 {
				t.Errorf("nonce %d of %x, %x, %x, %x: %v, want %x", i, key, hash, extra, version, got, want)
			}
		}
	}
	for size := range 41 {
		check(random(size), random(32), nil, nil)
		check(random(32), random(size), nil, nil)
		check(random(32), random(32), random(size), nil)
		check(random(32), random(32), nil, random(size))
		check(random(32), random(32), random(size), random(16))
		check(random(32), random(32), random(32), random(size))
	}
	for _, x := range reference.EdgeInts() {
		b := x.FillBytes(make([]byte, 32))
		check(b, random(32), nil, nil)
		check(random(32), b, nil, nil)
	}
	check(nil, nil, nil, nil)

	// For a hash below n the nonce is that of RFC 6979, which package reference computes.
	d, hash := big.NewInt(12345), sha256.Sum256([]byte("message"))
	want := reference.NoncesRFC6979(d, hash[:], nil)()
	got := secp256k1.NonceRFC6979(encode(0, d)[1:], hash[:], nil, nil, 0)
	if integer(got).Cmp(want) != 0 {
		t.Errorf("%v, want %x", got, want)
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
		if residue(&x).Cmp(R.X) != 0 || integer(&s).Cmp(want) != 0 || *key != *modNScalar(d) ||
			asked != i%3+1 {
			t.Errorf("(%v, %v) after %d nonces, want (%x, %x)", x, s, asked, R.X, want)
		}
	}
}
