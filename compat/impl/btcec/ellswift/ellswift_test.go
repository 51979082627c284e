package ellswift_test

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/btcec/ellswift"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var (
	curve = reference.Secp256k1()
	p     = reference.P()
	n     = reference.N()
)

func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

func fieldVal(x *big.Int) *secp256k1.FieldVal {
	f := new(secp256k1.FieldVal)
	f.SetByteSlice(bytes32(new(big.Int).Mod(x, p)))
	return f
}

func integer(f *secp256k1.FieldVal) *big.Int { return new(big.Int).SetBytes(f.Bytes()[:]) }

// The functions below are arithmetic modulo p, for the algorithms of BIP-324 that follow.
func mul(x ...*big.Int) *big.Int {
	y := big.NewInt(1)
	for _, x := range x {
		y.Mul(y, x).Mod(y, p)
	}
	return y
}

func add(x ...*big.Int) *big.Int {
	y := new(big.Int)
	for _, x := range x {
		y.Add(y, x)
	}
	return y.Mod(y, p)
}

func neg(x *big.Int) *big.Int { return new(big.Int).Mod(new(big.Int).Neg(x), p) }

func inverse(x *big.Int) *big.Int {
	if y := new(big.Int).ModInverse(x, p); y != nil {
		return y
	}
	return new(big.Int)
}

func small(x int64) *big.Int { return big.NewInt(x) }

// g returns x³ + 7.
func g(x *big.Int) *big.Int { return add(mul(x, x, x), small(7)) }

func isSquare(x *big.Int) bool { return big.Jacobi(x, p) >= 0 }

// c is the square root of −3 in BIP-324.
var c, _ = new(big.Int).SetString(
	"0a2d2ba93507f1df233770c2a797962cc61f6d15da14ecd47d8d27ae1cd5f852", 16)

// decode computes XSwiftEC of BIP-324.
func decode(u, t *big.Int) *big.Int {
	if u.Sign() == 0 {
		u = small(1)
	}
	if t.Sign() == 0 {
		t = small(1)
	}
	if g(u).Cmp(neg(mul(t, t))) == 0 {
		t = add(t, t)
	}
	X := mul(add(g(u), neg(mul(t, t))), inverse(add(t, t)))
	Y := mul(add(X, t), inverse(mul(u, c)))
	half := inverse(small(2))
	for _, x := range []*big.Int{
		add(u, mul(small(4), Y, Y)),
		mul(add(neg(mul(X, inverse(Y))), neg(u)), half),
		mul(add(mul(X, inverse(Y)), neg(u)), half),
	} {
		if isSquare(g(x)) {
			return x
		}
	}
	panic("no candidate is on the curve")
}

// root returns that square root of x which is itself a square.
func root(x *big.Int) *big.Int {
	exponent := new(big.Int).Add(p, small(1))
	return new(big.Int).Exp(x, exponent.Rsh(exponent, 2), p)
}

// encode computes XSwiftECInv of BIP-324.
func encode(u, x *big.Int, choice int) *big.Int {
	var s, v *big.Int
	if choice&2 == 0 {
		if isSquare(g(neg(add(x, u)))) {
			return nil
		}
		v = x
		s = neg(mul(g(u), inverse(add(mul(u, u), mul(u, v), mul(v, v)))))
	} else {
		s = add(x, neg(u))
		if s.Sign() == 0 {
			return nil
		}
		square := neg(mul(s, add(mul(small(4), g(u)), mul(small(3), s, u, u))))
		if !isSquare(square) {
			return nil
		}
		r := root(square)
		if choice&1 == 1 && r.Sign() == 0 {
			return nil
		}
		v = mul(add(mul(r, inverse(s)), neg(u)), inverse(small(2)))
	}
	if !isSquare(s) {
		return nil
	}
	w, factor := root(s), add(small(1), neg(c))
	if choice&1 == 1 {
		factor = add(small(1), c)
	}
	t := mul(w, add(mul(u, factor, inverse(small(2))), v))
	if choice&5 == 0 || choice&5 == 5 {
		t = neg(t)
	}
	return t
}

// elements calls f with pairs of field elements, including edge cases.
func elements(r *rand.Rand, f func(u, t *big.Int)) {
	edges := []*big.Int{new(big.Int), small(1), small(2), new(big.Int).Sub(p, small(1))}
	for _, u := range edges {
		for _, t := range edges {
			f(u, t)
		}
	}
	for range 150 {
		u, t := add(reference.RandInt(r)), add(reference.RandInt(r))
		f(u, t)
		// Choose t so that u³ + 7 = −t², a special case of the decoding.
		if square := neg(g(u)); isSquare(square) {
			f(u, root(square))
		}
	}
}

func TestXSwiftEC(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	doubled := 0
	elements(r, func(u, v *big.Int) {
		a, b := fieldVal(u), fieldVal(v)
		x, err := ellswift.XSwiftEC(a, b)
		if err != nil || integer(x).Cmp(decode(u, v)) != 0 {
			t.Errorf("(%x, %x): %v, %v, want %x", u, v, x, err, decode(u, v))
		}
		wantU, wantV := u, v
		if u.Sign() == 0 {
			wantU = small(1)
		}
		if v.Sign() == 0 {
			wantV = small(1)
		}
		if add(g(wantU), mul(wantV, wantV)).Sign() == 0 {
			wantV = add(wantV, wantV)
			doubled++
		}
		if a.Normalize(); integer(a).Cmp(wantU) != 0 {
			t.Errorf("(%x, %x): u becomes %v", u, v, a)
		}
		if b.Normalize(); integer(b).Cmp(wantV) != 0 {
			t.Errorf("(%x, %x): t becomes %v", u, v, b)
		}
	})
	if doubled < 20 {
		t.Errorf("t was doubled %d times", doubled)
	}
}

func TestXSwiftECInv(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var found, refused [8]int
	test := func(u, x *big.Int) {
		for choice := range 8 {
			a, b := fieldVal(u), fieldVal(x)
			got, want := ellswift.XSwiftECInv(a, b, choice), encode(u, x, choice)
			switch {
			case got == nil && want == nil:
				refused[choice]++
			case got == nil || want == nil || integer(got).Cmp(want) != 0:
				t.Errorf("(%x, %x), %d: %v, want %x", u, x, choice, got, want)
			case u.Sign() != 0 && want.Sign() != 0 && decode(u, want).Cmp(x) != 0:
				t.Errorf("(%x, %x), %d does not come back", u, x, choice)
			default:
				found[choice]++
			}
			if integer(a).Cmp(u) != 0 || integer(b).Cmp(x) != 0 {
				t.Error("an argument was changed")
			}
		}
	}
	elements(r, func(u, v *big.Int) {
		x := decode(u, v)
		test(u, x)
		test(x, x)
		test(u, mul(x, reference.Beta()))
	})
	for choice := range 8 {
		if found[choice] < 20 || refused[choice] < 20 {
			t.Errorf("case %d: %d and %d", choice, found[choice], refused[choice])
		}
	}
	one, x := fieldVal(small(1)), fieldVal(decode(small(1), small(5)))
	for choice := -20; choice < 30; choice++ {
		got, want := ellswift.XSwiftECInv(one, x, choice), ellswift.XSwiftECInv(one, x, choice&7)
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("case %d is not case %d", choice, choice&7)
		}
	}
}

func TestXElligatorSwift(t *testing.T) {
	for k := int64(1); k < 10; k++ {
		x := curve.ScalarMult(small(k), curve.G).X
		u, v, err := ellswift.XElligatorSwift(fieldVal(x))
		if err != nil || decode(integer(u), integer(v)).Cmp(x) != 0 {
			t.Errorf("%x: (%v, %v), %v", x, u, v, err)
		}
	}
}

func TestECDH(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	secret := func(d *big.Int, u, v *big.Int) {
		var key secp256k1.PrivateKey
		key.Key.SetByteSlice(bytes32(d))
		var theirs [64]byte
		copy(theirs[:], append(bytes32(u), bytes32(v)...))
		P, _ := curve.LiftX(decode(add(u), add(v)), false)
		want := make([]byte, 32)
		if d.Sign() != 0 {
			want = bytes32(curve.ScalarMult(d, P).X)
		}
		x, err := ellswift.EllswiftECDHXOnly(theirs, &key)
		if err != nil || !bytes.Equal(x[:], want) {
			t.Errorf("%x by (%x, %x): %x, %v, want %x", d, u, v, x, err, want)
		}
		ours := [64]byte{1, 2, 3}
		for _, initiating := range []bool{false, true} {
			first, second := theirs[:], ours[:]
			if initiating {
				first, second = second, first
			}
			hash := reference.TaggedHash("bip324_ellswift_xonly_ecdh", first, second, want)
			got, err := ellswift.V2Ecdh(&key, theirs, ours, initiating)
			if err != nil || !bytes.Equal(got[:], hash) {
				t.Errorf("%x by (%x, %x), %v: %x, %v, want %x", d, u, v, initiating, got, err, hash)
			}
		}
	}
	count := 0
	elements(r, func(u, v *big.Int) {
		if count++; count%8 == 0 {
			secret(new(big.Int).Mod(reference.RandInt(r), n), u, v)
		}
	})
	secret(new(big.Int), small(3), small(4))
	// The numbers in these encodings are p or more.
	most := new(big.Int).Sub(new(big.Int).Lsh(small(1), 256), small(1))
	secret(small(5), p, most)
	secret(small(6), most, new(big.Int).Add(p, small(3)))
}

func TestCreate(t *testing.T) {
	for range 5 {
		key, encoded, err := ellswift.EllswiftCreate()
		if err != nil {
			t.Fatal(err)
		}
		x := decode(new(big.Int).SetBytes(encoded[:32]), new(big.Int).SetBytes(encoded[32:]))
		if !bytes.Equal(bytes32(x), key.PubKey().SerializeCompressed()[1:]) {
			t.Errorf("%x is no encoding of the key", encoded)
		}
	}
	// Both parties must derive the same secret.
	a, ofA, _ := ellswift.EllswiftCreate()
	b, ofB, _ := ellswift.EllswiftCreate()
	x, _ := ellswift.V2Ecdh(a, ofB, ofA, true)
	y, _ := ellswift.V2Ecdh(b, ofA, ofB, false)
	if x != y {
		t.Errorf("%x and %x", x, y)
	}
}

// TestAllocations checks that functions that take a private key do not allocate.
func TestAllocations(t *testing.T) {
	key, encoded, _ := ellswift.EllswiftCreate()
	if count := testing.AllocsPerRun(10, func() {
		ellswift.EllswiftECDHXOnly(encoded, key)
		ellswift.V2Ecdh(key, encoded, encoded, true)
	}); count != 0 {
		t.Errorf("%v allocations", count)
	}
}
