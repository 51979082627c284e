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

var swiftEC = reference.BIP324()

func small(x int64) *big.Int { return big.NewInt(x) }

func mod(x *big.Int) *big.Int { return new(big.Int).Mod(x, p) }

// elements calls f with pairs of field elements, including edge cases.
func elements(r *rand.Rand, f func(u, t *big.Int)) {
	edges := []*big.Int{new(big.Int), small(1), small(2), new(big.Int).Sub(p, small(1))}
	for _, u := range edges {
		for _, t := range edges {
			f(u, t)
		}
	}
	for range 150 {
		u, t := mod(reference.RandInt(r)), mod(reference.RandInt(r))
		f(u, t)
		// Choose t so that u³ + 7 = −t², a special case of the decoding.
		if square := mod(new(big.Int).Neg(swiftEC.G(u))); swiftEC.IsSquare(square) {
			f(u, swiftEC.Root(square))
		}
	}
}

func TestXSwiftEC(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	doubled := 0
	elements(r, func(u, v *big.Int) {
		a, b := fieldVal(u), fieldVal(v)
		x, err := ellswift.XSwiftEC(a, b)
		if err != nil || integer(x).Cmp(swiftEC.Decode(u, v)) != 0 {
			t.Errorf("(%x, %x): %v, %v, want %x", u, v, x, err, swiftEC.Decode(u, v))
		}
		wantU, wantV := u, v
		if u.Sign() == 0 {
			wantU = small(1)
		}
		if v.Sign() == 0 {
			wantV = small(1)
		}
		square := new(big.Int).Mul(wantV, wantV)
		if mod(square.Add(square, swiftEC.G(wantU))).Sign() == 0 {
			wantV = mod(new(big.Int).Lsh(wantV, 1))
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
			got, want := ellswift.XSwiftECInv(a, b, choice), swiftEC.Inverse(u, x, choice)
			switch {
			case got == nil && want == nil:
				refused[choice]++
			case got == nil || want == nil || integer(got).Cmp(want) != 0:
				t.Errorf("(%x, %x), %d: %v, want %x", u, x, choice, got, want)
			case u.Sign() != 0 && want.Sign() != 0 && swiftEC.Decode(u, want).Cmp(x) != 0:
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
		x := swiftEC.Decode(u, v)
		test(u, x)
		test(x, x)
		test(u, mod(new(big.Int).Mul(x, reference.Beta())))
	})
	for choice := range 8 {
		if found[choice] < 20 || refused[choice] < 20 {
			t.Errorf("case %d: %d and %d", choice, found[choice], refused[choice])
		}
	}
	one, x := fieldVal(small(1)), fieldVal(swiftEC.Decode(small(1), small(5)))
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
		if err != nil || swiftEC.Decode(integer(u), integer(v)).Cmp(x) != 0 {
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
		P, _ := curve.LiftX(swiftEC.Decode(mod(u), mod(v)), false)
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
		x := swiftEC.Decode(new(big.Int).SetBytes(encoded[:32]), new(big.Int).SetBytes(encoded[32:]))
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
