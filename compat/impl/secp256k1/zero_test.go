package secp256k1_test

import (
	"crypto/rand"
	"math/big"
	"reflect"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// TestZeroValues checks that every method of every type can be called with zero values. Only
// methods that write to a slice panic, because the slice is nil here.
func TestZeroValues(t *testing.T) {
	calls := 0
	for _, v := range []any{
		new(secp256k1.FieldVal), new(secp256k1.ModNScalar), new(secp256k1.JacobianPoint),
		new(secp256k1.PublicKey), new(secp256k1.PrivateKey), secp256k1.S256(),
		new(secp256k1.ErrorKind),
	} {
		typ := reflect.TypeOf(v)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			if m.Name == "PutBytesUnchecked" {
				continue
			}
			in := []reflect.Value{reflect.ValueOf(v)}
			if typ.Elem() != reflect.TypeFor[secp256k1.KoblitzCurve]() {
				in[0] = reflect.New(typ.Elem())
			}
			for j := 1; j < m.Type.NumIn(); j++ {
				arg := m.Type.In(j)
				if arg.Kind() == reflect.Pointer {
					in = append(in, reflect.New(arg.Elem()))
				} else {
					in = append(in, reflect.Zero(arg))
				}
			}
			func() {
				defer func() {
					if r := recover(); r != nil {
						t.Errorf("%v.%s panics: %v", typ, m.Name, r)
					}
				}()
				m.Func.Call(in)
			}()
			calls++
		}
	}
	if calls < 75 {
		t.Errorf("only %d calls", calls)
	}

	var zero secp256k1.PrivateKey
	if *zero.PubKey() != (secp256k1.PublicKey{}) || new(secp256k1.PublicKey).IsOnCurve() {
		t.Error("the key 0 has a public key")
	}
}

// TestAllocations checks that functions allocate only their results.
func TestAllocations(t *testing.T) {
	key := secp256k1.NewPrivateKey(modNScalar(big.NewInt(5)))
	pub := key.PubKey()
	compressed, uncompressed := pub.SerializeCompressed(), pub.SerializeUncompressed()
	hash := make([]byte, 32)
	s, q := modNScalar(big.NewInt(12345678)), jacobian(curve.G, big.NewInt(5))
	var r secp256k1.JacobianPoint
	for _, test := range []struct {
		name string
		max  float64
		f    func()
	}{
		{"arithmetic", 0, func() { s.Mul(s).Add(s).InverseNonConst().SetByteSlice(hash) }},
		{"fields", 0, func() { q.X.Mul(&q.Y).Inverse().SetByteSlice(hash) }},
		{"ScalarBaseMultNonConst", 0, func() { secp256k1.ScalarBaseMultNonConst(s, &r) }},
		{"ScalarMultNonConst", 0, func() { secp256k1.ScalarMultNonConst(s, &r, &r) }},
		{"AddNonConst", 0, func() { secp256k1.AddNonConst(&q, &r, &r) }},
		{"DoubleNonConst", 0, func() { secp256k1.DoubleNonConst(&r, &r) }},
		{"ToAffine", 0, func() { r.ToAffine() }},
		{"ParsePubKey of 33 bytes", 1, func() { secp256k1.ParsePubKey(compressed) }},
		{"ParsePubKey of 65 bytes", 1, func() { secp256k1.ParsePubKey(uncompressed) }},
		{"SerializeCompressed", 1, func() { pub.SerializeCompressed() }},
		{"PubKey", 1, func() { key.PubKey() }},
		{"GenerateSharedSecret", 1, func() { secp256k1.GenerateSharedSecret(key, pub) }},
		{"NonceRFC6979", 1, func() { secp256k1.NonceRFC6979(hash, hash, nil, nil, 0) }},
		{"PrivKeyFromBytes", 1, func() { secp256k1.PrivKeyFromBytes(hash) }},
		{"GeneratePrivateKeyFromRand", 2, func() { secp256k1.GeneratePrivateKeyFromRand(rand.Reader) }},
	} {
		if n := testing.AllocsPerRun(10, test.f); n > test.max {
			t.Errorf("%s allocates %v times, want at most %v", test.name, n, test.max)
		}
	}
}
