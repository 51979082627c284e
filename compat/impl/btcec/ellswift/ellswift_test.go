package ellswift_test

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/btcec/ellswift"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// The program lab/oracle compares every call with that of the replaced module, except the random
// results of EllswiftCreate.

// TestCreate checks that a new encoding decodes to the x coordinate of the key, and that both
// parties derive the same secret.
func TestCreate(t *testing.T) {
	for range 5 {
		a, ofA, err := ellswift.EllswiftCreate()
		if err != nil {
			t.Fatal(err)
		}
		b, ofB, _ := ellswift.EllswiftCreate()
		var u, v secp256k1.FieldVal
		u.SetByteSlice(ofA[:32])
		v.SetByteSlice(ofA[32:])
		x, err := ellswift.XSwiftEC(&u, &v)
		if err != nil || !bytes.Equal(x.Bytes()[:], a.PubKey().SerializeCompressed()[1:]) {
			t.Errorf("%x encodes %v, %v", ofA, x, err)
		}
		secret, _ := ellswift.V2Ecdh(a, ofB, ofA, true)
		if same, _ := ellswift.V2Ecdh(b, ofA, ofB, false); same != secret {
			t.Errorf("%x and %x", secret, same)
		}
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
